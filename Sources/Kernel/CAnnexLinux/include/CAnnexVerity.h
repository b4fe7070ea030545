// fs-verity. With verity, the file system checks that a file still has the digest that it had when verity was enabled.
#ifndef C_ANNEX_VERITY_H
#define C_ANNEX_VERITY_H

#include <stdint.h>

// Makes a file immutable. From then on, the kernel checks each block that is read. No process may have the file open
// for writing. Returns 0 or -errno.
int annex_verity_enable(int descriptor);
// Writes the 32 bytes of the kernel's own SHA-256 digest. Returns 0 or -errno. The error is -ENODATA if verity is not
// enabled for the file, and -ENOTTY or -EOPNOTSUPP if its file system has no verity.
int annex_verity_measure(int descriptor, uint8_t *digest);

#endif
