#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CAnnexNamespaces.h"

// The numbers are from linux/mount.h. The calls have these numbers on all architectures.
#define NUMBER_OPEN_TREE 428
#define NUMBER_MOUNT_SETATTR 442
#define ANNEX_OPEN_TREE_CLONE 1
#define ANNEX_MOUNT_ATTR_IDMAP 0x00100000

struct attributes {
    uint64_t set, clear, propagation, user_namespace;
};

// Creates a process in a new user namespace. The process does nothing until it is killed. It has no exit signal, so
// the host's signal handlers and waits do not notice it. It is a copy of a process with threads, so it must not
// allocate memory or take a lock.
static pid_t begin(void) {
    pid_t process = (pid_t)syscall(SYS_clone, CLONE_NEWUSER, (void *)0, (void *)0, (void *)0, (void *)0);
    if (process != 0) return process < 0 ? -errno : process;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
}

static void end(pid_t process) {
    kill(process, SIGKILL);
    while (waitpid(process, (void *)0, __WALL) < 0 && errno == EINTR) continue;
}

static int open_of(pid_t process, const char *name, int flags) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, name);
    int file = open(path, flags | O_CLOEXEC);
    return file < 0 ? -errno : file;
}

static int write_map(pid_t process, const char *name, const char *lines) {
    int file = open_of(process, name, O_WRONLY);
    if (file < 0) return file;
    int result = write(file, lines, strlen(lines)) < 0 ? -errno : 0;
    close(file);
    return result;
}

int annex_user_namespace(const char *users, const char *groups) {
    pid_t process = begin();
    if (process < 0) return process;
    int result = write_map(process, "uid_map", users);
    if (result >= 0) result = write_map(process, "gid_map", groups);
    int space = result < 0 ? result : open_of(process, "ns/user", O_RDONLY);
    end(process);
    return space;
}

int annex_try_id_map(int object, int space) {
    const unsigned clone = ANNEX_OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE;
    int tree = (int)syscall(NUMBER_OPEN_TREE, object, "", clone);
    if (tree < 0) return -errno;
    const struct attributes attributes = {.set = ANNEX_MOUNT_ATTR_IDMAP, .user_namespace = (uint64_t)space};
    long result =
        syscall(NUMBER_MOUNT_SETATTR, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes);
    int error = result < 0 ? -errno : 0;
    close(tree);
    return error;
}
