// The process's surroundings: control groups, host name, session, limits.
#ifndef ANNEX_SURROUNDINGS_H
#define ANNEX_SURROUNDINGS_H

#include "launch.h"

long surroundings_join_groups(struct launch *launch);
long surroundings_limit_watches(struct launch *launch);
long surroundings_set_hostname(struct launch *launch);
long surroundings_raise_loopback(struct launch *launch);
long surroundings_begin_session(struct launch *launch);
long surroundings_set_limits(struct launch *launch);

#endif
