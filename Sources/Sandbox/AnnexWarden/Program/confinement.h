// The two layers that the kernel checks at every call. Landlock checks paths, and seccomp checks the calls themselves.
#ifndef ANNEX_CONFINEMENT_H
#define ANNEX_CONFINEMENT_H

#include "launch.h"

long confinement_restrict_paths(struct launch *launch);
long confinement_filter_calls(struct launch *launch);

#endif
