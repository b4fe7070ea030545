// Who the child is, as its new user namespace is told: one id inside, one outside.
#ifndef ANNEX_MAPS_H
#define ANNEX_MAPS_H

#include "launch.h"

// By the warden, while the child waits.
long maps_write(struct launch *launch);

#endif
