// The program of a trial. It performs the requested steps inside a sandbox and reports their results. It needs no other
// file and only two system calls, read and write, which every filter allows.
#include "conduct.h"
#include "entry.h"
#include "syscalls.h"
#include "text.h"
#include "trial.h"

// The compiler requires both symbols for its stack guard. An attacking program needs no guard, so the guard's value is
// fixed.
uintptr_t __stack_chk_guard = 0x00000aff0a0d0000;
_Noreturn void __stack_chk_fail(void) { leave(70); }

_Alignas(4096) unsigned char trial_memory[TRIAL_MEMORY];
static trial_request request;
static trial_step steps[TRIAL_STEPS];
static int64_t results[TRIAL_STEPS];

static int read_all(void *to, size_t length) {
    size_t done = 0;
    while (done < length) {
        long got = CALL(NR_read, TRIAL_REQUEST, (char *)to + done, length - done);
        if (got <= 0) return 0;
        done += (size_t)got;
    }
    return 1;
}

static int read_request(void) {
    if (!read_all(&request, sizeof request) || request.magic != TRIAL_MAGIC) return 0;
    if (request.steps > TRIAL_STEPS || request.memory > TRIAL_MEMORY) return 0;
    return read_all(steps, request.steps * sizeof *steps) && read_all(trial_memory, request.memory);
}

void trial_answer_step(uint32_t step, int64_t result, const void *bytes, size_t length) {
    static unsigned char message[sizeof(trial_answer) + TRIAL_TELL_LARGEST];
    if (length > TRIAL_TELL_LARGEST) length = TRIAL_TELL_LARGEST;
    const trial_answer answer = {.step = step, .length = (uint32_t)length, .result = result};
    memcpy(message, &answer, sizeof answer);
    memcpy(message + sizeof answer, bytes, length);
    CALL(NR_write, TRIAL_ANSWERS, message, sizeof answer + length);
}

static uint64_t argument(const trial_step *step, unsigned index) {
    uint64_t value = step->arguments[index];
    switch (step->forms >> (2 * index) & 3) {
    case TRIAL_ADDRESS: return (uint64_t)(uintptr_t)(trial_memory + value % TRIAL_MEMORY);
    case TRIAL_RESULT: return (uint64_t)results[value % TRIAL_STEPS];
    default: return value;
    }
}

static void say(uint32_t index, int64_t result, const void *bytes, size_t length) {
    results[index] = result;
    trial_answer_step(request.first + index, result, bytes, length);
}

static int64_t store(uint64_t value, uint64_t at, uint64_t width) {
    if (width > sizeof value || at > TRIAL_MEMORY - sizeof value) return -EINVAL;
    memcpy(trial_memory + at, &value, width);
    return 0;
}

static void take(uint32_t index) {
    const trial_step *step = &steps[index];
    uint64_t given[6];
    for (unsigned i = 0; i < 6; i++) given[i] = argument(step, i);
    if (step->after >= 0 && results[(uint32_t)step->after % TRIAL_STEPS] < 0) {
        say(index, TRIAL_NOT_DONE, 0, 0);
        return;
    }
    switch (step->kind) {
    case TRIAL_CALL:
        say(index, system_call((long)step->number, (long)given[0], (long)given[1], (long)given[2], (long)given[3],
                               (long)given[4], (long)given[5]), 0, 0);
        break;
    case TRIAL_STORE: say(index, store(given[0], given[1], given[2]), 0, 0); break;
    case TRIAL_CONDUCT: say(index, conduct_take(step->number, given), 0, 0); break;
    case TRIAL_TELL: {
        uint64_t offset = given[0] % TRIAL_MEMORY, length = given[1];
        if (length > TRIAL_MEMORY - offset) length = 0;
        say(index, (int64_t)length, trial_memory + offset, length);
        break;
    }
    default: say(index, -EINVAL, 0, 0);
    }
}

_Noreturn void start(const uint64_t *stack) {
    (void)stack;
    if (!read_request()) leave(2);
    trial_answer_step(TRIAL_BEGUN, 0, 0, 0);
    for (uint32_t i = 0; i < request.steps; i++) take(i);
    leave(0);
}
