#define _GNU_SOURCE
#include "CFailingCalls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#define SYS_pidfd_open 434
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

// Calls are identified by the kernel's number. The start of a thread has the number of clone3.
static const struct call {
    const char *name;
    long number;
    int error;
} calls[] = {
    {"memfd_create", SYS_memfd_create, EMFILE},
    {"socketpair", SYS_socketpair, EMFILE},
    {"setsockopt", SYS_setsockopt, ENOMEM},
    {"sendmsg", SYS_sendmsg, ENOBUFS},
    {"recvmsg", SYS_recvmsg, ENOMEM},
    {"pidfd_open", SYS_pidfd_open, EMFILE},
    {"pidfd_send_signal", SYS_pidfd_send_signal, EPERM},
    {"epoll_create1", SYS_epoll_create1, EMFILE},
    {"epoll_ctl", SYS_epoll_ctl, ENOSPC},
    {"epoll_pwait2", SYS_epoll_pwait2, EINTR},
    {"eventfd2", SYS_eventfd2, EMFILE},
    {"timerfd_settime", SYS_timerfd_settime, ENOMEM},
    {"pipe2", SYS_pipe2, EMFILE},
    {"fcntl", SYS_fcntl, EMFILE},
    {"openat", SYS_openat, EMFILE},
    {"openat2", SYS_openat2, EMFILE},
    {"mkdir", SYS_mkdirat, ENOSPC},
    {"rmdir", SYS_unlinkat, EBUSY},
    {"flock", SYS_flock, ENOLCK},
    {"fchmod", SYS_fchmod, EPERM},
    {"fchown", SYS_fchown, EPERM},
    {"write", SYS_write, EIO},
    {"read", SYS_read, EIO},
    {"ftruncate", SYS_ftruncate, ENOMEM},
    {"mmap", SYS_mmap, ENOMEM},
    {"mprotect", SYS_mprotect, ENOMEM},
    {"poll", SYS_ppoll, EINTR},
    {"clone", SYS_clone, EAGAIN},
    {"pthread_create", SYS_clone3, EAGAIN},
};

static _Atomic long armed = -1;
static _Atomic long left;
static _Atomic int error_now, failed;

const char *failing_call(int place) {
    return place >= 0 && place < (int)(sizeof calls / sizeof *calls) ? calls[place].name : (const char *)0;
}

const char *failing_call_error(int place) { return strerrorname_np(calls[place].error); }

void fail_call(int place, long time) {
    atomic_store(&armed, -1);
    atomic_store(&failed, 0);
    atomic_store(&error_now, calls[place].error);
    atomic_store(&left, time);
    if (time > 0) atomic_store(&armed, calls[place].number);
}

int call_has_failed(void) { return atomic_load(&failed); }

extern const char __executable_start, etext;

// Some checks of a watch, in calls of its thread.
#define CHECKS 64

// A watch ends its program when several checks in a row fail. On a busy machine, the failing call could be one of the
// watches each time, and end a program that no stage is about. So after each failure the watches are spared for a while.
static _Atomic int spared;

static int is_of_watches(void) {
    static _Thread_local int known = -1;
    char name[16] = "";
    if (known < 0) known = prctl(PR_GET_NAME, name) == 0 && strcmp(name, "annex-watches") == 0;
    return known;
}

static int fails(long number, const void *caller) {
    if ((const char *)caller < &__executable_start || (const char *)caller > &etext) return 0;
    if (is_of_watches() && atomic_load(&spared) > 0) {
        atomic_fetch_sub(&spared, 1);
        return 0;
    }
    if (atomic_load(&armed) != number) return 0;
    if (atomic_fetch_sub(&left, 1) != 1) return 0;
    atomic_store(&failed, 1);
    if (is_of_watches()) atomic_store(&spared, CHECKS);
    errno = atomic_load(&error_now);
    return 1;
}

#define FAILS(number) fails(number, __builtin_return_address(0))
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    if (FAILS(number)) return -1;
    return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int socketpair(int domain, int type, int protocol, int ends[2]) {
    return FAILS(SYS_socketpair) ? -1 : NEXT(socketpair)(domain, type, protocol, ends);
}

int setsockopt(int socket, int level, int name, const void *value, socklen_t size) {
    return FAILS(SYS_setsockopt) ? -1 : NEXT(setsockopt)(socket, level, name, value, size);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    return FAILS(SYS_sendmsg) ? -1 : NEXT(sendmsg)(socket, message, flags);
}

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
    return FAILS(SYS_recvmsg) ? -1 : NEXT(recvmsg)(socket, message, flags);
}

int epoll_create1(int flags) { return FAILS(SYS_epoll_create1) ? -1 : NEXT(epoll_create1)(flags); }

int epoll_ctl(int queue, int operation, int descriptor, struct epoll_event *event) {
    // A descriptor that is closed next need not be removed from epoll first.
    if (operation == EPOLL_CTL_ADD && FAILS(SYS_epoll_ctl)) return -1;
    return NEXT(epoll_ctl)(queue, operation, descriptor, event);
}

int eventfd(unsigned count, int flags) { return FAILS(SYS_eventfd2) ? -1 : NEXT(eventfd)(count, flags); }

int timerfd_settime(int timer, int flags, const struct itimerspec *when, struct itimerspec *before) {
    return FAILS(SYS_timerfd_settime) ? -1 : NEXT(timerfd_settime)(timer, flags, when, before);
}

int pipe2(int ends[2], int flags) { return FAILS(SYS_pipe2) ? -1 : NEXT(pipe2)(ends, flags); }

static long third(va_list list) { return va_arg(list, long); }

int fcntl(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    long argument = third(list);
    va_end(list);
    return FAILS(SYS_fcntl) ? -1 : NEXT(fcntl)(descriptor, command, argument);
}

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    long mode = third(list);
    va_end(list);
    return FAILS(SYS_openat) ? -1 : NEXT(open)(path, flags, (mode_t)mode);
}

int openat(int directory, const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    long mode = third(list);
    va_end(list);
    return FAILS(SYS_openat) ? -1 : NEXT(openat)(directory, path, flags, (mode_t)mode);
}

int mkdir(const char *path, mode_t mode) { return FAILS(SYS_mkdirat) ? -1 : NEXT(mkdir)(path, mode); }

int mkdirat(int directory, const char *path, mode_t mode) {
    return FAILS(SYS_mkdirat) ? -1 : NEXT(mkdirat)(directory, path, mode);
}

int flock(int descriptor, int operation) { return FAILS(SYS_flock) ? -1 : NEXT(flock)(descriptor, operation); }

int fchmod(int descriptor, mode_t mode) { return FAILS(SYS_fchmod) ? -1 : NEXT(fchmod)(descriptor, mode); }

int fchown(int descriptor, uid_t user, gid_t group) {
    return FAILS(SYS_fchown) ? -1 : NEXT(fchown)(descriptor, user, group);
}

int rmdir(const char *path) { return FAILS(SYS_unlinkat) ? -1 : NEXT(rmdir)(path); }

ssize_t write(int descriptor, const void *bytes, size_t size) {
    return FAILS(SYS_write) ? -1 : NEXT(write)(descriptor, bytes, size);
}

ssize_t read(int descriptor, void *bytes, size_t size) {
    return FAILS(SYS_read) ? -1 : NEXT(read)(descriptor, bytes, size);
}

int ftruncate(int descriptor, off_t size) {
    return FAILS(SYS_ftruncate) ? -1 : NEXT(ftruncate)(descriptor, size);
}

void *mmap(void *place, size_t size, int protection, int flags, int descriptor, off_t offset) {
    return FAILS(SYS_mmap) ? MAP_FAILED : NEXT(mmap)(place, size, protection, flags, descriptor, offset);
}

int mprotect(void *place, size_t size, int protection) {
    return FAILS(SYS_mprotect) ? -1 : NEXT(mprotect)(place, size, protection);
}

int poll(struct pollfd *entries, nfds_t count, int patience) {
    return FAILS(SYS_ppoll) ? -1 : NEXT(poll)(entries, count, patience);
}

int clone(int (*body)(void *), void *stack, int flags, void *argument, ...) {
    va_list list;
    va_start(list, argument);
    int *parent = va_arg(list, int *);
    va_end(list);
    return FAILS(SYS_clone) ? -1 : NEXT(clone)(body, stack, flags, argument, parent);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    return FAILS(SYS_clone3) ? errno : NEXT(pthread_create)(thread, attributes, body, argument);
}
