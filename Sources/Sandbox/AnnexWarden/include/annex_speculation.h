// The controls against side channels of the processor, and the meaning of the kernel's answers about each. This header
// makes no system call, so tests can try every answer on any machine.
#ifndef ANNEX_SPECULATION_H
#define ANNEX_SPECULATION_H

#include <stdint.h>

// The controls, as bits.
enum {
    ANNEX_CONTROL_STORE_BYPASS = 1u << 0,       // loads do not run ahead of stores
    ANNEX_CONTROL_INDIRECT_BRANCHES = 1u << 1,  // other processes cannot train the branch prediction
    ANNEX_CONTROL_CORE = 1u << 2,               // while it runs the sandbox, a core runs nothing else
};

typedef enum {
    ANNEX_CONTROL_ABSENT,   // the kernel or the processor does not offer it
    ANNEX_CONTROL_HELD,     // in force without a call, and no process inside can undo it
    ANNEX_CONTROL_OFFERED,  // each launch requests it, and fails if that is refused
} annex_control_state;

// The constants of prctl(2) under other names, because library headers may define them too.
#define ANNEX_SPEC_PRCTL (1l << 0)
#define ANNEX_SPEC_DISABLE (1l << 2)
#define ANNEX_SPEC_FORCE_DISABLE (1l << 3)
#define ANNEX_NO_DEVICE (-19l)
#define ANNEX_INVALID (-22l)

// ENODEV means that the hardware does not exist. EINVAL means that the kernel does not have the call. Other errors come
// from the process's surroundings, such as a filter, and do not mean that the machine lacks the control.
static inline int annex_control_is_unknown(long answer) {
    return answer == ANNEX_NO_DEVICE || answer == ANNEX_INVALID;
}

// Interprets the result of PR_GET_SPECULATION_CTRL: bits, or -errno.
static inline annex_control_state annex_control_of_speculation(long answer) {
    if (annex_control_is_unknown(answer)) return ANNEX_CONTROL_ABSENT;
    if (answer < 0) return ANNEX_CONTROL_OFFERED;
    if ((answer & ANNEX_SPEC_FORCE_DISABLE) != 0) return ANNEX_CONTROL_HELD;
    if ((answer & ANNEX_SPEC_PRCTL) != 0) return ANNEX_CONTROL_OFFERED;
    // If the answer lacks PR_SPEC_PRCTL, a process cannot choose. In this case, "disabled" applies to the whole machine
    // since its start.
    return (answer & ANNEX_SPEC_DISABLE) != 0 ? ANNEX_CONTROL_HELD : ANNEX_CONTROL_ABSENT;
}

// Interprets the result of PR_SCHED_CORE_GET, which reads a process's cookie of core scheduling: 0, or -errno. If the
// host itself has a cookie, a sandbox still gets its own cookie.
static inline annex_control_state annex_control_of_core(long answer) {
    return annex_control_is_unknown(answer) ? ANNEX_CONTROL_ABSENT : ANNEX_CONTROL_OFFERED;
}

#endif
