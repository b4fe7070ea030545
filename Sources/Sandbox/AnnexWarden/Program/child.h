// The child's half of a launch: from the clone to the extension's own code.
#ifndef ANNEX_CHILD_H
#define ANNEX_CHILD_H

#include "launch.h"

_Noreturn void child_run(struct launch *launch);

// Reports to the warden that a step failed or, if `error` is 0, that the filter is in force.
void child_say(struct launch *launch, int error, int listener);
// Sends a descriptor to the warden, in a report of this kind, and closes it. Returns 0 or -errno.
long child_send(const struct launch *launch, uint32_t kind, int descriptor);
// Waits until the warden has done its part. If the warden closes the connection instead, the process ends.
void child_wait_for_warden(struct launch *launch);

#endif
