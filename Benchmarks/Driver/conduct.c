#define _GNU_SOURCE
#include "conduct.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The call is harmless even if it is allowed: there is no such swap file.
void bench_call_denied(void) { (void)syscall(SYS_swapoff, "/nowhere"); }

_Noreturn void bench_flood_refusals(void) {
    for (;;) (void)syscall(SYS_getpriority, 0, 0);
}

_Noreturn void bench_flood_signals(void) {
    signal(SIGURG, SIG_IGN);
    long process = syscall(SYS_getpid), thread = syscall(SYS_gettid);
    for (;;) (void)syscall(SYS_tgkill, process, thread, SIGURG);
}

void bench_use_memory(size_t bytes) {
    char *memory = malloc(bytes);
    if (memory) memset(memory, 7, bytes);
    // The memory is held until the end, because freed memory is not in use.
    static char *volatile last;
    last = memory;
    (void)last;
}
