// Starts a helper program without effects on the host. The host gets no SIGCHLD, and its own wait does not see the
// helper.
#ifndef C_ANNEX_LAUNCH_H
#define C_ANNEX_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

// Executes `program` (a descriptor) under `name`. The program gets an empty environment, /dev/null as 0, 1 and 2, and
// descriptors[i] as 3 + i. It has no other open descriptors, and no signal is ignored or blocked.
// Returns the program's process number or -errno. Stores its pidfd, which is close-on-exec, in `*pidfd`.
//
// The program is not a child of the host, because its parent was a middle process that has ended. Its new parent is
// init, or the nearest ancestor that asked to be a subreaper.
int annex_start_helper(int program, const char *name, const int32_t *descriptors, uint32_t count, int32_t *pidfd);

// Makes this process the parent of its orphaned descendants, in place of init. Only a program that reaps its orphaned
// descendants may call this function. Returns 0 or -errno.
int annex_adopt_orphans(void);

// Sends one message with at most 65 descriptors, without waiting: those of a plan, and the file with its rest. Returns
// -EAGAIN if the queue is full.
int annex_send_plan(int socket, const void *bytes, size_t size, const int32_t *descriptors, uint32_t count);

#define ANNEX_PLAN_MESSAGE_DESCRIPTORS 65

#endif
