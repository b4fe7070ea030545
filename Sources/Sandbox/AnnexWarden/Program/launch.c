#include "launch.h"

#include "bare.h"
#include "child.h"
#include "cloning.h"
#include "ends.h"
#include "inherited.h"
#include "loop.h"
#include "mounts.h"
#include "network.h"
#include "proc.h"
#include "syscalls.h"
#include "text.h"
#include "warden.h"

struct launch_memory launch_memory;

int launch_take(struct launch *launch, const struct step *steps, size_t count) {
    const annex_plan *plan = launch->plan;
    for (size_t i = 0; i < count; i++) {
        launch->step = steps[i].number;
        launch->detail = 0;
        int fault = plan->fault_errno != 0 && plan->fault_step == launch->step;
        long result = fault ? -(long)plan->fault_errno : steps[i].take(launch);
        if (result < 0) return (int)-result;
        // After a filter is in force, even reading the clock could kill the process.
        if (launch->step < ANNEX_STEP_SECCOMP) launch->times[launch->step] = clock_now() - launch->ahead;
    }
    return 0;
}

// The plan was checked before the steps, because the steps read it. This step only records the time of the check, and
// allows a test to make the step fail.
static long plan_was_read(struct launch *launch) {
    (void)launch;
    return 0;
}

static long clone_trees(struct launch *launch) {
    // The host's mounts can be cloned only in the host's namespace. If the warden could not return to that namespace
    // after the previous launch, it must return now.
    long result = bare_leave();
    return result < 0 ? result : mounts_clone_trees(launch);
}

static uint64_t namespaces(const annex_plan *plan) {
    // The network namespace is chosen separately (network.c). The child makes the cgroup namespace later. If the
    // warden made that namespace here, its root would be the warden's group.
    static const struct { uint32_t layer; uint64_t flag; } flags[] = {
        {ANNEX_LAYER_USER, CLONE_NEWUSER}, {ANNEX_LAYER_MOUNT, CLONE_NEWNS},      {ANNEX_LAYER_PID, CLONE_NEWPID},
        {ANNEX_LAYER_IPC, CLONE_NEWIPC},   {ANNEX_LAYER_UTS, CLONE_NEWUTS},
    };
    uint64_t wanted = 0;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (plan_has(plan, flags[i].layer)) wanted |= flags[i].flag;
    }
    return wanted;
}

// The older clone cannot make a child in a group of version 2. So the child joins the group, through a file that the
// warden opens: the kernel checks the rights of the process that opened the file.
static long clone_older(struct launch *launch, const struct clone_arguments *arguments) {
    if (launch->plan->into_cgroup >= 0) {
        int directory = launch->descriptors[launch->plan->into_cgroup];
        long file = CALL(NR_openat, directory, "cgroup.procs", O_WRONLY | O_CLOEXEC);
        if (file < 0) return file;
        launch->group_file = (int)file;
    }
    return cloning_make_older(arguments);
}

static long clone_child(struct launch *launch) {
    int ends[2];
    long result = CALL(NR_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
    if (result < 0) return result;
    launch->warden_end = ends[0];
    launch->report = ends[1];
    long network = network_choose(launch->plan);
    if (network < 0) return network;
    // The exit signal is 0, and exec sets it to SIGCHLD. So waitid can distinguish children that executed from children
    // that did not.
    struct clone_arguments arguments = {
        .flags = CLONE_PIDFD | namespaces(launch->plan) | (uint64_t)network,
        .pidfd = (uint64_t)(uintptr_t)&launch->pidfd};
    if (launch->plan->into_cgroup >= 0) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = (uint64_t)launch->descriptors[launch->plan->into_cgroup];
    }
    result = bare_enter(launch);
    warden.launches_again = 1;
    if (result >= 0) result = CALL(NR_clone3, &arguments, sizeof arguments);
    if (cloning_is_refused(result)) result = clone_older(launch, &arguments);
    if (result == 0) child_run(launch);
    if (result > 0) launch->process = (int)result;
    long back = bare_leave();
    return result < 0 ? result : back;
}

#define MAP_LARGEST 64

static long write_map(int process, const char *name, uint32_t inside, uint32_t outside) {
    char line[MAP_LARGEST], *end = line;
    text_append_number(&end, inside, 10);
    text_append(&end, " ");
    text_append_number(&end, outside, 10);
    text_append(&end, " 1\n");
    return proc_write_of(process, name, line, (uint64_t)(end - line));
}

// Writes the maps of the child's new user namespace while the child waits. Each map has one id inside for one id
// outside.
static long write_maps(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    launch->detail = 3;
    long result = inherited_expose(launch->process);
    if (result < 0 || !plan_has(plan, ANNEX_LAYER_USER)) return result;
    // Without `deny` in setgroups, the kernel does not let an ordinary user write a group map. Also, without `deny`,
    // a program in root's sandbox could leave a group to which a file denies access.
    launch->detail = 0;
    result = proc_write_of(launch->process, "/setgroups", "deny", 4);
    if (result < 0) return result;
    launch->detail = 1;
    result = write_map(launch->process, "/uid_map", plan->inside_user, plan->outside_user);
    if (result < 0) return result;
    launch->detail = 2;
    return write_map(launch->process, "/gid_map", plan->inside_group, plan->outside_group);
}

static long let_go(struct launch *launch) {
    static const char go = 1;
    long sent = CALL(NR_write, launch->warden_end, &go, sizeof go);
    return sent < 0 ? sent : 0;
}

static long own_and_let_go(struct launch *launch) {
    long result = mounts_map_owners(launch);
    return result < 0 ? result : let_go(launch);
}

static const struct step warden_steps[] = {
    {ANNEX_STEP_PLAN, plan_was_read},
    {ANNEX_STEP_TREES, clone_trees},
    {ANNEX_STEP_CLONE, clone_child},
    {ANNEX_STEP_MAPS, write_maps},
    {ANNEX_STEP_OWNERS, own_and_let_go},
};

static void keep_removals(struct child *child, const annex_plan *plan) {
    const annex_bytes *removals = plan_records(plan, plan->removals);
    child->removals_length = 0;
    for (uint32_t i = 0; i < plan->removals.count; i++) {
        const char *text = plan_text(plan, removals[i]);
        for (uint32_t j = 0; j <= removals[i].length; j++) child->removals[child->removals_length++] = text[j];
    }
}

// The child exists now. From here on, the child's end is an event, even if the warden's own half of the launch
// failed.
static void adopt(struct child *child, struct launch *launch) {
    const annex_plan *plan = launch->plan;
    child->pidfd = launch->pidfd;
    child->report = launch->warden_end;
    children_name(child, launch->process);
    child->answer.layers = plan->layers;
    child->wants_listener = (plan->filter_flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0;
    if (plan->fault_step == ANNEX_STEP_LISTENER) child->listener_fault = (int32_t)plan->fault_errno;
    child->has_reaper = (plan->flags & ANNEX_PLAN_REAPER) != 0;
    keep_removals(child, plan);
    children_answer(child, ANNEX_ANSWER_STARTED);
    loop_watch(child);
}

static void close_all(const int *descriptors, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) close_descriptor(descriptors[i]);
}

void launch_prepare(void) {
    // A kernel without huge pages refuses this, and needs it not.
    CALL(NR_madvise, &launch_memory, sizeof launch_memory, MADV_NOHUGEPAGE);
}

void launch_clear_rest(size_t length) {
    static size_t used;
    if (used > length) memset(launch_memory.plan + length, 0, used - length);
    used = length;
}

void launch_forget(size_t length) {
    if (length > ANNEX_PLAN_PACKET) {
        // The kernel takes these pages back. Otherwise they would stay in use, and each clone would copy their table.
        unsigned char *rest = launch_memory.plan + ANNEX_PLAN_PACKET;
        long result = CALL(NR_madvise, rest, sizeof launch_memory.plan - ANNEX_PLAN_PACKET, MADV_DONTNEED);
        if (result < 0) memset(rest, 0, length - ANNEX_PLAN_PACKET);
        length = ANNEX_PLAN_PACKET;
    }
    memset(launch_memory.plan, 0, length);
}

void launch_begin(struct child *child, size_t length, const int *descriptors, uint32_t count) {
    static struct launch launch;
    launch = (struct launch){.plan = (const annex_plan *)launch_memory.plan, .descriptor_count = count, .pidfd = -1,
                             .warden_end = -1, .group_file = -1, .report = -1, .root = -1, .executable = -1, .executed = -1};
    for (uint32_t i = 0; i < count; i++) launch.descriptors[i] = descriptors[i];
    for (uint32_t i = 0; i < ANNEX_PLAN_BINDS; i++) launch.trees[i] = -1;
    child->answer.launch = plan_launch(launch_memory.plan, length);
    child->answer.begun = clock_now();

    uint32_t detail = 0;
    int error =
        plan_check(launch_memory.plan, length, count, warden.zero_is_user, warden.zero_is_group, &detail);
    if (error != 0) {
        children_fail(child, ANNEX_STEP_PLAN, error, detail);
    } else {
        error = launch_take(&launch, warden_steps, sizeof warden_steps / sizeof *warden_steps);
        if (launch.process > 0) adopt(child, &launch);
        else close_descriptor(launch.warden_end);
        // If the child failed before the warden did, the warden's failure is only a consequence. So the child's
        // report is read before the warden's failure is recorded.
        if (launch.process > 0 && error != 0) loop_hear(child);
        if (error != 0) children_fail(child, launch.step, error, launch.detail);
    }
    for (uint32_t i = 0; i < ANNEX_STEP_COUNT; i++) child->answer.times[i] = launch.times[i];
    if (launch.process == 0) children_answer(child, ANNEX_ANSWER_ENDED);
    else if (error != 0) ends_kill(child);

    close_descriptor(launch.report);
    close_descriptor(launch.group_file);
    close_all(launch.trees, ANNEX_PLAN_BINDS);
    close_all(launch.descriptors, count);
}
