#define _GNU_SOURCE
#include "CAnnexLock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int annex_lock_byte(int descriptor, uint64_t offset, int locked) {
    struct flock range = {
        .l_type = locked ? F_WRLCK : F_UNLCK,
        .l_whence = SEEK_SET,
        .l_start = (off_t)offset,
        .l_len = 1,
    };
    return fcntl(descriptor, F_OFD_SETLK, &range) < 0 ? -errno : 0;
}
