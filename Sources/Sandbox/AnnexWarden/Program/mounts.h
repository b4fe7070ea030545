// The child's file system: a root of its own that holds only what the plan lists.
#ifndef ANNEX_MOUNTS_H
#define ANNEX_MOUNTS_H

#include "launch.h"

// For the warden as root: clones the sources into trees, from the descriptors that the broker checked.
long mounts_clone_trees(struct launch *launch);
// For the warden as root, once the child's user namespace has its maps: gives that map to the trees of owned binds.
long mounts_map_owners(struct launch *launch);

// Called by the child.
long mounts_make_private(struct launch *launch);
long mounts_make_root(struct launch *launch);
long mounts_bind(struct launch *launch);
long mounts_make_scratches(struct launch *launch);
long mounts_make_links(struct launch *launch);
long mounts_make_proc(struct launch *launch);
long mounts_pivot(struct launch *launch);

// Makes `root`, which is mounted over "/", the root, and unmounts the old root.
long mounts_exchange_root(int root);

// 0 if the descriptor is that object, -ESTALE if it is another, or -errno.
long mounts_compare(int descriptor, uint64_t device, uint64_t inode, uint32_t *type);
// Opens a path in the present root with O_PATH, without following any link.
long mounts_open_plain(const char *path);

#endif
