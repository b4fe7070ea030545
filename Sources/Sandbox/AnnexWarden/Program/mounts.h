// What the child sees as its files: a root of its own, made of nothing but what the plan lists.
#ifndef ANNEX_MOUNTS_H
#define ANNEX_MOUNTS_H

#include "launch.h"

// By the warden, as root: the sources as trees of their own, from the descriptors that the broker checked.
long mounts_clone_trees(struct launch *launch);

// By the child.
long mounts_make_private(struct launch *launch);
long mounts_make_root(struct launch *launch);
long mounts_bind(struct launch *launch);
long mounts_make_scratches(struct launch *launch);
long mounts_make_links(struct launch *launch);
long mounts_make_proc(struct launch *launch);
long mounts_pivot(struct launch *launch);

// `root`, mounted over "/", becomes the root, and what was the root is taken off.
long mounts_exchange_root(int root);

// 0 when the descriptor is that object, -ESTALE when it is another, or -errno.
long mounts_compare(int descriptor, uint64_t device, uint64_t inode, uint32_t *type);
// Opens a path of the present root without following any link, for reference only.
long mounts_open_plain(const char *path);

#endif
