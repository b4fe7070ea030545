// Exactly the descriptors of the plan, at exactly their numbers.
#ifndef ANNEX_DESCRIPTORS_H
#define ANNEX_DESCRIPTORS_H

#include "launch.h"

long descriptors_place(struct launch *launch);

// Closes everything between, below and above the kept ones, whatever it is. Sorts them.
long descriptors_close_all_but(int *kept, uint32_t count);

#endif
