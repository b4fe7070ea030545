#include "CAnnexVerity.h"

#include <errno.h>
#include <linux/fsverity.h>
#include <string.h>
#include <sys/ioctl.h>

int annex_verity_enable(int descriptor) {
    struct fsverity_enable_arg how = {
        .version = 1,
        .hash_algorithm = FS_VERITY_HASH_ALG_SHA256,
        // Every kernel that has verity accepts this size, unless its pages are larger.
        .block_size = 4096,
    };
    return ioctl(descriptor, FS_IOC_ENABLE_VERITY, &how) < 0 ? -errno : 0;
}

int annex_verity_measure(int descriptor, uint8_t *digest) {
    enum { SIZE = 32 };
    union {
        struct fsverity_digest head;
        uint8_t bytes[sizeof(struct fsverity_digest) + SIZE];
    } measured = {.head = {.digest_size = SIZE}};
    int result = ioctl(descriptor, FS_IOC_MEASURE_VERITY, &measured) < 0 ? -errno : 0;
    if (result == 0 && (measured.head.digest_algorithm != FS_VERITY_HASH_ALG_SHA256 || measured.head.digest_size != SIZE))
        result = -ENODATA;
    if (result == 0) memcpy(digest, measured.bytes + sizeof(struct fsverity_digest), SIZE);
    return result;
}
