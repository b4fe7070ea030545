// The contents of a file by the tool that everyone has: `cat FILE > /dev/null` copies them once, as an extension does.
#define _GNU_SOURCE
#include "floors.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct reader {
    const bench_plan *plan;
    bench_server server;
} reader;

static void *prepare(const bench_plan *plan) {
    reader *link = calloc(1, sizeof *link);
    if (!link || !bench_file_ready(plan)) return NULL;
    link->plan = plan;
    return link;
}

// Starts cat on the processor of the other side.
static pid_t start(const reader *link, int output) {
    char *words[] = {"cat", (char *)link->plan->file, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    bool done = bench_pin(link->plan->server) && !posix_spawnp(&child, "cat", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return bench_pin(link->plan->client) && done ? child : -1;
}

static bool has_ended_well(pid_t child) {
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool run(const reader *link) {
    int output = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (output < 0) return false;
    pid_t child = start(link, output);
    close(output);
    return has_ended_well(child);
}

static size_t call(void *state, const void *request, size_t size, void *reply, size_t room) {
    reader *link = state;
    uint64_t first;
    memcpy(&first, request, sizeof first);
    if ((first & 0xFF) == bench_wants_reply && !run(link)) return 0;
    return bench_answer(&link->server, request, size, reply, room);
}

const bench_contender floor_cat = {
    .name = "cat", .about = "cat FILE > /dev/null, from starting cat to its end", .prepare = prepare, .call = call,
    .is_alone = true};
