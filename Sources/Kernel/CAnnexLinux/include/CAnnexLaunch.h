// Starts a helper program that the host does not notice: no SIGCHLD, and no result for the host's own wait.
#ifndef C_ANNEX_LAUNCH_H
#define C_ANNEX_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

// Executes `program` (a descriptor) under `name`. The program gets an empty environment, /dev/null as 0, 1 and 2,
// descriptors[i] as 3 + i, and nothing else open. No signal is ignored or blocked.
// Returns its number or -errno; its pidfd in `*pidfd`, close-on-exec.
//
// The program is not a child of the host, because its parent was a middle process that has ended. It belongs to init,
// or to the nearest ancestor that asked to be a subreaper.
int annex_start_helper(int program, const char *name, const int32_t *descriptors, uint32_t count, int32_t *pidfd);

// Makes this process the parent of its orphaned descendants, in place of init. For a program that reaps them. 0 or
// -errno.
int annex_adopt_orphans(void);

// Sends one message with at most 64 descriptors, without waiting: -EAGAIN if the queue is full.
int annex_send_plan(int socket, const void *bytes, size_t size, const int32_t *descriptors, uint32_t count);

#define ANNEX_PLAN_MESSAGE_DESCRIPTORS 64

#endif
