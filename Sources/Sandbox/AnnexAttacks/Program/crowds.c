// Starts as many children or threads at once as the sandbox allows. No child of a crowd remains after it was counted.
#include "conduct.h"
#include "syscalls.h"

#define CROWD_LARGEST 4096u
#define CHILD_SECONDS 5
#define STACK_SIZE 4096u
#define THREADS_LARGEST 512u

#define TABLES_LARGEST 32u
#define TABLE_LOCKS 3000u
#define NO_DESCRIPTOR 0xfffffffeu
#define CLOSE_RANGE_UNSHARE 2

// The child exits by itself after a while. Usually it ends earlier: it is killed, or ends together with its process
// namespace.
static _Noreturn void wait_and_leave(void) {
    const struct time pause = {CHILD_SECONDS, 0};
    CALL(NR_nanosleep, &pause, 0);
    leave(0);
}

int64_t crowd_forks(uint64_t most) {
    static int children[CROWD_LARGEST];
    uint64_t count = 0;
    if (most > CROWD_LARGEST) most = CROWD_LARGEST;
    while (count < most) {
        long child = CALL(NR_clone, SIGCHLD);
        if (child == 0) wait_and_leave();
        if (child < 0) break;
        children[count++] = (int)child;
    }
    for (uint64_t i = 0; i < count; i++) CALL(NR_kill, children[i], SIGKILL);
    for (uint64_t i = 0; i < count; i++) CALL(NR_wait4, children[i], 0, WALL, 0);
    return (int64_t)count;
}

int64_t crowd_orphan(uint64_t seconds) {
    long child = CALL(NR_clone, SIGCHLD);
    if (child != 0) return child;
    const struct time pause = {(int64_t)seconds, 0};
    CALL(NR_setsid);
    CALL(NR_nanosleep, &pause, 0);
    leave(0);
}

// Starts a thread that waits for ever and does not use its stack. The thread ends with the process.
static long begin_thread(void *stack_end) {
    const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
    long result;
#if defined(__x86_64__)
    register long r10 __asm__("r10") = 0;
    register long r8 __asm__("r8") = 0;
    __asm__ volatile("syscall\n"
                     "test %%rax, %%rax\n"
                     "jnz 2f\n"
                     "1: mov $34, %%eax\n"  // pause
                     "syscall\n"
                     "jmp 1b\n"
                     "2:\n"
                     : "=a"(result)
                     : "a"((long)NR_clone), "D"(flags), "S"(stack_end), "d"(0L), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
#else
    register long x8 __asm__("x8") = NR_clone;
    register long x0 __asm__("x0") = flags;
    register long x1 __asm__("x1") = (long)stack_end;
    register long x2 __asm__("x2") = 0;
    register long x3 __asm__("x3") = 0;
    register long x4 __asm__("x4") = 0;
    __asm__ volatile("svc 0\n"
                     "cbnz x0, 2f\n"
                     "1: mov x8, #73\n"  // ppoll without descriptors or time
                     "mov x0, #0\n"
                     "mov x1, #0\n"
                     "mov x2, #0\n"
                     "mov x3, #0\n"
                     "svc 0\n"
                     "b 1b\n"
                     "2:\n"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
                     : "memory");
    result = x0;
#endif
    return result;
}

int64_t crowd_threads(uint64_t most) {
    static _Alignas(16) unsigned char stacks[THREADS_LARGEST][STACK_SIZE];
    uint64_t count = 0;
    if (most > THREADS_LARGEST) most = THREADS_LARGEST;
    while (count < most && begin_thread(stacks[count] + STACK_SIZE) > 0) count++;
    return (int64_t)count;
}

// Sets locks in several descriptor tables. Each new thread keeps the present descriptor table, which owns the locks set
// so far. The calling thread continues with a copy of the table, and the copy owns no locks. The locks of each table
// lie at other places of the file, so that no two lines of the kernel's list are equal.
int64_t crowd_lock_tables(uint64_t file, uint64_t command, uint64_t most) {
    static _Alignas(16) unsigned char stacks[TABLES_LARGEST][STACK_SIZE];
    int64_t locks = 0;
    if (most > TABLES_LARGEST) most = TABLES_LARGEST;
    for (uint64_t done = 0; done < most; done++) {
        long result = object_locks_above((most - done - 1) * TABLE_LOCKS, file, command, TABLE_LOCKS);
        if (result < 0) return locks > 0 ? locks : result;
        locks += result;
        if (begin_thread(stacks[done] + STACK_SIZE) < 0) return locks;
        if (CALL(NR_close_range, NO_DESCRIPTOR, NO_DESCRIPTOR, CLOSE_RANGE_UNSHARE) < 0) return locks;
    }
    return locks;
}
