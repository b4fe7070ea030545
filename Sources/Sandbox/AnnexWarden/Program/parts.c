#include "parts.h"

#include "mounts.h"
#include "syscalls.h"

#define COVER_FILE ".annex-hidden-file"
#define COVER_DIRECTORY ".annex-hidden-directory"

// Two empty objects of the root that lie over hidden parts. Their mode gives no right to anyone. Their mounts are
// read-only, so that the program cannot change this mode, although both belong to the program's user.
struct covers {
    int file;
    int directory;
};

static long open_below(int directory, const char *path) {
    struct open_how how = {
        .flags = O_PATH | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return CALL(NR_openat2, directory, path, &how, sizeof how);
}

static long make_covers(const struct launch *launch, struct covers *covers) {
    long result = CALL(NR_mkdirat, launch->root, COVER_DIRECTORY, 0);
    if (result < 0) return result;
    long file = CALL(NR_openat, launch->root, COVER_FILE, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
    if (file < 0) return file;
    covers->file = (int)file;
    long directory = open_below(launch->root, COVER_DIRECTORY);
    covers->directory = (int)directory;
    return directory < 0 ? directory : 0;
}

// Takes the names of the covers away. The mounts keep the objects.
static long remove_covers(const struct launch *launch, const struct covers *covers) {
    close_descriptor(covers->file);
    close_descriptor(covers->directory);
    long result = CALL(NR_unlinkat, launch->root, COVER_FILE, 0);
    return result < 0 ? result : CALL(NR_unlinkat, launch->root, COVER_DIRECTORY, AT_REMOVEDIR);
}

// The attributes that the mount of a part gets in addition to those of the mount around it.
static uint64_t attributes_of(uint32_t kind) {
    if (kind == ANNEX_PART_PROTECTED) return MOUNT_ATTR_RDONLY;
    if (kind == ANNEX_PART_HIDDEN) return MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
    return 0;
}

// Lays a clone of the source over the part.
static long cover(int part, int source, uint32_t kind) {
    long tree = CALL(NR_open_tree, source, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
    if (tree < 0) return tree;
    struct mount_attributes attributes = {.set = attributes_of(kind)};
    long result = 0;
    if (attributes.set != 0)
        result = CALL(NR_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes);
    if (result >= 0)
        result = CALL(NR_move_mount, tree, "", part, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
    CALL(NR_close, tree);
    return result;
}

static long mount_part(const struct launch *launch, const annex_part *part, const struct covers *covers) {
    long object = open_below(launch->root, plan_text(launch->plan, part->target) + 1);
    if (object < 0) return object;
    uint32_t type = 0;
    // The host may have replaced the object, or mounted something over it, since the broker looked at it.
    long result = mounts_compare((int)object, part->device, part->inode, &type);
    int empty = type == S_IFDIR ? covers->directory : covers->file;
    int source = part->kind == ANNEX_PART_HIDDEN ? empty : (int)object;
    if (result >= 0) result = cover((int)object, source, part->kind);
    CALL(NR_close, object);
    return result;
}

long parts_mount(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    const annex_part *parts = plan_records(plan, plan->parts);
    if (plan->parts.count == 0 || !plan_has(plan, ANNEX_LAYER_ROOT)) return 0;
    struct covers covers = {-1, -1};
    long result = make_covers(launch, &covers);
    for (uint32_t i = 0; result >= 0 && i < plan->parts.count; i++) {
        launch->detail = i;
        result = mount_part(launch, &parts[i], &covers);
    }
    return result < 0 ? result : remove_covers(launch, &covers);
}
