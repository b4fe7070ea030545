#include "network.h"

#include "launch.h"
#include "syscalls.h"

// The warden itself is in the spare one, so that a clone without CLONE_NEWNET begins there: nothing is opened, handed
// over or entered by name, and a sandbox that got the wrong network by mistake would have an empty one.
enum {
    IN_HOSTS,  // where the broker is
    IN_SPARE,  // nobody but the warden was ever in it
    IN_TAKEN,  // a sandbox is in it, or was
};

static int place = IN_HOSTS;
static int hosts = -1;  // the way back, for plans that leave this layer out
static int due;

void network_prepare(void) {
    // Only who may make one without a user namespace of its own.
    if (warden.is_root) hosts = (int)CALL(NR_openat, AT_FDCWD, "/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

static long go_back(void) {
    if (place == IN_HOSTS) return 0;
    long result = CALL(NR_setns, hosts, CLONE_NEWNET);
    if (result >= 0) place = IN_HOSTS;
    return result;
}

long network_choose(const annex_plan *plan) {
    if (!plan_has(plan, ANNEX_LAYER_NETWORK)) return go_back();
    // Only the user namespace that a network was made in may raise its loopback, and that is the sandbox's own.
    if ((plan->flags & ANNEX_PLAN_LOOPBACK) != 0) return CLONE_NEWNET;
    due = hosts >= 0;
    if (place != IN_SPARE) return CLONE_NEWNET;
    // Before the clone: one that fails half-way has used it up.
    place = IN_TAKEN;
    return 0;
}

int network_is_due(void) { return due; }

void network_make_spare(void) {
    // Asked once per launch: where the kernel refuses, by rights or by number, launches make their own.
    due = 0;
    if (CALL(NR_unshare, CLONE_NEWNET) >= 0) place = IN_SPARE;
}
