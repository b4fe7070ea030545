// The loops, for contenders in C. A contender in another language has the same loops over the same steps.
#include "payload.h"

#include <stdio.h>

static bool one_call(bench_run *run, const bench_contender *contender, void *link) {
    const bench_plan *plan = run->plan;
    bench_write(run->request, plan->request, run->number, true);
    size_t size = contender->call(link, run->request, plan->request, run->reply, run->room);
    if (!size) return false;
    bench_note(run, size, contender->place ? contender->place(link) : NULL);
    return true;
}

static bool calls(bench_run *run, const bench_contender *contender, void *link) {
    uint64_t start, batch = run->phases[run->phase].batch;
    while (bench_due(run, &start)) {
        for (uint64_t i = 0; i < batch; i++)
            if (!one_call(run, contender, link)) return false;
        bench_record(run, bench_now() - start);
        if (contender->after) contender->after(link);
    }
    return true;
}

// Sends messages without answers, and one question after all of them.
static bool posts(bench_run *run, const bench_contender *contender, void *link) {
    const bench_plan *plan = run->plan;
    uint64_t start, batch = run->phases[run->phase].batch;
    while (bench_due(run, &start)) {
        for (uint64_t i = 0; i < batch; i++) {
            bench_write(run->request, plan->request, run->number++, false);
            bool flush = (i + 1) % plan->flush == 0 || i + 1 == batch;
            if (!contender->post(link, run->request, plan->request, flush)) return false;
        }
        bench_record(run, bench_now() - start);
    }
    return bench_drain(contender->call, link);
}

typedef bool (*body)(bench_run *run, const bench_contender *contender, void *link);

static bool phase(bench_run *run, uint64_t batch, body body, const bench_contender *contender, void *link) {
    bench_phase(run, batch);
    bool done = body(run, contender, link);
    bench_phase_end(run);
    return done;
}

static bool phases(bench_run *run, const bench_contender *contender, void *link) {
    uint64_t batch = run->plan->batch;
    if (run->plan->loop == bench_one_way) return phase(run, batch, posts, contender, link);
    if (batch > 1 && !phase(run, batch, calls, contender, link)) return false;
    return phase(run, 1, calls, contender, link);
}

int bench_measure(const bench_plan *plan, const bench_contender *contender, void *link) {
    bench_run run;
    if (!bench_begin(&run, plan) || !bench_settle(&run, contender->call, contender->place, link)) return 1;
    if (!phases(&run, contender, link)) {
        fprintf(stderr, "%s: a message was not answered\n", plan->contender);
        return 1;
    }
    return bench_finish(&run, contender->call, link);
}
