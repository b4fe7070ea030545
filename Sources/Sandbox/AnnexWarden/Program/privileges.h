// Who the process is and what it may: its ids, its capabilities, whom it dies with.
#ifndef ANNEX_PRIVILEGES_H
#define ANNEX_PRIVILEGES_H

#include "launch.h"

long privileges_take_identity(struct launch *launch);
long privileges_drop_capabilities(struct launch *launch);
// After the last change of credentials, which takes both away: the process dies with the warden, and the warden may
// fetch the listener from it.
long privileges_tie_to_warden(struct launch *launch);
long privileges_gain_no_more(struct launch *launch);

// Dies with the warden; if that is dead already, at once.
long privileges_die_with_warden(void);

// The warden keeps only the capabilities that some launch needs.
long privileges_limit_warden(void);

#endif
