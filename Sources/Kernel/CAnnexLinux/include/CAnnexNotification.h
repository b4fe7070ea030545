// Seccomp user notifications: system calls that the filter passes to this process, and this process's answers.
#ifndef C_ANNEX_NOTIFICATION_H
#define C_ANNEX_NOTIFICATION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// One call that the kernel holds until it is answered or its process ends.
typedef struct {
    uint64_t id;
    uint32_t process;  // the thread's number in the listener's own pid namespace
    uint32_t architecture;
    int32_t number;
    uint64_t instruction;
    uint64_t arguments[6];
} annex_notification;

// The flags for a filter that passes calls to a listener. From Linux 5.19 on, one flag makes sure that only a fatal
// signal interrupts a held call. Without this flag, the process's own signals could make the process repeat the call
// again and again.
unsigned annex_notification_flags(void);

// Receives a call. Returns 0 or -errno. ENOENT means that the process died before its call could be read.
int annex_notification_receive(int listener, annex_notification *out);
// Makes the call fail with `number` (a positive errno) without executing it. Returns 0 or -errno.
int annex_notification_refuse(int listener, uint64_t id, int number);
// Lets the kernel execute the call as if there were no listener. Returns 0 or -errno.
int annex_notification_continue(int listener, uint64_t id);
// Makes caller and listener take turns on one processor, so that no other processor must wake (Linux 6.6). Returns 0 or
// -errno.
int annex_notification_hurry(int listener);
// Whether a call can be received without waiting.
int annex_notification_waiting(int listener);
// Returns 0 while the call is still held. In that case, memory that was read since the call was received really belongs
// to the calling process.
int annex_notification_check(int listener, uint64_t id);

// Puts an open file of this process in the place of the caller's descriptor `number`, while the call is held. Returns 0
// or -errno.
int annex_notification_exchange(int listener, uint64_t id, int given, int number, int closes_at_exec);

// Copies at most `length` bytes of another process's memory. Returns the count or -errno.
ssize_t annex_read_process(pid_t process, uint64_t address, void *buffer, size_t length);

#endif
