#include "surroundings.h"

#include "syscalls.h"

#define OWNER_MASK 077

long surroundings_join_groups(struct launch *launch) {
    const annex_group *groups = plan_records(launch->plan, launch->plan->groups);
    for (uint32_t i = 0; i < launch->plan->groups.count; i++) {
        launch->detail = i;
        // "0" is the writer; that it may join follows from who opened the file.
        long result = CALL(NR_write, launch->descriptors[groups[i].index], "0", 1);
        if (result < 0) return result;
    }
    launch->detail = 0;
    // Only now: the namespace's root is the group that the process is in when it is made.
    return plan_has(launch->plan, ANNEX_LAYER_CGROUP_NAMESPACE) ? CALL(NR_unshare, CLONE_NEWCGROUP) : 0;
}

long surroundings_set_hostname(struct launch *launch) {
    if (!plan_has(launch->plan, ANNEX_LAYER_UTS)) return 0;
    annex_bytes name = launch->plan->hostname;
    long result = CALL(NR_sethostname, plan_text(launch->plan, name), name.length);
    // The host's NIS domain is nobody's business inside.
    return result < 0 ? result : CALL(NR_setdomainname, "", 0);
}

long surroundings_begin_session(struct launch *launch) {
    // A session of its own: no terminal to type into, no process group to signal.
    long result = CALL(NR_setsid);
    if (result < 0) return result;
    CALL(NR_umask, OWNER_MASK);
    // The warden waits with every signal blocked; what it starts begins with none.
    const uint64_t none = 0;
    CALL(NR_rt_sigprocmask, SIG_SETMASK, &none, 0, sizeof none);
    launch->detail = 1;
    return plan_has(launch->plan, ANNEX_LAYER_KEYRING) ? -(long)warden.keyring_error : 0;
}

long surroundings_set_limits(struct launch *launch) {
    // The warden raised its own for its pidfds; programs that use select() count on the lower one.
    const struct limit files = {warden.files_soft, warden.files_hard};
    long result = CALL(NR_prlimit64, 0, RLIMIT_NOFILE, &files, 0);
    const annex_limit *limits = plan_records(launch->plan, launch->plan->limits);
    for (uint32_t i = 0; result >= 0 && i < launch->plan->limits.count; i++) {
        launch->detail = i;
        const struct limit limit = {limits[i].soft, limits[i].hard};
        result = CALL(NR_prlimit64, 0, limits[i].resource, &limit, 0);
    }
    return result;
}
