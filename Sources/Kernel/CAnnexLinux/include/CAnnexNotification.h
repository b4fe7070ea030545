// Seccomp user notifications: a call that the filter refers to us, and our answer.
#ifndef C_ANNEX_NOTIFICATION_H
#define C_ANNEX_NOTIFICATION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// One call held by the kernel until it is answered or its process ends.
typedef struct {
    uint64_t id;
    uint32_t process;  // the thread's number in the listener's own pid namespace
    uint32_t architecture;
    int32_t number;
    uint64_t instruction;
    uint64_t arguments[6];
} annex_notification;

// Flags for a filter that refers calls to a listener. Where the kernel can (5.19), a process whose call is held waits
// killable only, so that no signal of its own makes it call again and again.
unsigned annex_notification_flags(void);

// 0 or -errno. ENOENT: the process died before its call could be read.
int annex_notification_receive(int listener, annex_notification *out);
// The call fails with `number` (a positive errno) without having been done. 0 or -errno.
int annex_notification_refuse(int listener, uint64_t id, int number);
// The kernel does the call as if it had not asked. 0 or -errno.
int annex_notification_continue(int listener, uint64_t id);
// Caller and listener take turns on one processor instead of waking another (6.6). 0 or -errno.
int annex_notification_hurry(int listener);
// Whether a call can be received without waiting.
int annex_notification_waiting(int listener);
// 0 while the call is still held: what was read of the process's memory since receiving belongs to it.
int annex_notification_check(int listener, uint64_t id);

// Copies at most `length` bytes of another process's memory; the count or -errno.
ssize_t annex_read_process(pid_t process, uint64_t address, void *buffer, size_t length);

#endif
