// The child's file system. The child gets its own root, which contains only the entries of the plan.
#ifndef ANNEX_MOUNTS_H
#define ANNEX_MOUNTS_H

#include "launch.h"

// For a warden that runs as root: clones the sources into trees, from the descriptors that the broker checked.
long mounts_clone_trees(struct launch *launch);
// For a warden that runs as root: gives the trees of binds with ANNEX_BIND_OWNED their id maps. The warden calls this
// function after the child's user namespace has its maps.
long mounts_map_owners(struct launch *launch);

// The child calls these functions.
long mounts_make_private(struct launch *launch);
long mounts_make_root(struct launch *launch);
long mounts_bind(struct launch *launch);
long mounts_make_scratches(struct launch *launch);
long mounts_make_links(struct launch *launch);
long mounts_make_files(struct launch *launch);
long mounts_make_proc(struct launch *launch);
long mounts_pivot(struct launch *launch);

// Makes `root` the new root and unmounts the old root. `root` must be mounted over "/".
long mounts_exchange_root(int root);

// Returns 0 if the descriptor refers to the object with this device and inode, -ESTALE if it refers to another
// object, or -errno.
long mounts_compare(int descriptor, uint64_t device, uint64_t inode, uint32_t *type);
// Opens a path in the present root with O_PATH, without following any link.
long mounts_open_plain(const char *path);

#endif
