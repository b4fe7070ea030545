// The warden's one loop: plans in, children's reports and ends, the broker's end. It waits nowhere else.
#ifndef ANNEX_LOOP_H
#define ANNEX_LOOP_H

#include "children.h"

// 0 or -errno.
long loop_prepare(void);
// Returns when the broker is gone.
void loop_run(void);

// A new child's report socket and pidfd; when they cannot be watched, the launch fails and the child is gone.
void loop_watch(struct child *child);
// Takes what the child reported so far.
void loop_hear(struct child *child);
// The broker holds the pidfd: from its execution on the child needs none here.
void loop_started_sent(struct child *child);
// The broker holds the listener: the child goes on.
void loop_listener_sent(struct child *child);

#endif
