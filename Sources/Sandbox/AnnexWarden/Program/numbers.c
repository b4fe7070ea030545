#include "numbers.h"

#include "proc.h"
#include "syscalls.h"
#include "text.h"

// The first number of a program is above the numbers that the kernel gives out only once, and has at most five digits.
// After it, thousands of numbers follow before a kernel with the smallest usual limit (32,768) starts again.
#define SMALLEST 300u
#define RANGE 29700u
#define NUMBER_LARGEST 16

// Sets the number that the kernel gave out last in the pid namespace of this process.
static long set_last(uint32_t random) {
    long result = -EINVAL;
    // The kernel rejects a number above its own limit, which may be as low as 301.
    for (uint32_t range = RANGE; result == -EINVAL && range > 0; range /= 2) {
        char text[NUMBER_LARGEST], *end = text;
        text_append_number(&end, SMALLEST + random % range, 10);
        result = proc_write("sys/kernel/ns_last_pid", text, (uint64_t)(end - text));
    }
    return result;
}

// The kernel gives out the numbers of a namespace in order. So without this step, every program would have the number
// 2, and two sandboxes that share a directory would take a pid file or `tmp.$$` of the other for their own.
long numbers_begin(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    // Without a reaper, the program is the first process, whose number is always 1.
    if (!plan_has(plan, ANNEX_LAYER_PID) || (plan->flags & ANNEX_PLAN_REAPER) == 0) return 0;
    uint32_t random;
    long got = CALL(NR_getrandom, &random, sizeof random, 0);
    if (got != sizeof random) return got < 0 ? got : -EAGAIN;
    long result = set_last(random);
    launch->numbers_error = result < 0 ? (int32_t)-result : 0;
    return 0;
}
