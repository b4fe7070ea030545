// Functions for an epoll instance and for the thread that waits on it.
#ifndef C_ANNEX_EVENTS_H
#define C_ANNEX_EVENTS_H

#include <stdint.h>

enum {
    ANNEX_READY_READABLE = 1,
    ANNEX_READY_HANGUP = 2,
};

typedef struct {
    uint64_t token;
    uint32_t ready;  // ANNEX_READY_*
    uint32_t reserved;
} annex_event;

int annex_event_queue(void);
int annex_event_add(int queue, int descriptor, uint64_t token);
// Adds a descriptor that raises alarms (EPOLLPRI) instead of delivering bytes. Each alarm is reported once.
int annex_event_add_stream(int queue, int descriptor, uint64_t token);
int annex_event_add_alarm(int queue, int descriptor, uint64_t token);
int annex_event_remove(int queue, int descriptor);
// Waits for at most `nanoseconds` of CLOCK_MONOTONIC (negative: without limit). Returns the number of events, at most
// `room` and at most 64, or -errno.
int annex_event_wait(int queue, annex_event *events, int room, int64_t nanoseconds);

// Makes a counter (eventfd). If the counter is increased, the thread that waits for it wakes.
int annex_event_counter(void);
int annex_event_counter_add(int counter);
int annex_event_counter_clear(int counter);

// Makes a timer of CLOCK_MONOTONIC. Each expiry is reported once.
int annex_event_timer(void);
int annex_event_add_timer(int queue, int timer, uint64_t token);
// Sets the timer. A deadline of 0 switches it off.
int annex_event_timer_set(int timer, uint64_t deadline);

// Starts a joinable thread. All signals are blocked on the thread, except the signals of its own faults (listed in the
// function). So only the program's handlers for these fault signals can run on the thread. Returns 0 or -errno, and
// stores the thread's handle in `*thread`.
int annex_thread_start(const char *name, void (*body)(void *), void *context, uint64_t *thread);
int annex_thread_join(uint64_t thread);
int annex_thread_detach(uint64_t thread);
uint64_t annex_thread_current(void);

#endif
