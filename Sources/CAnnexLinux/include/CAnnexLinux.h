// Calls and constants that Swift's Glibc import lacks: variadic calls, numbers newer than the
// installed headers, atomics on shared memory, control messages. Nothing here allocates or keeps state.
#ifndef C_ANNEX_LINUX_H
#define C_ANNEX_LINUX_H

#include "CAnnexCalls.h"
#include "CAnnexLock.h"
#include "CAnnexNotification.h"

#endif
