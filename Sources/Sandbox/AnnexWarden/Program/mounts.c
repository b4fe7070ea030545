#include "mounts.h"

#include "devices.h"
#include "proc.h"
#include "syscalls.h"
#include "tmpfs.h"
#include "warden.h"

#define DIRECTORY_MODE 0755
// The mode of a directory that only leads to something. What a program wrote in it would vanish with the sandbox, so the
// program gets an error instead.
#define LEADING_MODE 0555
#define OWN_ATTRIBUTES (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define FILE_MODE 0444

static int wants_root(const struct launch *launch) { return plan_has(launch->plan, ANNEX_LAYER_ROOT); }

// The value of st_dev in the form of stat(2).
static uint64_t device_number(uint64_t major, uint64_t minor) {
    return (major & 0xfffff000u) << 32 | (major & 0xfffu) << 8 | (minor & 0xffffff00u) << 12 | (minor & 0xffu);
}

long mounts_compare(int descriptor, uint64_t device, uint64_t inode, uint32_t *type) {
    struct statx status;
    long result = CALL(NR_statx, descriptor, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO, &status);
    if (result < 0) return result;
    *type = status.mode & S_IFMT;
    int same = device_number(status.device_major, status.device_minor) == device && status.inode == inode;
    return same ? 0 : -ESTALE;
}

long mounts_open_plain(const char *path) {
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    return CALL(NR_openat2, AT_FDCWD, path, &how, sizeof how);
}

// MARK: - Sources

// Clones the mounts at and beneath an object, with the rights of the plan. Mounts that the host makes later do not
// appear in the clone.
static long clone_tree(int source, uint32_t flags) {
    long tree = CALL(NR_open_tree, source, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
    if (tree < 0) return tree;
    struct mount_attributes attributes = {.set = MOUNT_ATTR_NOSUID, .propagation = MS_PRIVATE};
    if ((flags & ANNEX_BIND_WRITABLE) == 0) attributes.set |= MOUNT_ATTR_RDONLY;
    if ((flags & ANNEX_BIND_DEVICE) == 0) attributes.set |= MOUNT_ATTR_NODEV;
    if ((flags & ANNEX_BIND_NO_EXECUTE) != 0) attributes.set |= MOUNT_ATTR_NOEXEC;
    long result = CALL(NR_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes);
    if (result >= 0) return tree;
    CALL(NR_close, tree);
    return result;
}

// The descriptor that came with the plan must still be the object that the broker recorded.
static long clone_held(const struct launch *launch, const annex_bind *bind) {
    int held = launch->descriptors[bind->descriptor];
    uint32_t type = 0;
    long result = mounts_compare(held, bind->device, bind->inode, &type);
    if (result < 0) return result;
    int node = (bind->flags & ANNEX_BIND_DEVICE) != 0 ? devices_open_like(held) : -1;
    long tree = clone_tree(node < 0 ? held : node, bind->flags);
    close_descriptor(node);
    return tree;
}

long mounts_clone_trees(struct launch *launch) {
    const annex_bind *binds = plan_records(launch->plan, launch->plan->binds);
    // Only a process that may mount in the host's namespace can clone the mounts of that namespace. For any other
    // warden, the child finds the sources by path.
    if (!warden.is_root || !wants_root(launch)) return 0;
    for (uint32_t i = 0; i < launch->plan->binds.count; i++) {
        launch->detail = i;
        long tree = clone_held(launch, &binds[i]);
        // If root of a container is not allowed to mount, it is treated like an ordinary user.
        if (tree == -EPERM) return 0;
        if (tree < 0) return tree;
        launch->trees[i] = (int)tree;
    }
    return 0;
}

static int wants_owner(const annex_bind *bind) { return (bind->flags & ANNEX_BIND_OWNED) != 0; }

// Gives a tree an id map. This is possible only while the tree is mounted nowhere. The child, which will mount the
// tree, still waits at this step.
static long map_owner(int tree, int user_namespace) {
    const struct mount_attributes attributes = {.set = MOUNT_ATTR_IDMAP, .user_namespace = (uint64_t)user_namespace};
    return CALL(NR_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes);
}

long mounts_map_owners(struct launch *launch) {
    const annex_bind *binds = plan_records(launch->plan, launch->plan->binds);
    long result = 0;
    int user_namespace = -1;
    for (uint32_t i = 0; result >= 0 && wants_root(launch) && i < launch->plan->binds.count; i++) {
        if (!wants_owner(&binds[i])) continue;
        launch->detail = i;
        int has_map = binds[i].map >= 0;
        if (!has_map && user_namespace < 0) {
            result = user_namespace = (int)proc_open_of(launch->process, "/ns/user");
        }
        int map = has_map ? launch->descriptors[binds[i].map] : user_namespace;
        // If there is no tree, the child would bind the source without an id map, so this is an error.
        if (result >= 0) result = launch->trees[i] < 0 ? -EPERM : map_owner(launch->trees[i], map);
    }
    close_descriptor(user_namespace);
    return result;
}

// Finds the source again by its path in this namespace, because a descriptor from another namespace cannot be bound.
static long clone_found(const struct launch *launch, const annex_bind *bind) {
    uint32_t type = 0;
    long result = mounts_compare(launch->descriptors[bind->descriptor], bind->device, bind->inode, &type);
    if (result < 0) return result;
    long source = mounts_open_plain(plan_text(launch->plan, bind->source));
    if (source < 0) return source;
    result = mounts_compare((int)source, bind->device, bind->inode, &type);
    if (result >= 0) result = clone_tree((int)source, bind->flags);
    CALL(NR_close, source);
    return result;
}

// MARK: - Targets

static long open_beneath(int directory, const char *name, uint64_t flags) {
    struct open_how how = {
        .flags = flags | O_PATH | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return CALL(NR_openat2, directory, name, &how, sizeof how);
}

static long device_of(int descriptor, uint64_t *device) {
    struct statx status;
    long result = CALL(NR_statx, descriptor, "", AT_EMPTY_PATH, STATX_TYPE, &status);
    *device = device_number(status.device_major, status.device_minor);
    return result;
}

// Mount points are made only in the root and in scratches. If they were made inside a bind, they would appear on the
// host.
static int is_own(const struct launch *launch, int directory) {
    uint64_t here = 0;
    if (device_of(directory, &here) < 0) return 0;
    for (uint32_t i = 0; i < launch->own_count; i++) {
        if (launch->own_devices[i] == here) return 1;
    }
    return 0;
}

static long note_own(struct launch *launch, int directory) {
    return device_of(directory, &launch->own_devices[launch->own_count++]);
}

static long make(int directory, const char *name, int is_directory) {
    if (is_directory) return CALL(NR_mkdirat, directory, name, LEADING_MODE);
    long file = CALL(NR_openat, directory, name, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (file >= 0) CALL(NR_close, file);
    return file < 0 ? file : 0;
}

static long open_or_make(const struct launch *launch, int directory, const char *name, int is_directory) {
    uint64_t flags = is_directory ? O_DIRECTORY : 0;
    long found = open_beneath(directory, name, flags);
    if (found != -ENOENT || !is_own(launch, directory)) return found;
    long result = make(directory, name, is_directory);
    return result < 0 ? result : open_beneath(directory, name, flags);
}

// Walks the target's components from the new root, makes missing ones and opens the last one.
static long open_target(const struct launch *launch, const char *path, int is_directory) {
    static char name[4096];
    long here = CALL(NR_fcntl, launch->root, F_DUPFD_CLOEXEC, 0);
    while (here >= 0 && *path == '/') {
        uint32_t length = 0;
        for (path++; *path != '/' && *path != 0; path++) name[length++] = *path;
        name[length] = 0;
        long next = open_or_make(launch, (int)here, name, *path == '/' || is_directory);
        CALL(NR_close, here);
        here = next;
    }
    return here;
}

static long attach(const struct launch *launch, int tree, const char *path, int is_directory) {
    long target = open_target(launch, path, is_directory);
    if (target < 0) return target;
    long result =
        CALL(NR_move_mount, tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
    CALL(NR_close, target);
    return result;
}

// MARK: - Steps

long mounts_make_private(struct launch *launch) {
    if (!plan_has(launch->plan, ANNEX_LAYER_MOUNT)) return 0;
    // The mounts become private before the first mount is made here. So no mount made here appears on the host, and
    // no new mount of the host appears here.
    return CALL(NR_mount, 0, "/", 0, MS_REC | MS_PRIVATE, 0);
}

long mounts_make_root(struct launch *launch) {
    if (!wants_root(launch)) return 0;
    CALL(NR_umask, 0);
    uint64_t attributes = OWN_ATTRIBUTES | MOUNT_ATTR_NOEXEC;
    long root = tmpfs_make(launch->plan->root_size, launch->plan->root_inodes, DIRECTORY_MODE, attributes);
    if (root < 0) return root;
    launch->root = (int)root;
    long result = note_own(launch, launch->root);
    if (result < 0) return result;
    // The root is mounted over "/" itself, which always exists. Until the pivot, paths still begin at the old root,
    // beneath this mount.
    return CALL(NR_move_mount, root, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH);
}

long mounts_bind(struct launch *launch) {
    const annex_bind *binds = plan_records(launch->plan, launch->plan->binds);
    for (uint32_t i = 0; wants_root(launch) && i < launch->plan->binds.count; i++) {
        launch->detail = i;
        uint32_t type = 0;
        long result = mounts_compare(launch->descriptors[binds[i].descriptor], binds[i].device, binds[i].inode, &type);
        if (result < 0) return result;
        long tree = launch->trees[i] >= 0 ? launch->trees[i] : clone_found(launch, &binds[i]);
        if (tree < 0) return tree;
        result = attach(launch, (int)tree, plan_text(launch->plan, binds[i].target), type == S_IFDIR);
        CALL(NR_close, tree);
        if (result < 0) return result;
    }
    return 0;
}

long mounts_make_scratches(struct launch *launch) {
    const annex_scratch *scratches = plan_records(launch->plan, launch->plan->scratches);
    for (uint32_t i = 0; wants_root(launch) && i < launch->plan->scratches.count; i++) {
        const annex_scratch *scratch = &scratches[i];
        launch->detail = i;
        uint64_t attributes = OWN_ATTRIBUTES | (scratch->executable ? 0 : MOUNT_ATTR_NOEXEC);
        long tree = tmpfs_make(scratch->size, scratch->inodes, scratch->mode, attributes);
        if (tree < 0) return tree;
        long result = attach(launch, (int)tree, plan_text(launch->plan, scratch->target), 1);
        if (result >= 0) result = note_own(launch, (int)tree);
        CALL(NR_close, tree);
        if (result < 0) return result;
    }
    return 0;
}

// Opens or makes the parent directory of a path, and stores the path's last component in `*name`. The caller then
// makes an entry of this name in the directory.
static long open_parent(const struct launch *launch, const char *path, const char **name) {
    static char parent[4096];
    uint32_t cut = 0;
    for (uint32_t i = 0; path[i] != 0; i++) {
        parent[i] = path[i];
        if (path[i] == '/') cut = i;
    }
    parent[cut] = 0;
    *name = path + cut + 1;
    long directory = open_target(launch, parent, 1);
    // If an entry were made inside a bind, it would appear on the host.
    if (directory < 0 || is_own(launch, (int)directory)) return directory;
    CALL(NR_close, directory);
    return -EROFS;
}

static long make_link(const struct launch *launch, const char *path, const char *contents) {
    const char *name;
    long directory = open_parent(launch, path, &name);
    if (directory < 0) return directory;
    long result = CALL(NR_symlinkat, contents, directory, name);
    CALL(NR_close, directory);
    return result;
}

long mounts_make_links(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    const annex_link *links = plan_records(plan, plan->links);
    for (uint32_t i = 0; wants_root(launch) && i < plan->links.count; i++) {
        launch->detail = i;
        long result = make_link(launch, plan_text(plan, links[i].target), plan_text(plan, links[i].contents));
        if (result < 0) return result;
    }
    return 0;
}

static long make_directory(const struct launch *launch, const char *path) {
    long directory = open_target(launch, path, 1);
    if (directory < 0) return directory;
    CALL(NR_close, directory);
    return 0;
}

static long make_file(const struct launch *launch, const char *path, const char *contents, uint32_t length) {
    const char *name;
    long directory = open_parent(launch, path, &name);
    if (directory < 0) return directory;
    long file = CALL(NR_openat, directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    CALL(NR_close, directory);
    if (file < 0) return file;
    long written = CALL(NR_write, file, contents, length);
    CALL(NR_close, file);
    if (written < 0) return written;
    return written == (long)length ? 0 : -EIO;
}

long mounts_make_files(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    const annex_file *files = plan_records(plan, plan->files);
    for (uint32_t i = 0; wants_root(launch) && i < plan->files.count; i++) {
        launch->detail = i;
        const char *target = plan_text(plan, files[i].target);
        long result = files[i].directory
            ? make_directory(launch, target)
            : make_file(launch, target, plan_text(plan, files[i].contents), files[i].contents.length);
        if (result < 0) return result;
    }
    return 0;
}

// Makes the sandbox's procfs. This step comes before the pivot, because the kernel allows a new procfs only to a
// process that sees a complete procfs.
long mounts_make_proc(struct launch *launch) {
    if ((launch->plan->flags & ANNEX_PLAN_PROC) == 0) return 0;
    long context = CALL(NR_fsopen, "proc", FSOPEN_CLOEXEC);
    if (context < 0) return context;
    // This procfs shows only the processes that the reader could trace, and usually nothing of the kernel.
    long result = 0;
    if ((launch->plan->flags & ANNEX_PLAN_KERNEL_FILES) == 0)
        result = CALL(NR_fsconfig, context, FSCONFIG_SET_STRING, "subset", "pid", 0);
    if (result >= 0) result = CALL(NR_fsconfig, context, FSCONFIG_SET_STRING, "hidepid", "ptraceable", 0);
    if (result >= 0) result = CALL(NR_fsconfig, context, FSCONFIG_CMD_CREATE, 0, 0, 0);
    launch->detail = 1;
    long attributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
    if (result >= 0) result = CALL(NR_fsmount, context, FSMOUNT_CLOEXEC, attributes);
    CALL(NR_close, context);
    if (result < 0) return result;
    long tree = result;
    result = attach(launch, (int)tree, "/proc", 1);
    CALL(NR_close, tree);
    return result;
}

long mounts_exchange_root(int root) {
    // Both arguments name the new root. So pivot_root mounts the old root over the new root, where the last call
    // unmounts it.
    long result = CALL(NR_fchdir, root);
    if (result >= 0) result = CALL(NR_pivot_root, ".", ".");
    return result < 0 ? result : CALL(NR_umount2, ".", MNT_DETACH);
}

// For a launch that began in the bare namespace. There, only an empty root lies below the new root, so nothing has to
// be unmounted.
static long enter_root(int root) {
    long result = CALL(NR_fchdir, root);
    return result < 0 ? result : CALL(NR_chroot, ".");
}

long mounts_pivot(struct launch *launch) {
    if (!wants_root(launch)) return 0;
    long result = launch->began_bare ? enter_root(launch->root) : mounts_exchange_root(launch->root);
    if (result >= 0) result = CALL(NR_chdir, "/");
    if (result < 0) return result;
    const struct mount_attributes attributes = {.set = MOUNT_ATTR_RDONLY};
    return CALL(NR_mount_setattr, launch->root, "", AT_EMPTY_PATH, &attributes, sizeof attributes);
}
