// The ends of children: how they are told, taken and brought about.
//
// exec gives a child SIGCHLD as its exit signal. From then on that signal tells its end, and no descriptor is held for
// it: every clone would copy a thousand idle children's, and close them again. One that never executed has no exit
// signal, and neither has a reaper; their ends are told by their pidfds.
#ifndef ANNEX_ENDS_H
#define ANNEX_ENDS_H

#include "children.h"

// A descriptor to watch, or -errno.
long ends_prepare(void);

// The next child that ended, or 0: first the one whose signal it was, then those whose signals were merged into it.
int ends_next(void);
// Nobody's end any more: taken, or it would be the next one for ever.
void ends_forget(int process);

// 1 when the child's end was taken.
int ends_reap(struct child *child);
// Whether its own code runs or ran. True for the living and the dead alike.
int ends_executed(const struct child *child);
void ends_kill(const struct child *child);

#endif
