// Byte range locks that belong to an open file description and end with it.
#ifndef C_ANNEX_LOCK_H
#define C_ANNEX_LOCK_H

#include <stdint.h>

// Locks (1) or unlocks (0) one byte for writing, without waiting. 0 or -errno; -EAGAIN if it is locked elsewhere.
int annex_lock_byte(int descriptor, uint64_t offset, int locked);

#endif
