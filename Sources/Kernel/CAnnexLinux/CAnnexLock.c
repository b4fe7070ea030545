#define _GNU_SOURCE
#include "CAnnexLock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int annex_lock_range(int descriptor, uint64_t start, uint64_t length, int lock) {
    static const short types[] = {F_UNLCK, F_RDLCK, F_WRLCK};
    struct flock range = {
        .l_type = types[lock],
        .l_whence = SEEK_SET,
        .l_start = (off_t)start,
        .l_len = (off_t)length,
    };
    return fcntl(descriptor, F_OFD_SETLK, &range) < 0 ? -errno : 0;
}
