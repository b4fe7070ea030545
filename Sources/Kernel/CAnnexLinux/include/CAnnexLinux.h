// Calls and constants that Swift's Glibc import lacks: variadic calls, numbers newer than the installed headers,
// atomics on shared memory, control messages. Nothing here allocates. Only CAnnexFaults keeps state: a stack for its
// handlers.
#ifndef C_ANNEX_LINUX_H
#define C_ANNEX_LINUX_H

#include "CAnnexAtomics.h"
#include "CAnnexCalls.h"
#include "CAnnexEvents.h"
#include "CAnnexFaults.h"
#include "CAnnexFiles.h"
#include "CAnnexHosts.h"
#include "CAnnexKeyring.h"
#include "CAnnexLandlock.h"
#include "CAnnexLaunch.h"
#include "CAnnexListing.h"
#include "CAnnexLocal.h"
#include "CAnnexLock.h"
#include "CAnnexLoopback.h"
#include "CAnnexMemory.h"
#include "CAnnexNamespaces.h"
#include "CAnnexNotification.h"
#include "CAnnexPorts.h"
#include "CAnnexSockets.h"
#include "CAnnexStandIn.h"
#include "CAnnexTerminal.h"
#include "CAnnexVerity.h"

#endif
