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

// What lies below the filter that is asked, so that a call that it allows is not made.
typedef enum {
    FILTER_NO_FLOOR,     // nothing: allowed calls are made
    FILTER_FLOOR_ERRNO,  // what is allowed or notified fails with FILTER_FLOOR_ANSWER
    FILTER_FLOOR_TRACE,  // what is allowed fails with ENOSYS, since nobody traces
} filter_floor;

#define FILTER_FLOOR_ANSWER 132  // ERFKILL: no policy answers it

// Installs `count` instructions in a child and makes each call there. 0, the signal that ended the child, or -errno of
// what could not be set up.
int filter_probe_calls(
    const void *instructions, size_t count, filter_floor floor, filter_probe *probes, size_t probe_count);

#ifdef __x86_64__
// Makes a call of i386 under the filter: the wait status.
int filter_probe_foreign(const void *instructions, size_t count);
#endif

// Starts `program` under the filter, by the one execveat that passes with `nonce`: `root` is its root, `variable` its
// environment beside SWIFT_ROOT, its output goes nowhere, what is notified is refused with EPERM. The wait status or
// -errno; `notified` gets up to `capacity` call numbers, `notified_count` says how many there were.
int filter_run_program(
    const void *instructions, size_t count, uint64_t nonce, const char *program, const char *variable,
    const char *root, int32_t *notified, size_t capacity, size_t *notified_count);

// Whether `filter_run_program` can give a program another root here.
int filter_can_have_own_root(void);

#endif
