#include "answers.h"

#include "ends.h"
#include "loop.h"
#include "passing.h"
#include "warden.h"

// The longest time that an answer with a descriptor waits while too many descriptors of this user are in flight. A
// descriptor is in flight from its sending until it is received.
#define CROWDED_LONGEST_NS 2000000000u

// Returns 0, -EAGAIN if the socket has no room until the broker reads, or -ETOOMANYREFS if too many descriptors are
// in flight. The kernel counts a user's descriptors in flight, in all sockets and from all senders, against this
// process's limit.
static long send_answer(const annex_answer *answer, int descriptor) {
    long sent = passing_send(ANNEX_WARDEN_CONTROL, answer, sizeof *answer, descriptor, MSG_DONTWAIT);
    if (sent == -EAGAIN || sent == -ETOOMANYREFS) return sent;
    // Any other error means that the broker no longer reads.
    if (sent < 0) warden.answers.is_unheard = 1;
    return 0;
}

static int descriptor_of(const struct child *child, uint32_t kind) {
    switch (kind) {
        case ANNEX_ANSWER_STARTED: return child->pidfd;
        case ANNEX_ANSWER_SCRATCH: return child->scratch;
        case ANNEX_ANSWER_LISTENER: return child->listener;
        default: return -1;
    }
}

static void close_scratch(struct child *child) {
    close_descriptor(child->scratch);
    child->scratch = -1;
}

static long send_about(struct child *child, uint32_t kind) {
    child->answer.kind = kind;
    if (kind == ANNEX_ANSWER_ENDED) child->answer.detail = child->leaves_others;
    // A broker that receives ENDED may count open descriptors, so the descriptors of the launch are closed before
    // ENDED is sent.
    if (kind == ANNEX_ANSWER_ENDED) children_close(child);
    long result = send_answer(&child->answer, descriptor_of(child, kind));
    if (result == 0 && kind == ANNEX_ANSWER_SCRATCH) close_scratch(child);
    if (result == 0 && kind == ANNEX_ANSWER_STARTED) loop_started_sent(child);
    // The broker has the listener now. The code inside the sandbox must not run before this point.
    if (result == 0 && kind == ANNEX_ANSWER_LISTENER) loop_listener_sent(child);
    return result;
}

// Without the answer, the broker has no handle of the process or no listener for its denied calls. So the warden
// kills the process and reports this failure instead.
static void give_up(struct child *child, uint32_t kind) {
    // The broker can do without this directory.
    if (kind == ANNEX_ANSWER_SCRATCH) {
        close_scratch(child);
        child->pending &= ~(1u << kind);
        return;
    }
    uint32_t step = kind == ANNEX_ANSWER_STARTED ? ANNEX_STEP_CLONE : ANNEX_STEP_LISTENER;
    child->pending &= ~(1u << ANNEX_ANSWER_STARTED | 1u << ANNEX_ANSWER_LISTENER | 1u << ANNEX_ANSWER_EXECUTED);
    child->outcome = UNDECIDED;
    children_fail(child, step, ETOOMANYREFS, 0);
    ends_kill(child);
}

static void note_crowd(struct child *child, uint32_t kind) {
    uint64_t now = clock_now();
    if (child->crowded_since == 0) child->crowded_since = now;
    if (now - child->crowded_since > CROWDED_LONGEST_NS) give_up(child, kind);
    // The warden sends the remaining answers in the next turn.
    warden.answers.is_crowded = 1;
}

void answers_flush(struct child *child) {
    for (uint32_t kind = ANNEX_ANSWER_STARTED; kind <= ANNEX_ANSWER_ENDED; kind++) {
        if ((child->pending & 1u << kind) == 0) continue;
        long result = send_about(child, kind);
        if (result == -EAGAIN) warden.answers.is_waiting = 1;
        if (result == -ETOOMANYREFS) note_crowd(child, kind);
        if (result < 0) return;
        child->crowded_since = 0;
        child->pending &= ~(1u << kind);
        if (kind == ANNEX_ANSWER_ENDED) children_release(child);
    }
}

void answers_flush_all(void) {
    warden.answers.is_waiting = warden.answers.is_crowded = 0;
    for (uint32_t i = 0; i < children_end() && !warden.answers.is_waiting; i++) {
        struct child *child = children_at(i);
        if (child->used && child->pending != 0) answers_flush(child);
    }
}

void answers_hello(int process, int error, uint32_t beginning) {
    annex_answer hello = {
        .kind = ANNEX_ANSWER_HELLO, .version = ANNEX_WARDEN_VERSION, .process = process, .error = error,
        .detail = beginning, .controls = warden.speculation.in_force};
    send_answer(&hello, -1);
}
