// One measurement: phases of samples. They are written unchanged to a file, from which the command makes histograms.
#define _GNU_SOURCE
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// The memory is touched before the measurement, so that no page fault is measured.
static void *filled(size_t size) {
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

bool bench_begin(bench_run *run, const bench_plan *plan) {
    size_t largest = plan->request > plan->reply ? plan->request : plan->reply;
    *run = (bench_run){.plan = plan, .number = 1, .room = plan->reply < 64 ? 64 : plan->reply};
    run->request = filled(largest + 4096);
    run->reply = filled(largest + 4096);
    uint64_t *samples = filled(2 * plan->most * sizeof *samples);
    run->phases[0].samples = samples;
    run->phases[1].samples = samples + plan->most;
    if (run->request && run->reply && samples) return true;
    fprintf(stderr, "%s: cannot begin: %s\n", plan->contender, strerror(errno));
    return false;
}

void bench_note(bench_run *run, size_t size, const void *place) {
    const void *reply = place ? place : run->reply;
    if (size != run->plan->reply || !bench_check(reply, size, run->number)) run->wrong++;
    run->number++;
}

bool bench_settle(bench_run *run, bench_call call, bench_place place, void *link) {
    const bench_plan *plan = run->plan;
    if (!bench_configure(call, link, plan->reply, plan->delay)) {
        fprintf(stderr, "%s: the other side does not answer\n", plan->contender);
        return false;
    }
    // Warms up both sides' caches and tables, and all that a contender learns about its peer.
    uint64_t until = bench_now() + 50000000;
    for (int i = 0; i < 3 || (i < 20000 && bench_now() < until); i++) {
        bench_write(run->request, plan->request, run->number, true);
        size_t size = call(link, run->request, plan->request, run->reply, run->room);
        bench_note(run, size, place ? place(link) : NULL);
    }
    if (!bench_ask_processor(call, link, &run->begun_server)) return false;
    run->begun_processor = processor_time();
    run->begun = bench_now();
    return true;
}

void bench_phase(bench_run *run, uint64_t batch) {
    run->phases[run->phase].batch = batch;
    run->next = bench_now();
    run->until = run->next + run->plan->milliseconds * 1000000;
}

void bench_phase_end(bench_run *run) { run->phase++; }

static void sleep_until(uint64_t moment) {
    struct timespec time = {(time_t)(moment / 1000000000), (long)(moment % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
}

bool bench_due(bench_run *run, uint64_t *start) {
    const bench_plan *plan = run->plan;
    uint64_t count = run->phases[run->phase].count;
    if (count >= plan->most) return false;
    uint64_t now = bench_now();
    // In an open loop every call is made, even if its time has passed. Otherwise a stall would hide the calls behind
    // it.
    uint64_t moment = plan->loop == bench_open ? run->next : now;
    if (moment >= run->until && count > 0) return false;
    if (plan->loop == bench_open) {
        // A call's time counts from its appointed moment, even if the call before it was late. At a fixed rate, the
        // wait in the queue is part of a call's time. Without it, slow calls would not show.
        *start = run->next;
        run->next += plan->interval;
        if (*start > now + 200000) sleep_until(*start - 100000);
        while (bench_now() < *start) bench_pause();
        return true;
    }
    if (plan->gap) {
        sleep_until(now + plan->gap);
        now = bench_now();
    }
    *start = now;
    return true;
}

void bench_record(bench_run *run, uint64_t nanoseconds) {
    run->phases[run->phase].samples[run->phases[run->phase].count++] = nanoseconds;
    run->calls += run->phases[run->phase].batch;
}

bool bench_drain(bench_call call, void *link) {
    uint64_t received;
    return bench_ask_received(call, link, &received);
}

static bool write_all(int file, const void *bytes, size_t size) {
    for (const char *at = bytes; size > 0;) {
        ssize_t count = write(file, at, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

// The samples are written after the measurement, so that writing is not measured.
static bool save(const bench_run *run) {
    const char *path = run->plan->samples;
    if (!path) return true;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool done = file >= 0;
    for (unsigned i = 0; done && i < run->phase; i++) {
        uint64_t head[2] = {run->phases[i].batch, run->phases[i].count};
        done = write_all(file, head, sizeof head)
            && write_all(file, run->phases[i].samples, run->phases[i].count * sizeof(uint64_t));
    }
    if (file >= 0 && close(file)) done = false;
    if (!done) fprintf(stderr, "%s: %s: %s\n", run->plan->contender, path, strerror(errno));
    return done;
}

int bench_finish(bench_run *run, bench_call call, void *link) {
    uint64_t server = 0, received = 0, wrong = 0;
    uint64_t elapsed = bench_now() - run->begun, processor = processor_time() - run->begun_processor;
    bool told = bench_ask_processor(call, link, &server) && bench_ask_received(call, link, &received)
        && bench_ask_wrong(call, link, &wrong);
    if (!told) return fprintf(stderr, "%s: the other side does not answer any more\n", run->plan->contender), 1;
    wrong += run->wrong;
    // Every message has arrived, also the messages of the warm-up.
    if (received != run->number - 1) wrong++;
    if (!save(run)) return 1;
    printf("{\"calls\":%" PRIu64 ",\"wrong\":%" PRIu64 ",\"elapsed\":%" PRIu64 ",\"clientProcessor\":%" PRIu64
        ",\"serverProcessor\":%" PRIu64 "}\n",
        run->calls, wrong, elapsed, processor, server - run->begun_server);
    fflush(stdout);
    if (wrong) fprintf(stderr, "%s: %" PRIu64 " messages were not what was sent\n", run->plan->contender, wrong);
    return wrong ? 1 : 0;
}
