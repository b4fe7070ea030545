// The ends of children: how the warden notices them, collects their statuses, and kills them.
//
// exec gives a child SIGCHLD as its exit signal. From then on that signal reports the child's end, and the warden holds
// no descriptor for the child. Otherwise every clone would copy the descriptors of a thousand idle children and close
// them again. A child that never executed has no exit signal, and neither has a reaper; their pidfds report their ends.
#ifndef ANNEX_ENDS_H
#define ANNEX_ENDS_H

#include "children.h"

// Returns a descriptor to watch, or -errno.
long ends_prepare(void);

// The number of the next child that ended, or 0: first the sender of a waiting signal. If no signal waits, a child
// whose signal was merged into another one.
int ends_next(void);
// Collects the end of a process that is no child in the table. Otherwise ends_next would return it for ever.
void ends_forget(int process);

// 1 if the child's end was collected.
int ends_reap(struct child *child);
// Whether its own code runs or ran, for a running and for an ended child alike.
int ends_executed(const struct child *child);
void ends_kill(const struct child *child);

#endif
