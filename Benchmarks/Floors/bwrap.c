// A sandbox of another product, from the request to the first answer: bubblewrap with every namespace around a static C
// program.
#define _GNU_SOURCE
#include "floors.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct launcher {
    const bench_plan *plan;
    bench_server server;  // answers the driver's own questions
    char hello[4096];
    pid_t child;
    int to, from;
} launcher;

enum { largest = 4096 };

static void *prepare(const bench_plan *plan) {
    launcher *link = calloc(1, sizeof *link);
    if (!link) return NULL;
    link->plan = plan;
    ssize_t length = readlink("/proc/self/exe", link->hello, sizeof link->hello - 32);
    char *slash = length > 0 ? strrchr(link->hello, '/') : NULL;
    if (!slash) return NULL;
    strcpy(slash + 1, "annex-bench-hello");
    return access(link->hello, X_OK) ? NULL : link;
}

static bool start(launcher *link) {
    int in[2], out[2];
    char request[32], reply[32];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) return false;
    snprintf(request, sizeof request, "%llu", (unsigned long long)link->plan->request);
    snprintf(reply, sizeof reply, "%llu", (unsigned long long)link->plan->reply);
    char *words[] = {"bwrap", "--unshare-all", "--ro-bind", link->hello, "/hello", "/hello", request, reply, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    bool done = !posix_spawnp(&link->child, "bwrap", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    link->to = in[1];
    link->from = out[0];
    return done;
}

static size_t call(void *state, const void *request, size_t size, void *reply, size_t room) {
    launcher *link = state;
    uint64_t first;
    memcpy(&first, request, sizeof first);
    if ((first & 0xFF) != bench_wants_reply) return bench_answer(&link->server, request, size, reply, room);
    if (link->child) waitpid(link->child, NULL, 0);
    link->child = 0;
    if (!start(link) || write(link->to, request, size) != (ssize_t)size) return 0;
    size_t done = 0;
    for (ssize_t got; done < room && (got = read(link->from, (char *)reply + done, room - done)) > 0;)
        if ((done += (size_t)got) >= link->plan->reply) break;
    link->server.received++;
    return done;
}

static void after(void *state) {
    launcher *link = state;
    close(link->to);
    close(link->from);
    waitpid(link->child, NULL, 0);
    link->child = 0;
}

const bench_contender floor_bwrap = {
    .name = "bwrap", .about = "bwrap --unshare-all around a static C program: from starting bwrap to its first answer",
    .prepare = prepare, .call = call, .after = after, .largest = largest, .is_alone = true};
