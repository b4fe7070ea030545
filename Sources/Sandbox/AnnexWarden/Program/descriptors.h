// Gives the child exactly the descriptors of the plan, at exactly their numbers.
#ifndef ANNEX_DESCRIPTORS_H
#define ANNEX_DESCRIPTORS_H

#include "launch.h"

long descriptors_place(struct launch *launch);

// Closes all descriptors except the kept ones. Sorts the list of kept ones.
long descriptors_close_all_but(int *kept, uint32_t count);

#endif
