#include "bare.h"

#include "mounts.h"
#include "syscalls.h"
#include "tmpfs.h"
#include "warden.h"

#define BARE_SIZE 4096
#define BARE_INODES 1
#define BARE_MODE 0555
#define BARE_ATTRIBUTES (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY)

static long open_own(void) { return CALL(NR_openat, AT_FDCWD, "/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC); }

void bare_prepare(void) {
    // Only root can make a mount namespace without a new user namespace.
    if (!warden.is_root) return;
    struct bare *bare = &warden.bare;
    bare->root = (int)CALL(NR_openat, AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (bare->root >= 0) bare->hosts = (int)open_own();
    // The descriptor is reserved now, so that the warden's count of descriptors does not grow with its first launches.
    if (bare->hosts >= 0) bare->empty = (int)CALL(NR_fcntl, bare->hosts, F_DUPFD_CLOEXEC, 0);
    if (bare->empty < 0) bare->hosts = -1;
}

static int has_every_tree(const struct launch *launch) {
    for (uint32_t i = 0; i < launch->plan->binds.count; i++) {
        if (launch->trees[i] < 0) return 0;
    }
    return 1;
}

// Whether the launch can begin in the bare namespace. In that namespace, no path leads to the host's files, so every
// tree of mounts to bind must be open already. Also, the launch must need no new procfs: the kernel allows a new
// procfs only to a process that sees a complete one.
static int can_begin(const struct launch *launch) {
    const annex_plan *plan = launch->plan;
    return warden.bare.hosts >= 0 && plan_has(plan, ANNEX_LAYER_MOUNT) && plan_has(plan, ANNEX_LAYER_ROOT)
        && (plan->flags & ANNEX_PLAN_PROC) == 0 && has_every_tree(launch);
}

long bare_leave(void) {
    if (!warden.bare.is_away) return 0;
    long result = CALL(NR_setns, warden.bare.hosts, CLONE_NEWNS);
    if (result >= 0) result = CALL(NR_fchdir, warden.bare.root);
    if (result >= 0) result = CALL(NR_chroot, ".");
    if (result >= 0) result = CALL(NR_chdir, "/");
    if (result >= 0) warden.bare.is_away = 0;
    return result;
}

long bare_enter(struct launch *launch) {
    if (!can_begin(launch)) return 0;
    warden.bare.is_due = warden.launches_again && !warden.bare.is_made;
    if (!warden.bare.is_made) return 0;
    warden.bare.is_away = 1;
    launch->began_bare = 1;
    if (CALL(NR_setns, warden.bare.empty, CLONE_NEWNS) >= 0) return 0;
    // The launch begins with a copy of the host's namespace instead.
    launch->began_bare = 0;
    return bare_leave();
}

static long empty_root(void) {
    // The mounts become private before the first mount is made here, so that no mount made here appears on the host.
    long result = CALL(NR_mount, 0, "/", 0, MS_REC | MS_PRIVATE, 0);
    if (result >= 0) result = tmpfs_make(BARE_SIZE, BARE_INODES, BARE_MODE, BARE_ATTRIBUTES);
    if (result < 0) return result;
    int empty = (int)result;
    result = CALL(NR_move_mount, empty, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH);
    if (result >= 0) result = mounts_exchange_root(empty);
    CALL(NR_close, empty);
    return result;
}

// Whether the warden's root is the root of its mount namespace. In a chroot, the warden's root is another directory.
// Then pivot_root fails in the host's namespace and in the bare namespace. All launches fail at that step, so the
// bare namespace would be useless.
static int is_namespaces_root(void) {
    struct statx own, here;
    if (CALL(NR_statx, warden.bare.root, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO, &own) < 0) return 0;
    if (CALL(NR_statx, AT_FDCWD, "/", 0, STATX_TYPE | STATX_INO, &here) < 0) return 0;
    return own.inode == here.inode && own.device_major == here.device_major && own.device_minor == here.device_minor;
}

static long make(void) {
    // The warden tests whether it can return to the host's namespace, before it leaves that namespace.
    long result = CALL(NR_setns, warden.bare.hosts, CLONE_NEWNS);
    if (result < 0) return result;
    warden.bare.is_away = 1;
    if (!is_namespaces_root() || CALL(NR_unshare, CLONE_NEWNS) < 0) return bare_leave();
    // The new namespace is opened now, through /proc, because `empty_root` then removes /proc.
    long own = open_own();
    if (own >= 0 && empty_root() >= 0) warden.bare.is_made = CALL(NR_dup3, own, warden.bare.empty, O_CLOEXEC) >= 0;
    close_descriptor((int)own);
    return bare_leave();
}

void bare_make(void) {
    warden.bare.is_due = 0;
    // The warden tries once to make the bare namespace. If the kernel refuses, launches begin with a copy of the
    // host's namespace, like the launches of an ordinary user. If the warden cannot return to the host's namespace,
    // every launch fails, and the warden reports the reason.
    make();
    if (!warden.bare.is_made && !warden.bare.is_away) warden.bare.hosts = -1;
}
