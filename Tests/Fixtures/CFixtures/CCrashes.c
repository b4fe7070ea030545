#define _GNU_SOURCE
#include "CCrashes.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void crash_through_null(void) {
    // The compiler does not know the value, so that it neither warns about the store nor removes it.
    uint8_t *volatile nowhere = NULL;
    *(volatile uint8_t *)nowhere = 1;
}

void crash_at_a_breakpoint(void) { __builtin_debugtrap(); }

void crash_to_nowhere(void) {
    void (*volatile nowhere)(void) = NULL;
    nowhere();
    // This call is not the last one of the function, so that the compiler does not make it a jump.
    nowhere = NULL;
}

void crash_by_a_sent_signal(void) { raise(SIGSEGV); }

void crash_in_words(int times) {
    for (int time = 0; time < times; time++) {
        syscall(SYS_tgkill, 0x46584E41l, 0l, (long)SIGSEGV, (long)crash_in_words, -8l, 0x7FFFFFFFFFFFFFF8l);
    }
}

static void leave(int number) { _exit(number == SIGSEGV ? 7 : 8); }

void crash_handled(void) { signal(SIGSEGV, leave); }
