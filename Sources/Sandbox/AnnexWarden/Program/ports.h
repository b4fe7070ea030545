// The sockets through which the broker relays the connections of single ports.
#ifndef ANNEX_PORTS_H
#define ANNEX_PORTS_H

#include "launch.h"

// Makes the plan's sockets in the sandbox's own network, and sends them to the broker.
long ports_open(struct launch *launch);

#endif
