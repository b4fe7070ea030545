// The lender: a second thread of the child that sends the listener to the warden, where the warden cannot take it.
//
// The warden takes the listener with pidfd_getfd, which the filters of some containers refuse. The child itself cannot
// send it: the filter of the program is in force as soon as there is a listener, and it may deny sendmsg. A thread that
// began before has the same descriptors and not the filter. Exec ends every thread but the one that executes, so no code
// of the program runs beside this thread.
#ifndef ANNEX_LENDING_H
#define ANNEX_LENDING_H

#include "launch.h"

// Finds out whether the warden can take descriptors of its children (`warden.cannot_take`).
void lending_prepare(void);

// Begins the thread if the launch needs it. Returns 0 or -errno.
long lending_begin(struct launch *launch);

// Lets the thread send the listener and end. Without the thread, nothing happens.
void lending_give(int listener);

#endif
