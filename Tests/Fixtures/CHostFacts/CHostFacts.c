#include "CHostFacts.h"

#include <sys/prctl.h>

int host_dumpable(void) { return prctl(PR_GET_DUMPABLE); }
