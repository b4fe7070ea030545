// Asks the running kernel for a filter's answers. A child installs the filter and makes the calls. This process plays
// the listener.
#ifndef C_FILTER_FIXTURE_H
#define C_FILTER_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

// The answers of a probe, besides the errno (1 and above) and the result of an allowed call (0).
#define FILTER_NOTIFIED (-1)   // the filter asked its listener
#define FILTER_NOT_REACHED (-2) // an earlier probe ended the child

typedef struct {
    int64_t number;
    uint64_t arguments[6];
    int64_t answer;
} filter_probe;

// The filter below the tested filter. It keeps allowed calls from being made.
typedef enum {
    FILTER_NO_FLOOR,     // nothing: allowed calls are made
    FILTER_FLOOR_ERRNO,  // an allowed or notified call fails with FILTER_FLOOR_ANSWER
    FILTER_FLOOR_TRACE,  // an allowed call fails with ENOSYS, because there is no tracer
} filter_floor;

#define FILTER_FLOOR_ANSWER 132  // ERFKILL: no policy answers it

// Installs `count` instructions in a child and makes each call there. Returns 0, the signal that ended the child, or
// -errno of a failed preparation.
int filter_probe_calls(
    const void *instructions, size_t count, filter_floor floor, filter_probe *probes, size_t probe_count);

#ifdef __x86_64__
// Makes a call of i386 under the filter. Returns the wait status.
int filter_probe_foreign(const void *instructions, size_t count);
#endif

// Starts `program` under the filter, by the one execveat that passes with `nonce`. `root` is its root, and `variable`
// is its environment besides SWIFT_ROOT. Its output is dropped, and notified calls are refused with EPERM. Returns the
// wait status or -errno. `notified` receives up to `capacity` call numbers, and `notified_count` their number.
int filter_run_program(
    const void *instructions, size_t count, uint64_t nonce, const char *program, const char *variable,
    const char *root, int32_t *notified, size_t capacity, size_t *notified_count);

// Runs `body` twice on a new thread. The second time, the kernel ends the thread at its first system call. Returns
// whether the body came to its end, or -errno of a failed preparation.
int filter_runs_without_calls(void (*body)(void *), void *context);

// Calls that `filter_refuse` can refuse.
typedef enum { FILTER_CALL_FSYNC, FILTER_CALL_SYNCFS, FILTER_CALL_WRITE_OUT } filter_call;

// From now on, a call of all threads of this process fails with this errno. Returns 0 or -errno.
int filter_refuse(filter_call call, int error);

// From now on, fsync writes nothing, and the numbers of its files are kept. For regular files, it fails with this errno;
// 0: it succeeds. Returns 0 or -errno.
int filter_record_syncs(int error);

// Whether fsync was called for the file or directory with this inode number.
int filter_was_synced(uint64_t inode);

// Whether `filter_run_program` can give a program another root here.
int filter_can_have_own_root(void);

#endif
