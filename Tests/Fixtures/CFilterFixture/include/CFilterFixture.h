// Asks the running kernel what a filter answers: a child installs it and makes the calls, we play the listener.
#ifndef C_FILTER_FIXTURE_H
#define C_FILTER_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

// What a probe ended in, beside the errno (1 and above) and the result of a call that was allowed (0).
#define FILTER_NOTIFIED (-1)   // the filter asked its listener
#define FILTER_NOT_REACHED (-2) // an earlier probe ended the child

typedef struct {
    int64_t number;
    uint64_t arguments[6];
    int64_t answer;
} filter_probe;

// Installs `count` instructions in a child and makes each call there. 0, the signal that ended the child, or -errno of
// what could not be set up.
int filter_probe_calls(const void *instructions, size_t count, filter_probe *probes, size_t probe_count);

// Starts `program` under the filter, by the one execveat that passes with `nonce`: `root` is its root, `variable` its
// environment beside SWIFT_ROOT, its output goes nowhere, what is notified is refused with EPERM. The wait status or
// -errno; `notified` gets up to `capacity` call numbers, `notified_count` says how many there were.
int filter_run_program(
    const void *instructions, size_t count, uint64_t nonce, const char *program, const char *variable,
    const char *root, int32_t *notified, size_t capacity, size_t *notified_count);

// Whether `filter_run_program` can give a program another root here.
int filter_can_have_own_root(void);

#endif
