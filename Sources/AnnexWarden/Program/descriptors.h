// Exactly the descriptors of the plan, at exactly their numbers.
#ifndef ANNEX_DESCRIPTORS_H
#define ANNEX_DESCRIPTORS_H

#include "launch.h"

long descriptors_place(struct launch *launch);

#endif
