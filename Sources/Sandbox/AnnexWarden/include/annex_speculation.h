// Controls against side channels of the processor, and what the kernel's answers say of each. Without system calls, so
// that every answer can be tried on any machine.
#ifndef ANNEX_SPECULATION_H
#define ANNEX_SPECULATION_H

#include <stdint.h>

// The controls, as bits.
enum {
    ANNEX_CONTROL_STORE_BYPASS = 1u << 0,       // loads do not run ahead of stores
    ANNEX_CONTROL_INDIRECT_BRANCHES = 1u << 1,  // no branch is predicted by what others trained
    ANNEX_CONTROL_CORE = 1u << 2,               // a core runs nothing beside the sandbox while it runs it
};

typedef enum {
    ANNEX_CONTROL_ABSENT,   // the kernel or the processor does not offer it
    ANNEX_CONTROL_HELD,     // in force without a call, and no process inside can undo it
    ANNEX_CONTROL_OFFERED,  // each launch asks for it, and one to which it is refused fails
} annex_control_state;

// The kernel's words (prctl(2)) under names of our own: libraries' headers may define them too.
#define ANNEX_SPEC_PRCTL (1l << 0)
#define ANNEX_SPEC_DISABLE (1l << 2)
#define ANNEX_SPEC_FORCE_DISABLE (1l << 3)
#define ANNEX_NO_DEVICE (-19l)
#define ANNEX_INVALID (-22l)

// ENODEV: no such hardware. EINVAL: the kernel knows no such call. Any other error comes from what stands around this
// process, a filter for example: it does not say that the machine lacks anything.
static inline int annex_control_is_unknown(long answer) {
    return answer == ANNEX_NO_DEVICE || answer == ANNEX_INVALID;
}

// What PR_GET_SPECULATION_CTRL answers: bits, or -errno.
static inline annex_control_state annex_control_of_speculation(long answer) {
    if (annex_control_is_unknown(answer)) return ANNEX_CONTROL_ABSENT;
    if (answer < 0) return ANNEX_CONTROL_OFFERED;
    if ((answer & ANNEX_SPEC_FORCE_DISABLE) != 0) return ANNEX_CONTROL_HELD;
    if ((answer & ANNEX_SPEC_PRCTL) != 0) return ANNEX_CONTROL_OFFERED;
    // Without a say of the process's, off means off for the whole machine, since its start.
    return (answer & ANNEX_SPEC_DISABLE) != 0 ? ANNEX_CONTROL_HELD : ANNEX_CONTROL_ABSENT;
}

// What PR_SCHED_CORE_GET answers: 0, or -errno. A cookie of the host's is no reason to share it.
static inline annex_control_state annex_control_of_core(long answer) {
    return annex_control_is_unknown(answer) ? ANNEX_CONTROL_ABSENT : ANNEX_CONTROL_OFFERED;
}

#endif
