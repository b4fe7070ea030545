// The only event loop of the warden. It handles plans, the reports and ends of children, and the broker's end. After
// its start, the warden waits only in this loop until the broker is gone.
#ifndef ANNEX_LOOP_H
#define ANNEX_LOOP_H

#include "children.h"

// Returns 0 or -errno.
long loop_prepare(void);
// Returns when the broker is gone.
void loop_run(void);

// Watches a new child's report socket and pidfd. If that fails, the launch fails and the child is killed.
void loop_watch(struct child *child);
// Reads what the child has reported so far.
void loop_hear(struct child *child);
// Called when the broker has the pidfd. If the child has executed, the warden no longer needs the pidfd and closes
// it.
void loop_started_sent(struct child *child);
// Called when the broker has the listener. The child may then continue.
void loop_listener_sent(struct child *child);

#endif
