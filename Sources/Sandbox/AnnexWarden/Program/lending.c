#include "lending.h"

#include "child.h"
#include "syscalls.h"
#include "warden.h"

#define STACK_SIZE 8192
#define PAUSE_NS 20000
#define THREAD_FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
// What `offered` can be besides the number of a listener.
enum { NO_THREAD = -2, NO_LISTENER = -1 };

static _Alignas(16) unsigned char stack[STACK_SIZE];
// The number of the listener. The child's first thread writes it after the filter is in force. That thread can then make
// no call that wakes the other one. A pipe would need numbers of descriptors, for which the limits may leave no room.
static int offered = NO_THREAD;
static struct launch *lent;

// Makes a thread that runs `lending_run` on a stack of its own. Returns the thread's number, or -errno.
long lending_clone(unsigned long flags, void *top);

__attribute__((used)) _Noreturn void lending_run(void);
_Noreturn void lending_run(void) {
    const struct time pause = {0, PAUSE_NS};
    int listener;
    // SYNC: acquires what `lending_give` released: the number of a listener that exists.
    while ((listener = __atomic_load_n(&offered, __ATOMIC_ACQUIRE)) == NO_LISTENER) CALL(NR_nanosleep, &pause, 0);
    long sent = child_send(lent, REPORT_LISTENER, listener);
    if (sent < 0) {
        lent->step = ANNEX_STEP_LISTENER;
        child_say(lent, (int)-sent, -1);
        leave(126);
    }
    for (;;) CALL(NR_exit, 0);
}

#if defined(__x86_64__)
__asm__(".globl lending_clone\n.hidden lending_clone\n.type lending_clone, @function\nlending_clone:\n"
        " mov $56, %eax\n xor %edx, %edx\n xor %r10d, %r10d\n xor %r8d, %r8d\n syscall\n"
        " test %rax, %rax\n jz 1f\n ret\n"
        "1: xor %ebp, %ebp\n call lending_run\n ud2\n");
#else
__asm__(".globl lending_clone\n.hidden lending_clone\n.type lending_clone, @function\nlending_clone:\n"
        " mov x2, #0\n mov x3, #0\n mov x4, #0\n mov x8, #220\n svc #0\n"
        " cbz x0, 1f\n ret\n"
        "1: mov x29, #0\n mov x30, #0\n bl lending_run\n brk #0\n");
#endif

void lending_prepare(void) {
    long copy = CALL(NR_pidfd_getfd, warden.self, warden.self, 0);
    warden.cannot_take = copy < 0;
    if (copy >= 0) CALL(NR_close, copy);
}

long lending_begin(struct launch *launch) {
    if (!warden.cannot_take || (launch->plan->filter_flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) == 0) return 0;
    lent = launch;
    offered = NO_LISTENER;
    long thread = lending_clone(THREAD_FLAGS, stack + STACK_SIZE);
    return thread < 0 ? thread : 0;
}

void lending_give(int listener) {
    if (offered == NO_THREAD) return;
    // SYNC: releases the number to `lending_run`.
    __atomic_store_n(&offered, listener, __ATOMIC_RELEASE);
}
