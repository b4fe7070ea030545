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

// Enough for the two calls of `hold`, which also run in a sanitized build.
#define STACK_SIZE 16384

// Does nothing until it is killed. The process shares the memory of its creator, so it writes nothing. (`errno`, which it
// shares too, is written only by a call that fails.)
static int hold(void *unused) {
    (void)unused;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
}

// Creates a process in a new user namespace. It has no exit signal, so the host's signal handlers and waits do not notice
// it. It shares the memory of this process, because copying the page tables takes several times as long as the rest.
// So it must not run a handler of this process's: it is created with all signals blocked, except those that no process
// can block.
static pid_t begin(unsigned char *stack) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int process = clone(hold, stack + STACK_SIZE, CLONE_NEWUSER | CLONE_VM, (void *)0);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, (void *)0);
    return process < 0 ? -error : process;
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
    // The process uses the stack until `end` has waited for its end.
    _Alignas(16) unsigned char stack[STACK_SIZE];
    pid_t process = begin(stack);
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
