// Makes two real processes, each on its assigned processor.
#define _GNU_SOURCE
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

const char *bench_program(void) { return program_invocation_name; }

int32_t bench_thread(void) { return (int32_t)syscall(SYS_gettid); }

static bool pin(int thread, int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    if (!sched_setaffinity(thread, sizeof set, &set)) return true;
    fprintf(stderr, "cannot run on processor %d: %s\n", processor, strerror(errno));
    return false;
}

bool bench_pin(int processor) { return processor < 0 || pin(0, processor); }

bool bench_pin_all(int processor) {
    if (processor < 0) return true;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return false;
    bool done = true;
    for (struct dirent *task; (task = readdir(tasks));)
        if (task->d_name[0] != '.') done = pin(atoi(task->d_name), processor) && done;
    closedir(tasks);
    return done;
}

int bench_fork(void) {
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    return 0;
}

void bench_leave(int status) { _exit(status); }

void *bench_shared(size_t size) {
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

static const bench_contender *find(const bench_contender *const *contenders, const char *name) {
    for (; *contenders; contenders++)
        if (!strcmp((*contenders)->name, name)) return *contenders;
    return NULL;
}

static int list(const bench_contender *const *contenders) {
    for (; *contenders; contenders++) printf("%s\t%s\n", (*contenders)->name, (*contenders)->about);
    return 0;
}

static int fail(const bench_plan *plan, const char *what) {
    fprintf(stderr, "%s: %s: %s\n", plan->contender, what, strerror(errno));
    return 1;
}

static int client(const bench_plan *plan, const bench_contender *contender, void *shared) {
    if (!bench_pin(plan->client)) return 1;
    void *link = contender->open ? contender->open(plan, shared) : shared;
    return link ? bench_measure(plan, contender, link) : fail(plan, "cannot connect");
}

int bench_main(int count, char **words, const bench_contender *const *contenders) {
    bench_plan plan;
    if (count == 2 && !strcmp(words[1], "list")) return list(contenders);
    if (!bench_parse(&plan, count, words)) return 64;
    const bench_contender *contender = find(contenders, plan.contender);
    if (!contender) return fprintf(stderr, "%s: no such contender: %s\n", words[0], plan.contender), 64;
    uint64_t larger = plan.request > plan.reply ? plan.request : plan.reply;
    if (contender->largest && larger > contender->largest) {
        fprintf(stderr, "%s: at most %llu bytes\n", plan.contender, (unsigned long long)contender->largest);
        return 64;
    }
    if (plan.loop == bench_one_way && !contender->post) {
        return fprintf(stderr, "%s: has no one-way messages\n", plan.contender), 64;
    }
    void *shared = contender->prepare(&plan);
    if (!shared) return fail(&plan, "cannot prepare");
    if (contender->is_alone) return client(&plan, contender, shared);
    int child = bench_fork();
    if (child < 0) return fail(&plan, "fork");
    if (child == 0) {
        if (bench_pin(plan.server)) contender->serve(&plan, shared);
        _exit(1);
    }
    int status = client(&plan, contender, shared);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return status;
}
