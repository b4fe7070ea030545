#define _GNU_SOURCE
#include "CAnnexFaults.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// The stack takes no memory until it is used. The largest register set that a signal saves takes about 11 KiB.
static char stack[32 << 10];

static void tell(int number, siginfo_t *cause, void *context) {
    int error = errno;
    mcontext_t *here = &((ucontext_t *)context)->uc_mcontext;
    if (cause->si_code <= 0) {
        // A process sent the signal, so the instruction will not fault again. This code therefore sends the signal once
        // more.
        syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), number);
    } else {
#if defined(__x86_64__)
        // Execution has already passed the breakpoint. The code steps back, so that the breakpoint is hit again, now
        // without a handler.
        if (number == SIGTRAP && cause->si_code == SI_KERNEL) here->gregs[REG_RIP] -= 1;
        syscall(
            SYS_tgkill, (long)ANNEX_FAULT_MARK, 0l, (long)number, (long)here->gregs[REG_RIP],
            (long)here->gregs[REG_RSP], (long)here->gregs[REG_RBP]);
#elif defined(__aarch64__)
        syscall(
            SYS_tgkill, (long)ANNEX_FAULT_MARK, 0l, (long)number, (long)here->pc, (long)here->sp,
            (long)here->regs[29]);
#endif
    }
    errno = error;
    // SA_RESETHAND has removed the handler. The same instruction faults again, and the kernel then ends the process.
}

// From here on, the code makes direct system calls instead of calling the C library's functions for signals. Loading a
// page of the C library only for these functions costs more at each start than all these calls.

// The kernel's own layout of a signal action. It is the same on both processors, and differs from the C library's
// layout.
struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

#if defined(__x86_64__)
#define RESTORES 0x04000000ul  // SA_RESTORER
__attribute__((naked)) static void restore(void) { __asm__("mov $15, %eax\n\tsyscall"); }
#else
#define RESTORES 0ul
#define restore NULL
#endif

static long act(int number, const struct kernel_action *wanted, struct kernel_action *before) {
    return syscall(SYS_rt_sigaction, number, wanted, before, sizeof before->mask);
}

void annex_tell_of_faults(void) {
    const uint32_t faults = 1u << SIGSEGV | 1u << SIGBUS | 1u << SIGILL | 1u << SIGFPE | 1u << SIGTRAP;
    struct kernel_action telling = {
        .handler = tell, .flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | RESTORES, .restorer = restore};
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    stack_t present;
    if (syscall(SYS_sigaltstack, NULL, &present) == 0 && (present.ss_flags & SS_DISABLE)) {
        syscall(SYS_sigaltstack, &alternate, NULL);
    }
    for (int number = 1; number < 32; number++) {
        struct kernel_action before;
        if ((faults >> number & 1) == 0 || act(number, &telling, &before) < 0 || before.handler == NULL) continue;
        act(number, &before, NULL);
    }
}
