// The program in the sandbox: it takes one message, answers it, and ends. hello BYTES-OF-REQUEST BYTES-OF-REPLY
#include "bench.h"

#include <stdlib.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count != 3) return 64;
    size_t size = strtoull(words[1], NULL, 10);
    bench_server server = {.reply = strtoull(words[2], NULL, 10)};
    unsigned char request[4096], reply[4096];
    if (size > sizeof request || server.reply > sizeof reply) return 64;
    for (size_t done = 0; done < size;) {
        ssize_t got = read(0, request + done, size - done);
        if (got <= 0) return 1;
        done += (size_t)got;
    }
    size_t length = bench_answer(&server, request, size, reply, sizeof reply);
    return server.wrong || write(1, reply, length) != (ssize_t)length;
}
