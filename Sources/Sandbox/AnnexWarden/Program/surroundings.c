#include "surroundings.h"

#include "inherited.h"
#include "ports.h"
#include "proc.h"
#include "syscalls.h"
#include "text.h"
#include "warden.h"

long surroundings_join_groups(struct launch *launch) {
    const annex_group *groups = plan_records(launch->plan, launch->plan->groups);
    for (uint32_t i = 0; i < launch->plan->groups.count; i++) {
        launch->detail = i;
        // "0" means the writing process. The kernel checks the rights of the process that opened the file, and not
        // those of the process that writes.
        long result = CALL(NR_write, launch->descriptors[groups[i].index], "0", 1);
        if (result < 0) return result;
    }
    launch->detail = 0;
    long joined = launch->group_file < 0 ? 0 : CALL(NR_write, launch->group_file, "0", 1);
    if (joined < 0) return joined;
    launch->detail = ANNEX_PLAN_GROUPS;
    // The namespace is made after the join, because its root is the group of the process at that moment.
    return plan_has(launch->plan, ANNEX_LAYER_CGROUP_NAMESPACE) ? CALL(NR_unshare, CLONE_NEWCGROUP) : 0;
}

static long set_limit(const char *name, uint32_t most) {
    char text[TEXT_NUMBER], *end = text;
    text_append_number(&end, most, 10);
    return proc_write(name, text, (uint64_t)(end - text));
}

// The files are about the user namespace of the process that opens them. Only a process with the capability
// SYS_RESOURCE in this namespace may write to them. They cannot be written to where a container makes /proc/sys
// read-only. Then a filter keeps the program from watching (confinement.c).
long surroundings_limit_watches(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    launch->is_blind = 0;
    if (plan->watch_queues == 0) return 0;
    long result = plan_has(plan, ANNEX_LAYER_USER) ? 0 : -EPERM;
    if (result >= 0) result = set_limit("sys/user/max_inotify_instances", plan->watch_queues);
    if (result >= 0) result = set_limit("sys/user/max_inotify_watches", plan->watches);
    launch->is_blind = result < 0;
    return 0;
}

long surroundings_set_hostname(struct launch *launch) {
    if (!plan_has(launch->plan, ANNEX_LAYER_UTS)) return 0;
    annex_bytes name = launch->plan->hostname;
    long result = CALL(NR_sethostname, plan_text(launch->plan, name), name.length);
    // Programs inside must not see the host's NIS domain.
    return result < 0 ? result : CALL(NR_setdomainname, "", 0);
}

long surroundings_raise_loopback(struct launch *launch) {
    if ((launch->plan->flags & ANNEX_PLAN_LOOPBACK) == 0) return 0;
    struct interface_request request = {.name = "lo"};
    long any = CALL(NR_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) return any;
    long result = CALL(NR_ioctl, any, SIOCGIFFLAGS, &request);
    request.flags |= IFF_UP;
    if (result >= 0) result = CALL(NR_ioctl, any, SIOCSIFFLAGS, &request);
    CALL(NR_close, any);
    return result < 0 ? result : ports_open(launch);
}

long surroundings_begin_session(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    // The process gets its own session. So it can neither type into a terminal of the host nor send signals to a
    // process group of the host.
    long result = CALL(NR_setsid);
    if (result < 0) return result;
    CALL(NR_umask, plan->file_mask);
    launch->detail = 1;
    if (plan_has(plan, ANNEX_LAYER_KEYRING) && warden.keyring_error != 0) return -(long)warden.keyring_error;
    launch->detail = 2;
    return plan->terminal < 0 ? 0 : CALL(NR_ioctl, launch->descriptors[plan->terminal], TIOCSCTTY, 0);
}

// Sets the limits so that no process inside can raise its priority, whatever the host's limits allow.
static long forbid_priority(void) {
    static const uint32_t resources[] = {RLIMIT_NICE, RLIMIT_RTPRIO, RLIMIT_RTTIME};
    const struct limit none = {0, 0};
    for (uint32_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        long result = CALL(NR_prlimit64, 0, resources[i], &none, 0);
        if (result < 0) return result;
    }
    return 0;
}

long surroundings_set_limits(struct launch *launch) {
    launch->detail = ANNEX_PLAN_LIMITS;
    long result = launch->plan->flags & ANNEX_PLAN_NICE ? inherited_lessen() : 0;
    if (result >= 0 && (launch->plan->flags & ANNEX_PLAN_YIELDS) != 0) result = inherited_yield();
    if (result >= 0) result = forbid_priority();
    if (result < 0) return result;
    launch->detail = 0;
    // The warden raised its own limit for its pidfds. Programs that use select() rely on the lower limit from before,
    // so that limit is restored here.
    const struct limit files = {warden.files_soft, warden.files_hard};
    result = CALL(NR_prlimit64, 0, RLIMIT_NOFILE, &files, 0);
    const annex_limit *limits = plan_records(launch->plan, launch->plan->limits);
    for (uint32_t i = 0; result >= 0 && i < launch->plan->limits.count; i++) {
        launch->detail = i;
        const struct limit limit = {limits[i].soft, limits[i].hard};
        result = CALL(NR_prlimit64, 0, limits[i].resource, &limit, 0);
    }
    return result;
}
