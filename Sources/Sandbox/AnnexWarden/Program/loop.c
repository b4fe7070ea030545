#include "loop.h"

#include "answers.h"
#include "bare.h"
#include "ends.h"
#include "launch.h"
#include "network.h"
#include "syscalls.h"
#include "warden.h"

#define EVENTS_AT_ONCE 64
#define REPORTS_AT_ONCE 16
// The interval between checks for conditions that no event reports: whether descriptors in flight have arrived, and
// whether an unwatched child has ended.
#define UNTOLD_LOOK_MS 2
// The time that the loop must be idle before it prepares namespaces for later launches. Within this time, a launched
// extension sends its hello. So the preparation does not compete with the extension for the processor.
#define QUIET_MS 5

// The token of an event. Its kind is in the lowest bits, followed by the slot and the slot's generation.
enum { ABOUT_CONTROL, ABOUT_BROKER, ABOUT_ENDS, ABOUT_REPORT, ABOUT_END };
#define ABOUT_BITS 3

static uint64_t token(const struct child *child, uint32_t about) {
    return (uint64_t)child->generation << 32 | children_index(child) << ABOUT_BITS | about;
}

static long watch(int descriptor, uint32_t events, uint64_t data) {
    struct epoll_entry entry = {.events = events, .data = data};
    return CALL(NR_epoll_ctl, warden.loop.epoll, EPOLL_CTL_ADD, descriptor, &entry);
}

// Ends the watch of a descriptor and closes the descriptor. Closing alone would not end the watch, because the broker
// holds the same pidfd, and a clone may still hold the same socket.
static void unwatch(int *descriptor) {
    if (*descriptor < 0) return;
    CALL(NR_epoll_ctl, warden.loop.epoll, EPOLL_CTL_DEL, *descriptor, 0);
    close_descriptor(*descriptor);
    *descriptor = -1;
}

long loop_prepare(void) {
    long result = CALL(NR_epoll_create1, EPOLL_CLOEXEC);
    if (result < 0) return result;
    warden.loop.epoll = (int)result;
    warden.loop.control = EPOLLIN;
    result = ends_prepare();
    if (result >= 0) result = watch((int)result, EPOLLIN, ABOUT_ENDS);
    if (result >= 0) result = watch(ANNEX_WARDEN_BROKER, EPOLLIN, ABOUT_BROKER);
    return result < 0 ? result : watch(ANNEX_WARDEN_CONTROL, EPOLLIN, ABOUT_CONTROL);
}

// MARK: - Descriptors that arrive

// The descriptors that one message may carry, in the kernel's layout: those of a plan, and the file with its rest.
struct arrived {
    struct control_header header;
    int32_t descriptors[ANNEX_PLAN_DESCRIPTORS + 1];
};

// Without the padding of the structure, in which one more descriptor would have room.
#define ARRIVED_LENGTH (sizeof(struct control_header) + sizeof(int32_t) * (ANNEX_PLAN_DESCRIPTORS + 1))

static uint32_t arrived_count(const struct message *message, const struct arrived *arrived) {
    if (message->control_length < sizeof arrived->header) return 0;
    if (arrived->header.level != SOL_SOCKET || arrived->header.type != SCM_RIGHTS) return 0;
    uint64_t bytes = arrived->header.length - sizeof arrived->header;
    return (uint32_t)(bytes / sizeof arrived->descriptors[0]);
}

// Room for exactly one descriptor.
#define PASSED_ONE (sizeof(struct control_header) + 8)

// MARK: - Children

void loop_watch(struct child *child) {
    long result = watch(child->report, EPOLLIN, token(child, ABOUT_REPORT));
    // The event is edge-triggered, because a debugger may delay the end of a process that it traces. The kernel reports
    // the end again when the debugger detaches.
    if (result >= 0) result = watch(child->pidfd, EPOLLIN | EPOLLET, token(child, ABOUT_END));
    if (result >= 0) return;
    // No event will report the child's end. So the warden kills the child, and checks repeatedly until it has ended.
    children_fail(child, ANNEX_STEP_CLONE, (int32_t)-result, 0);
    ends_kill(child);
    child->is_unwatched = 1;
    warden.loop.unwatched++;
}

// Takes the result of the step LISTENER: the listener, or -errno.
static void record_listener(struct child *child, long result) {
    child->wants_listener = 0;
    if (child->listener_fault != 0) {
        close_descriptor((int)result);
        result = -(long)child->listener_fault;
    }
    // ESRCH means that the process was killed before this report was read. Its end will be reported separately.
    if (result == -ESRCH) return;
    if (result < 0) {
        children_fail(child, ANNEX_STEP_LISTENER, (int32_t)-result, 0);
        ends_kill(child);
        return;
    }
    child->listener = (int)result;
    child->answer.times[ANNEX_STEP_LISTENER] = clock_now();
    children_answer(child, ANNEX_ANSWER_LISTENER);
}

static void take_listener(struct child *child, int number) {
    int holder = child->has_reaper ? child->program : child->pidfd;
    record_listener(child, CALL(NR_pidfd_getfd, holder, number, 0));
}

void loop_listener_sent(struct child *child) {
    static const char go = 1;
    close_descriptor(child->listener);
    child->listener = -1;
    // If the child is gone, this write fails, and the end of the child will be reported. SIGPIPE is blocked.
    if (child->report >= 0) CALL(NR_write, child->report, &go, sizeof go);
}

void loop_started_sent(struct child *child) {
    if (child->outcome == EXECUTED && !child->has_reaper) unwatch(&child->pidfd);
}

static void hear_execution(struct child *child) {
    if (child->outcome != UNDECIDED) return;
    child->outcome = EXECUTED;
    child->answer.times[ANNEX_STEP_EXEC] = clock_now();
    children_answer(child, ANNEX_ANSWER_EXECUTED);
    // From here on, a signal reports the child's end. The pidfd is kept until the answer STARTED, which carries the
    // pidfd, is sent.
    if ((child->pending & 1u << ANNEX_ANSWER_STARTED) == 0) loop_started_sent(child);
}

// Handles a report on the program's execution, stop or end. Only a reaper sends such reports, because no other process
// holds the socket's other end after the program has started.
static void hear_reaper(struct child *child, const struct child_report *report) {
    if (report->kind == REPORT_EXECUTED) hear_execution(child);
    if (report->kind != REPORT_STOPPED && report->kind != REPORT_ENDED) return;
    child->answer.status = report->status;
    if (report->kind == REPORT_STOPPED) {
        children_answer(child, ANNEX_ANSWER_STOPPED);
        return;
    }
    child->has_status = 1;
    child->leaves_others = report->detail == 1;
    child->pending &= ~(1u << ANNEX_ANSWER_STOPPED);
}

static void hear_step(struct child *child, const struct child_report *report) {
    // The warden has recorded the times of its own steps already.
    for (uint32_t i = 0; i < ANNEX_STEP_COUNT; i++) {
        if (report->times[i] != 0) child->answer.times[i] = report->times[i];
    }
    if (report->error != 0) {
        children_fail(child, report->step, report->error, report->detail);
        return;
    }
    child->answer.numbers_error = report->numbers_error;
    if (child->wants_listener && !warden.cannot_take) take_listener(child, report->listener);
}

// Handles the closing of the child's side of the report socket. exec closes this side, or the death of the child
// does.
static void hear_last_of_report(struct child *child) {
    if (!child->has_reaper && ends_executed(child)) hear_execution(child);
    unwatch(&child->report);
}

static void hear_report(struct child *child, const struct child_report *report, int passed) {
    if (report->kind == REPORT_STEP) hear_step(child, report);
    else if (child->has_reaper) hear_reaper(child, report);
    if (report->kind == REPORT_PROGRAM && child->has_reaper && child->program < 0) {
        child->program = passed;
    } else if (report->kind == REPORT_LISTENER && child->wants_listener && passed >= 0) {
        record_listener(child, passed);
    } else if (report->kind == REPORT_SCRATCH && child->has_reaper && child->scratch < 0 && passed >= 0) {
        child->scratch = passed;
        children_answer(child, ANNEX_ANSWER_SCRATCH);
    } else {
        close_descriptor(passed);
    }
}

// Returns 1 if there may be more reports.
static int hear_next(struct child *child) {
    if (child->report < 0) return 0;
    struct child_report report;
    struct arrived arrived;
    struct buffer buffer = {.base = &report, .length = sizeof report};
    struct message message = {.buffers = &buffer, .count = 1, .control = &arrived, .control_length = PASSED_ONE};
    long received = CALL(NR_recvmsg, child->report, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (received == -EAGAIN) return 0;
    // The child ended without reading its "go" message. Its earlier reports can still be read.
    if (received == -ECONNRESET) return 1;
    int passed = received >= 0 && arrived_count(&message, &arrived) == 1 ? arrived.descriptors[0] : -1;
    if (received == sizeof report) hear_report(child, &report, passed);
    else hear_last_of_report(child);
    return 1;
}

void loop_hear(struct child *child) {
    while (hear_next(child)) continue;
}

// Reads a bounded number of reports, so that no child delays the others. The remaining reports cause an event in the
// next turn.
static void hear_some(struct child *child) {
    for (int i = 0; i < REPORTS_AT_ONCE && hear_next(child); i++) continue;
}

static void end_child(struct child *child) {
    // Reports that the child sent before its end are handled before the end.
    loop_hear(child);
    if (!ends_reap(child)) return;
    // The answer STARTED may still need the pidfd, so only the release of the slot closes it.
    if (child->is_unwatched) warden.loop.unwatched--;
    if (child->pidfd >= 0) CALL(NR_epoll_ctl, warden.loop.epoll, EPOLL_CTL_DEL, child->pidfd, 0);
    unwatch(&child->report);
    // If the outcome is undecided, the child was killed before it executed, and it reported no failure. So no step of
    // the launch itself failed.
    children_fail(child, ANNEX_STEP_EXEC, 0, 0);
    child->pending &= ~(1u << ANNEX_ANSWER_LISTENER | 1u << ANNEX_ANSWER_STOPPED);
}

static void hear_ends(void) {
    warden.loop.ends_left = 1;
    for (int i = 0; i < EVENTS_AT_ONCE; i++) {
        int process = ends_next();
        if (process <= 0) {
            warden.loop.ends_left = 0;
            return;
        }
        struct child *child = children_with(process);
        if (child == 0) ends_forget(process);
        else end_child(child);
        // The answers are sent before the other children are checked, because checking a thousand children takes long.
        if (child != 0) answers_flush(child);
    }
}

static void look_after_unwatched(void) {
    for (uint32_t i = 0; i < children_end() && warden.loop.unwatched > 0; i++) {
        struct child *child = children_at(i);
        if (!child->used || !child->is_unwatched || child->has_ended) continue;
        end_child(child);
        answers_flush(child);
    }
}

// MARK: - Plans

static void refuse(struct child *child, uint32_t step, int32_t error) {
    children_fail(child, step, error, 0);
    children_answer(child, ANNEX_ANSWER_ENDED);
}

// Reads the rest of a long plan from the file of the last descriptor, and closes this descriptor. Returns the plan's
// whole length. If the file is too short or is no file, this length differs from the plan's size, and the check of the
// plan fails. A read at an offset never waits for another program.
static size_t receive_rest(size_t length, const struct arrived *arrived, uint32_t *count) {
    if (length != ANNEX_PLAN_PACKET || *count == 0) return length;
    uint32_t size = ((const annex_plan *)launch_memory.plan)->size;
    if (size <= ANNEX_PLAN_PACKET || size > ANNEX_PLAN_LARGEST) return length;
    int file = arrived->descriptors[--*count];
    long read = 1;
    while (read > 0 && length < size) {
        read = CALL(NR_pread64, file, launch_memory.plan + length, size - length, length - ANNEX_PLAN_PACKET);
        if (read > 0) length += (size_t)read;
    }
    close_descriptor(file);
    return length;
}

static void receive_plan(void) {
    struct arrived arrived;
    struct buffer buffer = {.base = launch_memory.plan, .length = ANNEX_PLAN_PACKET};
    struct message message = {
        .buffers = &buffer, .count = 1, .control = &arrived, .control_length = ARRIVED_LENGTH};
    long received = CALL(NR_recvmsg, ANNEX_WARDEN_CONTROL, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (received == -EAGAIN || received == -EINTR) return;
    if (received <= 0) {
        warden.loop.broker_gone = 1;
        return;
    }
    launch_clear_rest((size_t)received);
    uint32_t count = arrived_count(&message, &arrived);
    int cut = (message.flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    size_t length = cut ? (size_t)received : receive_rest((size_t)received, &arrived, &count);
    cut |= count > ANNEX_PLAN_DESCRIPTORS;
    // The last slot is used only to reject plans. It is free again after the rejection was sent, and until then the
    // warden reads no plan.
    struct child *child = children_take(1);
    int full = child == 0;
    if (full) child = children_take(0);
    if (child == 0) return;
    if (cut || full) {
        child->answer.launch = plan_launch(launch_memory.plan, length);
        refuse(child, cut ? ANNEX_STEP_PLAN : ANNEX_STEP_CLONE, cut ? EMSGSIZE : EAGAIN);
        for (uint32_t i = 0; i < count; i++) close_descriptor(arrived.descriptors[i]);
    } else {
        launch_begin(child, length, arrived.descriptors, count);
    }
    if (length > ANNEX_PLAN_PACKET) launch_forget(length);
    answers_flush(child);
}

// MARK: - Events

static void handle(const struct epoll_entry *event) {
    uint32_t about = (uint32_t)event->data & ((1u << ABOUT_BITS) - 1);
    if (about == ABOUT_BROKER) warden.loop.broker_gone = 1;
    if (about == ABOUT_CONTROL && !warden.answers.is_waiting) receive_plan();
    if (about == ABOUT_ENDS) hear_ends();
    if (about < ABOUT_REPORT) return;
    struct child *child = children_at((uint32_t)event->data >> ABOUT_BITS);
    if (child == 0 || !child->used || child->generation != event->data >> 32) return;
    if (about == ABOUT_REPORT) hear_some(child);
    if (about == ABOUT_END) end_child(child);
    answers_flush(child);
}

// While an answer waits, the loop waits only for room for this answer. It reads no plan, because a plan would add
// answers.
static void listen_to_control(void) {
    uint32_t wanted = warden.answers.is_waiting ? EPOLLOUT : EPOLLIN;
    if (wanted == warden.loop.control) return;
    struct epoll_entry entry = {.events = wanted, .data = ABOUT_CONTROL};
    CALL(NR_epoll_ctl, warden.loop.epoll, EPOLL_CTL_MOD, ANNEX_WARDEN_CONTROL, &entry);
    warden.loop.control = wanted;
}

static void make_spares(void) {
    if (warden.network.is_due) network_make_spare();
    if (warden.bare.is_due) bare_make();
}

// The timeout for the next turn in milliseconds. -1 means no timeout.
static int patience(void) {
    if (warden.loop.ends_left) return 0;
    if (warden.answers.is_crowded || warden.loop.unwatched > 0) return UNTOLD_LOOK_MS;
    return warden.network.is_due || warden.bare.is_due ? QUIET_MS : -1;
}

void loop_run(void) {
    struct epoll_entry events[EVENTS_AT_ONCE];
    while (!warden.loop.broker_gone && !warden.answers.is_unheard) {
        listen_to_control();
        int waited = patience();
        long count = CALL(NR_epoll_pwait, warden.loop.epoll, events, EVENTS_AT_ONCE, waited, 0, SIGNAL_SET_SIZE);
        if (count == 0 && waited == QUIET_MS) make_spares();
        if (warden.answers.is_waiting || warden.answers.is_crowded) answers_flush_all();
        if (warden.loop.ends_left) hear_ends();
        look_after_unwatched();
        for (long i = 0; i < count; i++) handle(&events[i]);
    }
}
