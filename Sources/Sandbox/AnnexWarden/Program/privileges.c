#include "privileges.h"

#include "child.h"
#include "syscalls.h"
#include "warden.h"

// This function is for a sandbox without a user namespace, made by a warden that runs as root. The child becomes an
// ordinary user before it makes its mounts, but it needs root's capabilities to make them. `PR_SET_KEEPCAPS` lets the
// child keep its permitted capabilities, but they are no longer effective. This function makes them effective again.
// A later step drops them. If the plan leaves out that step, exec drops them.
static long take_back_capabilities(void) {
    const struct capability_header header = {CAPABILITY_VERSION_3, 0};
    struct capability_data held[2] = {{0}};
    long result = CALL(NR_capget, &header, held);
    for (int i = 0; i < 2; i++) held[i].effective = held[i].permitted;
    return result < 0 ? result : CALL(NR_capset, &header, held);
}

long privileges_take_identity(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    // In a new user namespace, this process has no valid user and no valid group until the maps are written.
    child_wait_for_warden(launch);
    int own = plan_has(plan, ANNEX_LAYER_USER);
    uint32_t group = own ? plan->inside_group : plan->outside_group;
    uint32_t user = own ? plan->inside_user : plan->outside_user;
    long result = CALL(NR_setresgid, group, group, group);
    if (result < 0) return result;
    launch->detail = 1;
    if (own) return CALL(NR_setresuid, user, user, user);
    result = CALL(NR_prctl, PR_SET_KEEPCAPS, 1);
    if (result >= 0) result = CALL(NR_setresuid, user, user, user);
    return result < 0 ? result : take_back_capabilities();
}

static long drop_bounding_set(uint64_t kept) {
    for (int capability = 0; capability <= CAPABILITY_LARGEST; capability++) {
        if ((kept >> capability & 1) != 0) continue;
        long result = CALL(NR_prctl, PR_CAPBSET_DROP, capability);
        // The loop has passed the last capability that this kernel has.
        if (result == -EINVAL) return capability > 0 ? 0 : result;
        if (result < 0) return result;
    }
    return 0;
}

long privileges_drop_capabilities(struct launch *launch) {
    if (!plan_has(launch->plan, ANNEX_LAYER_CAPABILITIES)) return 0;
    // The securebits come first, because setting them needs a capability that the later steps remove. With the
    // securebits, uid 0 inside the sandbox regains no capabilities by exec or setuid.
    long result = CALL(NR_prctl, PR_SET_SECUREBITS, SECUREBITS_ALL_LOCKED);
    if (result < 0) return result;
    launch->detail = 1;
    result = drop_bounding_set(0);
    if (result < 0) return result;
    launch->detail = 2;
    result = CALL(NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
    if (result < 0) return result;
    launch->detail = 3;
    const struct capability_header header = {CAPABILITY_VERSION_3, 0};
    struct capability_data kept[2] = {{0}};
    // If the plan leaves out no_new_privs, the kernel requires CAP_SYS_ADMIN for the later steps of Landlock and
    // seccomp. So the child keeps this capability until exec. Exec then removes it, because the child's ambient set,
    // inheritable set and bounding set are empty.
    if (!plan_has(launch->plan, ANNEX_LAYER_NO_NEW_PRIVS)) {
        kept[0].permitted = kept[0].effective = 1u << CAPABILITY_SYS_ADMIN;
    }
    return CALL(NR_capset, &header, kept);
}

long privileges_die_with_warden(void) {
    long result = CALL(NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (result < 0) return result;
    // The warden may have died already. getppid does not show a parent in another pid namespace, but a pidfd works
    // across namespaces.
    struct poll_entry entry = {.descriptor = warden.self, .wanted = POLLIN};
    const struct time at_once = {0, 0};
    result = CALL(NR_ppoll, &entry, 1, &at_once, 0, SIGNAL_SET_SIZE);
    if (result > 0) leave(126);
    return result;
}

long privileges_tie_to_warden(struct launch *launch) {
    long result = privileges_die_with_warden();
    int wants_listener = (launch->plan->filter_flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0;
    return result < 0 || !wants_listener ? result : CALL(NR_prctl, PR_SET_DUMPABLE, 1);
}

long privileges_gain_no_more(struct launch *launch) {
    return plan_has(launch->plan, ANNEX_LAYER_NO_NEW_PRIVS) ? CALL(NR_prctl, PR_SET_NO_NEW_PRIVS, 1) : 0;
}

#define BIT(capability) (1u << (capability))
// The warden needs these capabilities for:
// - namespaces, mounts and seccomp
// - users, groups and the maps of user namespaces
// - a child without a user namespace: to drop its capabilities, to fetch its seccomp listener, and to kill it
// - the loopback interface of a network namespace that root made
// - the return from the bare namespace, a mount namespace with only an empty root in which launches begin (bare.h)
// - the removal of control groups from a parent directory whose permissions may forbid writing even to its owner
#define NEEDED                                                                                                \
    (BIT(CAPABILITY_SYS_ADMIN) | BIT(CAPABILITY_SETUID) | BIT(CAPABILITY_SETGID) | BIT(CAPABILITY_SETPCAP) | \
     BIT(CAPABILITY_SYS_PTRACE) | BIT(CAPABILITY_KILL) | BIT(CAPABILITY_NET_ADMIN) | BIT(CAPABILITY_SYS_CHROOT) | \
     BIT(CAPABILITY_DAC_OVERRIDE))

// If uid 0 of this user namespace is an ordinary user outside, the sandbox's user may be this uid 0. To write a map
// of users with this uid, the kernel requires one more capability.
static uint32_t needed(void) { return NEEDED | (warden.zero_is_user ? BIT(CAPABILITY_SETFCAP) : 0); }

long privileges_limit_warden(void) {
    const struct capability_header header = {CAPABILITY_VERSION_3, 0};
    struct capability_data held[2] = {{0}};
    long result = CALL(NR_capget, &header, held);
    // The kernel does not let an ordinary user's process change its bounding set. This set limits the capabilities
    // that the process could gain by exec.
    if (result >= 0 && (held[0].effective & BIT(CAPABILITY_SETPCAP)) != 0) result = drop_bounding_set(needed());
    if (result >= 0) result = CALL(NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
    if (result < 0) return result;
    uint32_t kept = held[0].permitted & needed();
    const struct capability_data limited[2] = {{.effective = kept, .permitted = kept}};
    return CALL(NR_capset, &header, limited);
}
