// The ends of children: how the warden notices them, collects their statuses, and kills them.
//
// exec gives a child SIGCHLD as its exit signal. From then on, this signal reports the child's end, and the warden
// holds no descriptor for the child. If the warden held descriptors, every clone would copy those of a thousand idle
// children and close them again. A child that never executed has no exit signal, and a reaper has none either. Their
// pidfds report their ends.
#ifndef ANNEX_ENDS_H
#define ANNEX_ENDS_H

#include "children.h"

// Returns a descriptor to watch, or -errno.
long ends_prepare(void);

// The number of the next child that ended, or 0. The senders of waiting signals come first. If no signal waits, the
// result is a child whose signal was merged into another signal.
int ends_next(void);
// Collects the end of a process that is not in the table. Without this, ends_next would return the process for ever.
void ends_forget(int process);

// Returns 1 if the child's end was collected.
int ends_reap(struct child *child);
// Whether the child's own code runs or has run. This also works for an ended child.
int ends_executed(const struct child *child);
void ends_kill(const struct child *child);

#endif
