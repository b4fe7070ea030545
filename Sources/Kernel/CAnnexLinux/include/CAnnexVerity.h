// fs-verity: the file system checks that a file still has the digest that it had when verity was enabled.
#ifndef C_ANNEX_VERITY_H
#define C_ANNEX_VERITY_H

#include <stdint.h>

// Makes a file immutable, and has the kernel check each block that is read from then on. No process may have the file
// open for writing. 0 or -errno.
int annex_verity_enable(int descriptor);
// Writes the 32 bytes of the kernel's own SHA-256 digest. 0 or -errno: -ENODATA if the file is not enabled, -ENOTTY or
// -EOPNOTSUPP if its file system has no verity.
int annex_verity_measure(int descriptor, uint8_t *digest);

#endif
