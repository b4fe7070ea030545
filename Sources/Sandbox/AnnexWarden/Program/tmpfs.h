// File systems in memory, bounded in bytes and in files.
#ifndef ANNEX_TMPFS_H
#define ANNEX_TMPFS_H

#include <stdint.h>

// A new one, not attached anywhere; `attributes` as of fsmount(2). A descriptor of its root, or -errno.
long tmpfs_make(uint64_t size, uint64_t inodes, uint32_t mode, uint64_t attributes);

#endif
