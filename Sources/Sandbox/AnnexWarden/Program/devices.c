#include "devices.h"

#include "syscalls.h"
#include "tmpfs.h"
#include "warden.h"

#define NODE_MODE 0666
#define DIRECTORY_MODE 0755
#define BYTES 4096
#define ATTRIBUTES (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)

// The devices that policies can grant, and the terminal device.
static const struct node {
    const char name[8];
    uint32_t major, minor;
} nodes[] = {{"null", 1, 3}, {"zero", 1, 5}, {"full", 1, 7}, {"random", 1, 8}, {"urandom", 1, 9}, {"tty", 5, 0}};
#define NODE_COUNT (sizeof nodes / sizeof *nodes)

static long make_nodes(int directory) {
    for (uint32_t i = 0; i < NODE_COUNT; i++) {
        // The device number in the form of stat(2). Both parts are small enough for this form.
        uint32_t device = nodes[i].major << 8 | nodes[i].minor;
        long result = CALL(NR_mknodat, directory, nodes[i].name, S_IFCHR | NODE_MODE, device);
        if (result < 0) return result;
    }
    return 0;
}

// Older kernels cannot clone a mount that is not attached anywhere.
static long can_be_bound(int directory) {
    long tree = CALL(NR_open_tree, directory, nodes[0].name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    close_descriptor((int)tree);
    return tree;
}

void devices_prepare(void) {
    if (!warden.is_root) return;
    long directory = tmpfs_make(BYTES, NODE_COUNT + 1, DIRECTORY_MODE, ATTRIBUTES);
    if (directory < 0) return;
    long mask = CALL(NR_umask, 0);
    long result = make_nodes((int)directory);
    CALL(NR_umask, mask);
    if (result >= 0) result = can_be_bound((int)directory);
    if (result >= 0) warden.devices = (int)directory;
    else close_descriptor((int)directory);
}

int devices_open_like(int hosts) {
    struct statx status;
    if (warden.devices < 0 || CALL(NR_statx, hosts, "", AT_EMPTY_PATH, STATX_TYPE, &status) < 0) return -1;
    if ((status.mode & S_IFMT) != S_IFCHR) return -1;
    for (uint32_t i = 0; i < NODE_COUNT; i++) {
        if (nodes[i].major != status.node_major || nodes[i].minor != status.node_minor) continue;
        long node = CALL(NR_openat, warden.devices, nodes[i].name, O_PATH | O_CLOEXEC);
        return node < 0 ? -1 : (int)node;
    }
    return -1;
}
