// File systems in memory, limited in bytes and in number of files.
#ifndef ANNEX_TMPFS_H
#define ANNEX_TMPFS_H

#include <stdint.h>

// Makes a file system in memory that is not attached anywhere. `attributes` are those of fsmount(2). Returns a
// descriptor of its root, or -errno.
long tmpfs_make(uint64_t size, uint64_t inodes, uint32_t mode, uint64_t attributes);

#endif
