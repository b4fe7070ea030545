// The user and group maps of the child's new user namespace: one id inside for one id outside.
#ifndef ANNEX_MAPS_H
#define ANNEX_MAPS_H

#include "launch.h"

// Called by the warden while the child waits.
long maps_write(struct launch *launch);

#endif
