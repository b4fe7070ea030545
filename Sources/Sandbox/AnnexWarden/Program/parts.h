// Parts of the binds that get mounts of their own.
#ifndef ANNEX_PARTS_H
#define ANNEX_PARTS_H

#include "launch.h"

// Hides, protects and holds the plan's parts. The child calls this function after all other mounts are in their places.
long parts_mount(struct launch *launch);

#endif
