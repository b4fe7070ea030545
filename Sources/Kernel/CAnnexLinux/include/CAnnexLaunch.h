// Starting a helper program that the host never notices: no SIGCHLD, no result for its own wait.
#ifndef C_ANNEX_LAUNCH_H
#define C_ANNEX_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

// Executes `program` (a descriptor) under `name` with an empty environment, /dev/null as 0, 1, 2 and
// descriptors[i] as 3 + i, nothing else open, no signal ignored or blocked.
// Its number or -errno; its pidfd in `*pidfd`, close-on-exec.
//
// A child that stays behind is not the host's: its parent was a middle process that is gone, so that it belongs to
// init, or to the nearest process that asked to be a subreaper.
int annex_start_helper(int program, const char *name, const int32_t *descriptors, uint32_t count, int32_t *pidfd);

// Processes whose parent is gone become this one's children, not init's: for a program that takes their ends. 0 or -errno.
int annex_adopt_orphans(void);

// One message with at most 64 descriptors, never waiting: -EAGAIN where the queue is full.
int annex_send_plan(int socket, const void *bytes, size_t size, const int32_t *descriptors, uint32_t count);

#define ANNEX_PLAN_MESSAGE_DESCRIPTORS 64

#endif
