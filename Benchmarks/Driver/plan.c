// The command line of every contender.
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { const char *word; int value; } choice;

static const choice loops[] = {{"closed", bench_closed}, {"open", bench_open}, {"one-way", bench_one_way}, {0, 0}};
static const choice waitings[] = {{"spin", bench_spin}, {"adaptive", bench_adaptive}, {"block", bench_block}, {0, 0}};

static bool choose(const choice *choices, const char *word, int *value) {
    for (; choices->word; choices++)
        if (!strcmp(choices->word, word)) return *value = choices->value, true;
    return false;
}

static bool number(const char *word, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(word, &end, 10);
    return !errno && end != word && !*end && *word != '-';
}

static bool processor(const char *word, int *value) {
    uint64_t found;
    if (!strcmp(word, "any")) return *value = -1, true;
    if (!number(word, &found) || found > 4095) return false;
    return *value = (int)found, true;
}

static bool take(bench_plan *plan, const char *key, const char *value) {
    int chosen;
    if (!strcmp(key, "loop")) return choose(loops, value, &chosen) && (plan->loop = (bench_loop)chosen, true);
    if (!strcmp(key, "waiting")) return choose(waitings, value, &chosen) && (plan->waiting = (bench_waiting)chosen, true);
    if (!strcmp(key, "request")) return number(value, &plan->request);
    if (!strcmp(key, "reply")) return number(value, &plan->reply);
    if (!strcmp(key, "batch")) return number(value, &plan->batch) && plan->batch > 0;
    if (!strcmp(key, "flush")) return number(value, &plan->flush) && plan->flush > 0;
    if (!strcmp(key, "gap")) return number(value, &plan->gap);
    if (!strcmp(key, "interval")) return number(value, &plan->interval);
    if (!strcmp(key, "delay")) return number(value, &plan->delay);
    if (!strcmp(key, "milliseconds")) return number(value, &plan->milliseconds);
    if (!strcmp(key, "most")) return number(value, &plan->most);
    if (!strcmp(key, "client")) return processor(value, &plan->client);
    if (!strcmp(key, "server")) return processor(value, &plan->server);
    if (!strcmp(key, "samples")) return plan->samples = value, true;
    if (!strcmp(key, "file")) return plan->file = value, true;
    if (!strcmp(key, "bytes")) return number(value, &plan->bytes);
    if (!strcmp(key, "extra")) return plan->extra = value, true;
    return false;
}

bool bench_parse(bench_plan *plan, int count, char **words) {
    *plan = (bench_plan){
        .request = 64, .reply = 64, .batch = 1, .flush = 1, .milliseconds = 200, .most = 1000000, .client = -1,
        .server = -1, .extra = ""};
    if (count < 2) return fprintf(stderr, "usage: %s CONTENDER key=value…\n", words[0]), false;
    plan->contender = words[1];
    for (int i = 2; i < count; i++) {
        char *equals = strchr(words[i], '=');
        if (equals) *equals = 0;
        bool taken = equals && take(plan, words[i], equals + 1);
        if (equals) *equals = '=';
        if (!taken) return fprintf(stderr, "%s: not understood: %s\n", words[0], words[i]), false;
    }
    bool fits = plan->request >= bench_smallest && plan->reply >= bench_smallest && plan->most > 0
        && plan->reply <= 0xFFFFFFFFu && plan->delay <= 0xFFFFFFFFu && (plan->loop != bench_open || plan->interval > 0);
    if (!fits) fprintf(stderr, "%s: sizes from 16 bytes, some samples, an open loop with an interval\n", words[0]);
    return fits;
}
