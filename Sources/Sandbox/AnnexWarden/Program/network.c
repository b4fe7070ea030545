#include "network.h"

#include "syscalls.h"
#include "warden.h"

// The warden itself is in the spare one, so that a clone without CLONE_NEWNET begins there: nothing is opened, handed
// over or entered by name, and a sandbox that got the wrong network by mistake would have an empty one.

void network_prepare(void) {
    // Only who may make one without a user namespace of its own.
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
    // Only the user namespace that a network was made in may raise its loopback, and that is the sandbox's own.
    if ((plan->flags & ANNEX_PLAN_LOOPBACK) != 0) return CLONE_NEWNET;
    warden.network.is_due = warden.network.hosts >= 0;
    if (warden.network.place != IN_SPARE) return CLONE_NEWNET;
    // Before the clone: one that fails half-way has used it up.
    warden.network.place = IN_TAKEN;
    return 0;
}

void network_make_spare(void) {
    // Asked once per launch: where the kernel refuses, by rights or by number, launches make their own.
    warden.network.is_due = 0;
    if (CALL(NR_unshare, CLONE_NEWNET) >= 0) warden.network.place = IN_SPARE;
}
