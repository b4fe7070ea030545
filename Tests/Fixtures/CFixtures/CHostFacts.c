#include "CHostFacts.h"

#include <sys/prctl.h>
#include <unistd.h>

int host_dumpable(void) { return prctl(PR_GET_DUMPABLE); }

int host_fork_holder(void) {
    int child = fork();
    // The child ends by itself if the process that should kill it is gone. This time is longer than any test waits.
    if (child == 0) {
        sleep(1200);
        _exit(0);
    }
    return child;
}
