// Byte range locks that belong to an open file description and end with it.
#ifndef C_ANNEX_LOCK_H
#define C_ANNEX_LOCK_H

#include <stdint.h>

enum annex_range_lock { ANNEX_RANGE_FREE, ANNEX_RANGE_SHARED, ANNEX_RANGE_EXCLUSIVE };

// Locks or frees a range, without waiting. The call replaces any lock of the same open file description on the range.
// Returns 0 or -errno. The error is -EAGAIN if another open file description has a conflicting lock.
int annex_lock_range(int descriptor, uint64_t start, uint64_t length, int lock);

#endif
