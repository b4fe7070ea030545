// The process's identity and rights: its ids, its capabilities, and its end when the warden dies.
#ifndef ANNEX_PRIVILEGES_H
#define ANNEX_PRIVILEGES_H

#include "launch.h"

long privileges_take_identity(struct launch *launch);
long privileges_drop_capabilities(struct launch *launch);
// Makes the process die with the warden, and lets the warden fetch the listener from the process. This must run after
// the last change of credentials, because each change undoes both settings.
long privileges_tie_to_warden(struct launch *launch);
long privileges_gain_no_more(struct launch *launch);

// Makes the process die with the warden. If the warden is already dead, the process ends at once.
long privileges_die_with_warden(void);

// Reduces the warden's capabilities to those that some launch needs.
long privileges_limit_warden(void);

#endif
