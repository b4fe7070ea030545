#define _GNU_SOURCE
#include "CAnnexNamespaces.h"

#include <errno.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/types.h>

// From linux/pidfd.h of Linux 6.11.
#define ANNEX_PIDFD_GET_USER_NAMESPACE _IO(0xFF, 9)

int annex_process_user_namespace(int process) {
    int space = ioctl(process, ANNEX_PIDFD_GET_USER_NAMESPACE, 0);
    return space < 0 ? -errno : space;
}

int annex_parent_user_namespace(int space) {
    int parent = ioctl(space, NS_GET_PARENT);
    return parent < 0 ? -errno : parent;
}

int annex_user_namespace_owner(int space, uint32_t *user) {
    uid_t owner;
    if (ioctl(space, NS_GET_OWNER_UID, &owner) < 0) return -errno;
    *user = owner;
    return 0;
}
