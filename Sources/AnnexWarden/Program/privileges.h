// Who the process is and what it may: its ids, its capabilities, whom it dies with.
#ifndef ANNEX_PRIVILEGES_H
#define ANNEX_PRIVILEGES_H

#include "launch.h"

long privileges_take_identity(struct launch *launch);
long privileges_drop_capabilities(struct launch *launch);
// Dies with the warden; if that is dead already, at once.
long privileges_tie_to_warden(struct launch *launch);
long privileges_gain_no_more(struct launch *launch);

#endif
