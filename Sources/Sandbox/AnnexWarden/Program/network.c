#include "network.h"

#include "syscalls.h"
#include "warden.h"

// The spare namespace is a network namespace that is prepared for the next sandbox. The warden itself is in it, so a
// child that is cloned without CLONE_NEWNET begins there. Therefore no namespace is opened, passed or entered by
// name. Even if a mistake gave a sandbox the wrong network, that network would be empty.

void network_prepare(void) {
    // Only root can make a network namespace without a new user namespace.
    if (warden.is_root) warden.network.hosts = (int)CALL(NR_openat, AT_FDCWD, "/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

static long go_back(void) {
    if (warden.network.place == IN_HOSTS) return 0;
    long result = CALL(NR_setns, warden.network.hosts, CLONE_NEWNET);
    if (result >= 0) warden.network.place = IN_HOSTS;
    return result;
}

long network_choose(const annex_plan *plan) {
    if (!plan_has(plan, ANNEX_LAYER_NETWORK)) return go_back();
    // Loopback can be brought up only from the user namespace in which the network was made. So the network of a
    // sandbox with loopback must be made in the sandbox's own user namespace.
    if ((plan->flags & ANNEX_PLAN_LOOPBACK) != 0) return CLONE_NEWNET;
    warden.network.is_due = warden.launches_again && warden.network.hosts >= 0;
    if (warden.network.place != IN_SPARE) return CLONE_NEWNET;
    // The namespace counts as taken before the clone, because even a clone that fails halfway has used the namespace.
    warden.network.place = IN_TAKEN;
    return 0;
}

void network_make_spare(void) {
    // The warden tries once for each launch to make a spare namespace. If the kernel refuses because of missing
    // rights or a limit, each launch makes its own namespace.
    warden.network.is_due = 0;
    if (CALL(NR_unshare, CLONE_NEWNET) >= 0) warden.network.place = IN_SPARE;
}
