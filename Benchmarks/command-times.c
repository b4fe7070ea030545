// command-times ROUNDS COMMAND ARGUMENT… :: COMMAND ARGUMENT… :: …
//
// Runs whole commands in turn, round after round, so that all of them meet the same machine. Prints one line for each
// command: the median time in microseconds, from the request to start it until its end was reported, and the median
// processor time of all its processes, also of those that outlive it. The commands' streams are /dev/null. If a command
// fails, this program ends.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { MOST_COMMANDS = 16 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int ascending(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

struct taken {
    double time, processor;
};

static double processor(const struct rusage *usage) {
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1e6 +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

// Waits for the processes that the command left behind. They are children of this process, which is a subreaper.
static double rest(void) {
    struct rusage usage;
    double sum = 0;
    while (wait4(-1, NULL, 0, &usage) > 0) sum += processor(&usage);
    return sum;
}

static struct taken take(char **command, const posix_spawn_file_actions_t *streams) {
    extern char **environ;
    pid_t child;
    int status = 0;
    double begun = now();
    int error = posix_spawnp(&child, command[0], streams, NULL, command, environ);
    if (error != 0) {
        fprintf(stderr, "command-times: %s: %s\n", command[0], strerror(error));
        exit(1);
    }
    struct rusage usage = {0};
    wait4(child, &status, 0, &usage);
    struct taken taken = {.time = now() - begun, .processor = processor(&usage)};
    taken.processor += rest();
    if (status != 0) {
        fprintf(stderr, "command-times: %s ended with status %#x\n", command[0], (unsigned)status);
        exit(1);
    }
    return taken;
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

int main(int count, char **arguments) {
    char **commands[MOST_COMMANDS];
    int known = 0;
    int rounds = count > 2 ? atoi(arguments[1]) : 0;
    for (int at = 2; at < count && known < MOST_COMMANDS; at++) {
        commands[known++] = &arguments[at];
        while (at < count && strcmp(arguments[at], "::") != 0) at++;
        if (at < count) arguments[at] = NULL;
    }
    if (rounds < 1 || known == 0) {
        fprintf(stderr, "usage: command-times ROUNDS COMMAND ARGUMENT… [:: COMMAND ARGUMENT…]…\n");
        return 64;
    }
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    for (int number = 0; number < 3; number++)
        posix_spawn_file_actions_addopen(&streams, number, "/dev/null", O_RDWR, 0);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return 1;
    double *times = calloc((size_t)known * (size_t)rounds * 2, sizeof *times);
    if (times == NULL) return 1;
    double *processors = times + known * rounds;
    for (int each = 0; each < known; each++) take(commands[each], &streams);
    for (int round = 0; round < rounds; round++)
        for (int each = 0; each < known; each++) {
            struct taken taken = take(commands[each], &streams);
            times[each * rounds + round] = taken.time;
            processors[each * rounds + round] = taken.processor;
        }
    for (int each = 0; each < known; each++)
        printf("%.0f %.0f\n", median(times + each * rounds, rounds), median(processors + each * rounds, rounds));
    free(times);
    return 0;
}
