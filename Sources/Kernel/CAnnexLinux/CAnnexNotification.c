#define _GNU_SOURCE
#include "CAnnexNotification.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SECCOMP_IOCTL_NOTIF_ID_VALID
#define SECCOMP_IOCTL_NOTIF_ID_VALID SECCOMP_IOW(2, __u64)
#endif

#define ANNEX_CONTINUE 1u                        // SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define ANNEX_SET_FLAGS SECCOMP_IOW(4, __u64)    // SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define ANNEX_SYNC_WAKE_UP 1ul                   // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define ANNEX_NEW_LISTENER (1u << 3)
#define ANNEX_WAIT_KILLABLE (1u << 5)

unsigned annex_notification_flags(void) {
    unsigned wanted = ANNEX_NEW_LISTENER | ANNEX_WAIT_KILLABLE;
    // Without a program, the call cannot succeed. EFAULT means that the kernel knows every flag. EINVAL means that the
    // kernel does not know one of the flags.
    long answer = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, wanted, (void *)0);
    return answer < 0 && errno == EFAULT ? wanted : ANNEX_NEW_LISTENER;
}

int annex_notification_receive(int listener, annex_notification *out) {
    // A kernel newer than the header may write more than the header's struct holds.
    union {
        struct seccomp_notif call;
        char room[1024];
    } held;
    memset(&held, 0, sizeof held);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &held.call) < 0) return -errno;
    out->id = held.call.id;
    out->process = held.call.pid;
    out->architecture = held.call.data.arch;
    out->number = held.call.data.nr;
    out->instruction = held.call.data.instruction_pointer;
    for (int i = 0; i < 6; i++) out->arguments[i] = held.call.data.args[i];
    return 0;
}

static int reply(int listener, uint64_t id, int error, unsigned flags) {
    union {
        struct seccomp_notif_resp answer;
        char room[1024];
    } reply;
    memset(&reply, 0, sizeof reply);
    reply.answer.id = id;
    reply.answer.error = error;
    reply.answer.flags = flags;
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply.answer) < 0 ? -errno : 0;
}

int annex_notification_refuse(int listener, uint64_t id, int number) { return reply(listener, id, -number, 0); }

int annex_notification_continue(int listener, uint64_t id) { return reply(listener, id, 0, ANNEX_CONTINUE); }

int annex_notification_hurry(int listener) {
    return ioctl(listener, ANNEX_SET_FLAGS, ANNEX_SYNC_WAKE_UP) < 0 ? -errno : 0;
}

int annex_notification_waiting(int listener) {
    struct pollfd entry = {.fd = listener, .events = POLLIN};
    return poll(&entry, 1, 0) == 1 && (entry.revents & POLLIN) != 0;
}

int annex_notification_check(int listener, uint64_t id) {
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) < 0 ? -errno : 0;
}

ssize_t annex_read_process(pid_t process, uint64_t address, void *buffer, size_t length) {
    struct iovec here = {buffer, length};
    struct iovec there = {(void *)(uintptr_t)address, length};
    ssize_t copied = process_vm_readv(process, &here, 1, &there, 1, 0);
    return copied < 0 ? -errno : copied;
}

// A header that is older than Linux 5.9 lacks these.
#define ANNEX_ADD_DESCRIPTOR SECCOMP_IOW(3, annex_addition)  // SECCOMP_IOCTL_NOTIF_ADDFD
#define ANNEX_AT_NUMBER 1u                                   // SECCOMP_ADDFD_FLAG_SETFD

typedef struct {
    uint64_t id;
    uint32_t flags, given, number, number_flags;
} annex_addition;

int annex_notification_exchange(int listener, uint64_t id, int given, int number, int closes_at_exec) {
    annex_addition added = {
        .id = id,
        .flags = ANNEX_AT_NUMBER,
        .given = (uint32_t)given,
        .number = (uint32_t)number,
        .number_flags = closes_at_exec ? O_CLOEXEC : 0,
    };
    return ioctl(listener, ANNEX_ADD_DESCRIPTOR, &added) < 0 ? -errno : 0;
}
