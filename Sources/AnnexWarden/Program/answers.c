#include "answers.h"

#include "loop.h"
#include "syscalls.h"

static int waiting, unheard;

// One descriptor as control data, laid out as the kernel aligns it.
struct passed {
    struct control_header header;
    int32_t descriptor;
    int32_t padding;
};

// 0, or -EAGAIN when the broker has to read first.
static long send_answer(const annex_answer *answer, int descriptor) {
    struct passed passed = {
        .header = {.length = sizeof passed.header + sizeof passed.descriptor, .level = SOL_SOCKET, .type = SCM_RIGHTS},
        .descriptor = descriptor,
    };
    struct buffer buffer = {.base = (void *)(uintptr_t)answer, .length = sizeof *answer};
    struct message message = {.buffers = &buffer, .count = 1};
    if (descriptor >= 0) {
        message.control = &passed;
        message.control_length = sizeof passed;
    }
    long sent = CALL(NR_sendmsg, ANNEX_WARDEN_CONTROL, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent == -EAGAIN) return sent;
    // Whatever else went wrong, nobody listens any more.
    if (sent < 0) unheard = 1;
    return 0;
}

static long send_about(struct child *child, uint32_t kind) {
    child->answer.kind = kind;
    // Who hears the last word may count: nothing is held for the launch any more.
    if (kind == ANNEX_ANSWER_ENDED) children_close(child);
    if (kind == ANNEX_ANSWER_STARTED) return send_answer(&child->answer, child->pidfd);
    if (kind != ANNEX_ANSWER_LISTENER) return send_answer(&child->answer, -1);
    long result = send_answer(&child->answer, child->listener);
    // The broker has it: only now may the code inside run.
    if (result == 0) loop_listener_sent(child);
    return result;
}

void answers_flush(struct child *child) {
    for (uint32_t kind = ANNEX_ANSWER_STARTED; kind <= ANNEX_ANSWER_ENDED; kind++) {
        if ((child->pending & 1u << kind) == 0) continue;
        if (send_about(child, kind) == -EAGAIN) {
            waiting = 1;
            return;
        }
        child->pending &= ~(1u << kind);
        if (kind == ANNEX_ANSWER_ENDED) children_release(child);
    }
}

void answers_flush_all(void) {
    waiting = 0;
    for (uint32_t i = 0; i < children_end() && !waiting; i++) {
        struct child *child = children_at(i);
        if (child->used && child->pending != 0) answers_flush(child);
    }
}

int answers_waiting(void) { return waiting; }

int answers_unheard(void) { return unheard; }

void answers_hello(int process, int error) {
    annex_answer hello = {
        .kind = ANNEX_ANSWER_HELLO, .version = ANNEX_WARDEN_VERSION, .process = process, .error = error};
    send_answer(&hello, -1);
}
