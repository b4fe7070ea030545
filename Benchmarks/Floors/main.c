#include "floors.h"

#include <stddef.h>

int main(int count, char **words) {
    static const bench_contender *const all[] = {
        &spin_line,     &spin_ring,     &spin_mailbox, &floor_futex,  &floor_eventfd, &floor_pipe,
        &floor_stream,  &floor_seqpacket, &mapped_copy, &mapped_pieces, &memfd_new,   &memfd_reused,
        &memfd_answer,  &memcpy_warm,   &memcpy_cold,  &floor_bwrap,  &floor_cat,
        NULL};
    return bench_main(count, words, all);
}
