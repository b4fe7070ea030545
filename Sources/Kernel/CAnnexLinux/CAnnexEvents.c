#define _GNU_SOURCE
#include "CAnnexEvents.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#define ANNEX_EVENTS_AT_ONCE 64

static int result(long value) { return value < 0 ? -errno : (int)value; }

int annex_event_queue(void) { return result(epoll_create1(EPOLL_CLOEXEC)); }

static int add(int queue, int descriptor, uint64_t token, uint32_t events) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return result(epoll_ctl(queue, EPOLL_CTL_ADD, descriptor, &event));
}

int annex_event_add(int queue, int descriptor, uint64_t token) {
    return add(queue, descriptor, token, EPOLLIN | EPOLLRDHUP);
}

int annex_event_add_stream(int queue, int descriptor, uint64_t token) {
    return add(queue, descriptor, token, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
}

int annex_event_add_alarm(int queue, int descriptor, uint64_t token) {
    return add(queue, descriptor, token, EPOLLPRI);
}

int annex_event_remove(int queue, int descriptor) {
    return result(epoll_ctl(queue, EPOLL_CTL_DEL, descriptor, (void *)0));
}

static uint32_t ready(uint32_t events) {
    return (events & (EPOLLIN | EPOLLPRI) ? ANNEX_READY_READABLE : 0u)
        | (events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR) ? ANNEX_READY_HANGUP : 0u);
}

int annex_event_wait(int queue, annex_event *events, int room, int64_t nanoseconds) {
    struct epoll_event found[ANNEX_EVENTS_AT_ONCE];
    struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    if (room > ANNEX_EVENTS_AT_ONCE) room = ANNEX_EVENTS_AT_ONCE;
    long count = syscall(SYS_epoll_pwait2, queue, found, room, nanoseconds < 0 ? (void *)0 : &limit, (void *)0, 0);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (long index = 0; index < count; index++)
        events[index] = (annex_event){.token = found[index].data.u64, .ready = ready(found[index].events)};
    return (int)count;
}

int annex_event_counter(void) { return result(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int annex_event_counter_add(int counter) {
    // If the counter is full, the reader is already waking.
    return eventfd_write(counter, 1) < 0 && errno != EAGAIN ? -errno : 0;
}

int annex_event_counter_clear(int counter) {
    eventfd_t value;
    return eventfd_read(counter, &value) < 0 && errno != EAGAIN ? -errno : 0;
}

int annex_event_timer(void) { return result(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)); }

int annex_event_add_timer(int queue, int timer, uint64_t token) {
    // The event is edge-triggered, so that the expiry count need not be read.
    return add(queue, timer, token, EPOLLIN | EPOLLET);
}

int annex_event_timer_set(int timer, uint64_t deadline) {
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(deadline / 1000000000), .tv_nsec = (long)(deadline % 1000000000)}};
    return result(timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, (void *)0));
}

typedef struct {
    void (*body)(void *);
    void *context;
    char name[16];  // with its end; the kernel keeps no more
} annex_thread;

static void *run(void *memory) {
    annex_thread thread = *(annex_thread *)memory;
    free(memory);
    // The thread names itself. Its creator would have to open the thread's file in /proc. The kernel then forgets that file
    // when the thread ends, and whoever collects the process meanwhile spins until it has: milliseconds on a busy machine.
    (void)prctl(PR_SET_NAME, thread.name);
    thread.body(thread.context);
    return (void *)0;
}

int annex_thread_start(const char *name, void (*body)(void *), void *context, uint64_t *thread) {
    annex_thread *start = malloc(sizeof *start);
    if (!start) return -ENOMEM;
    *start = (annex_thread){.body = body, .context = context};
    strncpy(start->name, name, sizeof start->name - 1);
    // A thread inherits its creator's mask, so the mask is set during the creation. The signals of the thread's own
    // faults stay unblocked. If they were blocked, a fault would end the program without running its crash handler.
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all, before;
    sigfillset(&all);
    for (unsigned index = 0; index < sizeof faults / sizeof *faults; index++) sigdelset(&all, faults[index]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t made;
    int error = pthread_create(&made, (void *)0, run, start);
    pthread_sigmask(SIG_SETMASK, &before, (void *)0);
    if (error) {
        free(start);
        return -error;
    }
    *thread = (uint64_t)made;
    return 0;
}

int annex_thread_join(uint64_t thread) { return -pthread_join((pthread_t)thread, (void *)0); }

int annex_thread_detach(uint64_t thread) { return -pthread_detach((pthread_t)thread); }

uint64_t annex_thread_current(void) { return (uint64_t)pthread_self(); }
