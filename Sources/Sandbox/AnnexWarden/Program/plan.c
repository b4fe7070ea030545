#include "plan.h"

#include "kernel.h"

// The input of a check, and the place of the first error.
struct reading {
    const annex_plan *plan;
    uint32_t descriptors;
    int zero_is_user;
    int zero_is_group;
    uint32_t detail;
    int error;
};

// The offset of a field in the plan, for `detail`.
#define FIELD(name) ((uint32_t)offsetof(annex_plan, name))

#define PATH_LARGEST 4095u
#define HOSTNAME_LARGEST 64u
#define LAYERS_KNOWN ((ANNEX_LAYER_LISTENER << 1) - 1)
#define BIND_FLAGS_KNOWN (ANNEX_BIND_WRITABLE | ANNEX_BIND_DEVICE | ANNEX_BIND_NO_EXECUTE | ANNEX_BIND_OWNED)
#define PLAN_FLAGS_KNOWN \
    (ANNEX_PLAN_REAPER | ANNEX_PLAN_PROC | ANNEX_PLAN_LOOPBACK | ANNEX_PLAN_WRITE_XOR_EXECUTE | ANNEX_PLAN_NICE \
        | ANNEX_PLAN_KERNEL_FILES | ANNEX_PLAN_BY_NAME | ANNEX_PLAN_YIELDS)
#define FILTER_FLAGS_KNOWN (SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
// The kernel lets no process ignore or block these signals.
#define SIGNALS_FIXED (1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1))
#define MASK_BITS 0777u
#define MODE_BITS 07777u
#define INSTRUCTION_SIZE 8u

static void expect(struct reading *reading, int holds, uint32_t detail) {
    if (holds || reading->error != 0) return;
    reading->error = EINVAL;
    reading->detail = detail;
}

// Whether a run of `size` bytes lies after the header and inside the plan.
static int inside(const struct reading *reading, uint32_t offset, uint64_t size) {
    return offset >= sizeof(annex_plan) && offset <= reading->plan->size && size <= reading->plan->size - offset;
}

// Whether a text has its NUL at its stated end, and no NUL before that.
static int is_text(const struct reading *reading, annex_bytes text, uint32_t largest) {
    if (text.length > largest || !inside(reading, text.offset, (uint64_t)text.length + 1)) return 0;
    const char *characters = plan_text(reading->plan, text);
    for (uint32_t i = 0; i < text.length; i++) {
        if (characters[i] == 0) return 0;
    }
    return characters[text.length] == 0;
}

// Whether a component is neither empty nor "." nor "..", so that the path can be followed component by component.
static int is_plain_component(const char *start, uint32_t length) {
    if (length == 0) return 0;
    if (length == 1 && start[0] == '.') return 0;
    return !(length == 2 && start[0] == '.' && start[1] == '.');
}

// Whether a path is absolute and in its simplest form. "/" itself is valid only if the caller allows it.
static int is_path(const struct reading *reading, annex_bytes path, int root_allowed) {
    if (path.length == 0 || !is_text(reading, path, PATH_LARGEST)) return 0;
    const char *characters = plan_text(reading->plan, path);
    if (characters[0] != '/') return 0;
    if (path.length == 1) return root_allowed;
    uint32_t start = 1;
    for (uint32_t i = 1; i <= path.length; i++) {
        if (i < path.length && characters[i] != '/') continue;
        if (!is_plain_component(characters + start, i - start)) return 0;
        start = i + 1;
    }
    return 1;
}

// The records of a run. If the run is invalid, the function records the error and returns null.
static const void *run(struct reading *reading, annex_records records, uint32_t size, uint32_t most, uint32_t detail) {
    int holds = records.count <= most
        && (records.count == 0
            || (records.offset % 8 == 0 && inside(reading, records.offset, (uint64_t)records.count * size)));
    expect(reading, holds, detail);
    return holds && records.count > 0 ? plan_records(reading->plan, records) : (const void *)0;
}

static void check_flags(struct reading *reading) {
    const annex_plan *plan = reading->plan;
    uint32_t flags = plan->flags;
    expect(reading, (flags & ~(uint32_t)PLAN_FLAGS_KNOWN) == 0, FIELD(flags));
    // A plan must not change the host's own /proc or loopback interface.
    int has_place = plan_has(plan, ANNEX_LAYER_ROOT) && plan_has(plan, ANNEX_LAYER_PID);
    int has_proc = has_place && plan_has(plan, ANNEX_LAYER_PROC);
    expect(reading, (flags & ANNEX_PLAN_PROC) == 0 || has_proc, FIELD(flags));
    expect(reading, (flags & ANNEX_PLAN_KERNEL_FILES) == 0 || (flags & ANNEX_PLAN_PROC) != 0, FIELD(flags));
    expect(reading, (flags & ANNEX_PLAN_LOOPBACK) == 0 || plan_has(plan, ANNEX_LAYER_NETWORK), FIELD(flags));
    // A plan may ask for the kernel's own write-xor-execute only together with the filter, which enforces it too. If a
    // host waives the layer seccomp, it waives both.
    int has_filter = plan_has(plan, ANNEX_LAYER_SECCOMP);
    expect(reading, (flags & ANNEX_PLAN_WRITE_XOR_EXECUTE) == 0 || has_filter, FIELD(flags));
    expect(reading, (plan->filter_flags & ~FILTER_FLAGS_KNOWN) == 0, FIELD(filter_flags));
    int has_listener = (plan->filter_flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0;
    expect(reading, !has_listener || plan_has(plan, ANNEX_LAYER_LISTENER), FIELD(filter_flags));
    expect(reading, (plan->file_mask & ~MASK_BITS) == 0, FIELD(file_mask));
    expect(reading, (plan->ignored_signals & SIGNALS_FIXED) == 0, FIELD(ignored_signals));
    expect(reading, (plan->blocked_signals & SIGNALS_FIXED) == 0, FIELD(blocked_signals));
    expect(reading, plan->watch_queues == 0 || plan->watches != 0, FIELD(watches));
    expect(reading, plan->watch_queues <= INT32_MAX && plan->watches <= INT32_MAX, FIELD(watches));
    int keeps = plan->kept_scratch >= 0 && (uint32_t)plan->kept_scratch < plan->scratches.count;
    // Only the reaper's part of the child sends the directory, and only its own root has scratches.
    keeps = keeps && (flags & ANNEX_PLAN_REAPER) != 0 && plan_has(plan, ANNEX_LAYER_ROOT);
    expect(reading, keeps || plan->kept_scratch == -1, FIELD(kept_scratch));
    // The reaper leads the session that gets the terminal.
    expect(reading, plan->terminal == -1 || (flags & ANNEX_PLAN_REAPER) != 0, FIELD(terminal));
}

static void check_header(struct reading *reading, size_t length) {
    const annex_plan *plan = reading->plan;
    expect(reading, plan->magic == ANNEX_PLAN_MAGIC, FIELD(magic));
    expect(reading, plan->size == length, FIELD(size));
    expect(reading, (plan->layers & ~LAYERS_KNOWN) == 0, FIELD(layers));
    // If a sandbox had its own root in the host's mount namespace, it would replace the host's root.
    expect(reading, !plan_has(plan, ANNEX_LAYER_ROOT) || plan_has(plan, ANNEX_LAYER_MOUNT), FIELD(layers));
    // To change clocks, a process needs rights over the sandbox's own user namespace.
    expect(reading, !plan_has(plan, ANNEX_LAYER_TIME) || plan_has(plan, ANNEX_LAYER_USER), FIELD(layers));
    // 0 would mean "without limit" to tmpfs.
    int bounded = plan->root_size > 0 && plan->root_inodes > 0;
    expect(reading, !plan_has(plan, ANNEX_LAYER_ROOT) || bounded, FIELD(root_size));
    expect(reading, plan->fault_step < ANNEX_STEP_COUNT, FIELD(fault_step));
    expect(reading, plan->fault_errno < 4096, FIELD(fault_errno));
    expect(reading, plan->into_cgroup == -1 || (uint32_t)plan->into_cgroup < reading->descriptors, FIELD(into_cgroup));
    expect(reading, plan->terminal == -1 || (uint32_t)plan->terminal < reading->descriptors, FIELD(terminal));
    // Without a network of its own, the sandbox would listen in the host's network.
    expect(reading, plan->sockets.count == 0 || (plan->flags & ANNEX_PLAN_LOOPBACK) != 0, FIELD(sockets));
    check_flags(reading);
}

// The name may be any text, because the kernel resolves it inside the new root.
static void check_name(struct reading *reading) {
    const annex_plan *plan = reading->plan;
    int is_named = plan->name.length > 0;
    expect(reading, !is_named || is_text(reading, plan->name, PATH_LARGEST), FIELD(name));
    int has_argument = is_named ? plan->name_argument < plan->arguments.count : plan->name_argument == 0;
    expect(reading, has_argument, FIELD(name_argument));
    expect(reading, is_named || (plan->flags & ANNEX_PLAN_BY_NAME) == 0, FIELD(flags));
}

static void check_identity(struct reading *reading) {
    const annex_plan *plan = reading->plan;
    // The user and the group must never be those of the host's root, even if the broker requests it. 0 is valid only
    // if it is the ordinary user that runs the warden, or this user's own group. -1 is invalid, because it means "leave
    // unchanged".
    int user_holds = plan->outside_user != 0 || reading->zero_is_user;
    int group_holds = plan->outside_group != 0 || reading->zero_is_group;
    expect(reading, user_holds && plan->outside_user != UINT32_MAX, FIELD(outside_user));
    expect(reading, group_holds && plan->outside_group != UINT32_MAX, FIELD(outside_group));
    expect(reading, plan->inside_user != UINT32_MAX, FIELD(inside_user));
    expect(reading, plan->inside_group != UINT32_MAX, FIELD(inside_group));
    expect(reading, is_text(reading, plan->hostname, HOSTNAME_LARGEST), FIELD(hostname));
    expect(reading, is_path(reading, plan->directory, 1), FIELD(directory));
    expect(reading, is_path(reading, plan->executable, 0), FIELD(executable));
    check_name(reading);
}

// Whether a bind may get the map of the sandbox's user namespace as its id map. With the inside user or group 0, this
// map would give the process files that belong to root on disk.
static int has_owner(const annex_plan *plan) {
    return plan_has(plan, ANNEX_LAYER_USER) && plan->inside_user != 0 && plan->inside_group != 0;
}

static void check_binds(struct reading *reading) {
    annex_records records = reading->plan->binds;
    const annex_bind *binds = run(reading, records, sizeof *binds, ANNEX_PLAN_BINDS, FIELD(binds));
    for (uint32_t i = 0; binds != 0 && i < records.count; i++) {
        uint32_t detail = records.offset + i * (uint32_t)sizeof *binds;
        expect(reading, is_path(reading, binds[i].source, 1), detail);
        expect(reading, is_path(reading, binds[i].target, 0), detail);
        expect(reading, binds[i].descriptor < reading->descriptors, detail);
        expect(reading, (binds[i].flags & ~(uint32_t)BIND_FLAGS_KNOWN) == 0, detail);
        int is_owned = (binds[i].flags & ANNEX_BIND_OWNED) != 0;
        int has_map = binds[i].map != -1;
        expect(reading, !is_owned || has_map || has_owner(reading->plan), detail);
        expect(reading, !has_map || (is_owned && (uint32_t)binds[i].map < reading->descriptors), detail);
        expect(reading, binds[i].reserved == 0, detail);
    }
}

static void check_scratches(struct reading *reading) {
    annex_records records = reading->plan->scratches;
    const annex_scratch *scratches = run(reading, records, sizeof *scratches, ANNEX_PLAN_SCRATCHES, FIELD(scratches));
    for (uint32_t i = 0; scratches != 0 && i < records.count; i++) {
        uint32_t detail = records.offset + i * (uint32_t)sizeof *scratches;
        expect(reading, is_path(reading, scratches[i].target, 0), detail);
        expect(reading, (scratches[i].mode & ~MODE_BITS) == 0, detail);
        expect(reading, scratches[i].size > 0 && scratches[i].inodes > 0, detail);
        expect(reading, scratches[i].executable <= 1, detail);
    }
}

static void check_links(struct reading *reading) {
    annex_records records = reading->plan->links;
    const annex_link *links = run(reading, records, sizeof *links, ANNEX_PLAN_LINKS, FIELD(links));
    for (uint32_t i = 0; links != 0 && i < records.count; i++) {
        uint32_t detail = records.offset + i * (uint32_t)sizeof *links;
        expect(reading, is_path(reading, links[i].target, 0), detail);
        expect(reading, links[i].contents.length > 0 && is_text(reading, links[i].contents, PATH_LARGEST), detail);
    }
}

static void check_files(struct reading *reading) {
    annex_records records = reading->plan->files;
    const annex_file *files = run(reading, records, sizeof *files, ANNEX_PLAN_FILES, FIELD(files));
    for (uint32_t i = 0; files != 0 && i < records.count; i++) {
        uint32_t detail = records.offset + i * (uint32_t)sizeof *files;
        expect(reading, is_path(reading, files[i].target, 0), detail);
        expect(reading, is_text(reading, files[i].contents, PATH_LARGEST), detail);
        expect(reading, files[i].directory <= 1 && files[i].reserved == 0, detail);
        expect(reading, files[i].directory == 0 || files[i].contents.length == 0, detail);
    }
}

static void check_parts(struct reading *reading) {
    annex_records records = reading->plan->parts;
    const annex_part *parts = run(reading, records, sizeof *parts, ANNEX_PLAN_PARTS, FIELD(parts));
    // Without a root of its own, a launch would change the host's mounts.
    expect(reading, records.count == 0 || plan_has(reading->plan, ANNEX_LAYER_ROOT), FIELD(parts));
    for (uint32_t i = 0; parts != 0 && i < records.count; i++) {
        uint32_t detail = records.offset + i * (uint32_t)sizeof *parts;
        expect(reading, is_path(reading, parts[i].target, 0), detail);
        expect(reading, parts[i].kind >= ANNEX_PART_HELD && parts[i].kind <= ANNEX_PART_HIDDEN, detail);
        expect(reading, parts[i].reserved == 0, detail);
    }
}

static void check_descriptors(struct reading *reading) {
    annex_records records = reading->plan->descriptors;
    const annex_descriptor *list = run(reading, records, sizeof *list, ANNEX_PLAN_DESCRIPTORS, FIELD(descriptors));
    for (uint32_t i = 0; list != 0 && i < records.count; i++) {
        uint32_t detail = records.offset + i * (uint32_t)sizeof *list;
        expect(reading, list[i].index < reading->descriptors, detail);
        expect(reading, (uint32_t)list[i].number <= ANNEX_PLAN_NUMBER_LARGEST, detail);
        for (uint32_t j = 0; j < i; j++) expect(reading, list[j].number != list[i].number, detail);
    }
}

static void check_limits(struct reading *reading) {
    annex_records records = reading->plan->limits;
    const annex_limit *limits = run(reading, records, sizeof *limits, ANNEX_PLAN_LIMITS, FIELD(limits));
    for (uint32_t i = 0; limits != 0 && i < records.count; i++) {
        uint32_t detail = records.offset + i * (uint32_t)sizeof *limits;
        expect(reading, limits[i].resource < RLIMIT_COUNT && limits[i].reserved == 0, detail);
        expect(reading, limits[i].soft <= limits[i].hard, detail);
    }
}

// Checks a list of texts. `*bytes` is what the kernel counts for this list and the lists before. The texts of a plan
// may overlap, so without a bound for this sum, the check of a plan could take hours.
static void check_texts(struct reading *reading, annex_records records, uint32_t detail, uint64_t *bytes) {
    const annex_bytes *texts = run(reading, records, sizeof *texts, ANNEX_PLAN_TEXTS, detail);
    for (uint32_t i = 0; texts != 0 && i < records.count && reading->error == 0; i++) {
        *bytes += sizeof *texts + texts[i].length + 1ull;
        int holds = *bytes <= ANNEX_PLAN_LARGEST && is_text(reading, texts[i], ANNEX_PLAN_TEXT_LARGEST);
        expect(reading, holds, records.offset + i * (uint32_t)sizeof *texts);
    }
}

static void check_process(struct reading *reading) {
    uint64_t bytes = 0;
    check_texts(reading, reading->plan->arguments, FIELD(arguments), &bytes);
    check_texts(reading, reading->plan->environment, FIELD(environment), &bytes);
    expect(reading, reading->plan->arguments.count > 0, FIELD(arguments));
}

static void check_groups(struct reading *reading) {
    annex_records records = reading->plan->groups;
    const annex_group *groups = run(reading, records, sizeof *groups, ANNEX_PLAN_GROUPS, FIELD(groups));
    for (uint32_t i = 0; groups != 0 && i < records.count; i++) {
        expect(reading, groups[i].index < reading->descriptors && groups[i].reserved == 0,
               records.offset + i * (uint32_t)sizeof *groups);
    }
}

static void check_removals(struct reading *reading) {
    annex_records records = reading->plan->removals;
    const annex_bytes *removals = run(reading, records, sizeof *removals, ANNEX_PLAN_REMOVALS, FIELD(removals));
    uint32_t bytes = 0;
    for (uint32_t i = 0; removals != 0 && i < records.count; i++) {
        int holds = is_path(reading, removals[i], 0);
        expect(reading, holds, records.offset + i * (uint32_t)sizeof *removals);
        if (holds) bytes += removals[i].length + 1;
    }
    expect(reading, bytes <= ANNEX_PLAN_REMOVAL_BYTES, FIELD(removals));
}

static void check_landlock(struct reading *reading) {
    annex_records records = reading->plan->landlock;
    const annex_landlock_rule *rules = run(reading, records, sizeof *rules, ANNEX_PLAN_RULES, FIELD(landlock));
    for (uint32_t i = 0; rules != 0 && i < records.count; i++) {
        expect(reading, is_path(reading, rules[i].path, 1), records.offset + i * (uint32_t)sizeof *rules);
    }
}

static void check_port_rules(struct reading *reading) {
    annex_records records = reading->plan->port_rules;
    const annex_port_rule *rules = run(reading, records, sizeof *rules, ANNEX_PLAN_PORT_RULES, FIELD(port_rules));
    for (uint32_t i = 0; rules != 0 && i < records.count; i++) {
        expect(reading, rules[i].port <= UINT16_MAX, records.offset + i * (uint32_t)sizeof *rules);
    }
}

static void check_sockets(struct reading *reading) {
    annex_records records = reading->plan->sockets;
    const annex_socket *sockets = run(reading, records, sizeof *sockets, ANNEX_PLAN_SOCKETS, FIELD(sockets));
    uint32_t all = 0;
    for (uint32_t i = 0; sockets != 0 && i < records.count; i++) {
        uint32_t detail = records.offset + i * (uint32_t)sizeof *sockets;
        uint32_t most = sockets[i].port == 0 ? ANNEX_PLAN_SOCKETS_OF_ONE : 1;
        expect(reading, sockets[i].family == AF_INET || sockets[i].family == AF_INET6, detail);
        expect(reading, sockets[i].port <= UINT16_MAX && sockets[i].optional <= 1, detail);
        int is_known = sockets[i].type == SOCK_STREAM || (sockets[i].type == SOCK_DGRAM && sockets[i].port != 0);
        expect(reading, is_known && sockets[i].channel < reading->descriptors, detail);
        int holds = sockets[i].count > 0 && sockets[i].count <= most;
        expect(reading, holds, detail);
        if (holds) all += sockets[i].count;
    }
    expect(reading, all <= ANNEX_PLAN_SOCKETS_OF_ALL, FIELD(sockets));
}

static void check_filter(struct reading *reading) {
    annex_bytes filter = reading->plan->filter;
    if (!plan_has(reading->plan, ANNEX_LAYER_SECCOMP)) {
        // A filter without the layer seccomp is a mistake of the broker. The sandbox would lack a layer that the
        // broker expects.
        expect(reading, filter.length == 0, FIELD(filter));
        return;
    }
    expect(reading, filter.length > 0 && filter.length % INSTRUCTION_SIZE == 0, FIELD(filter));
    expect(reading, filter.offset % INSTRUCTION_SIZE == 0, FIELD(filter));
    expect(reading, filter.length / INSTRUCTION_SIZE <= ANNEX_PLAN_INSTRUCTIONS, FIELD(filter));
    expect(reading, inside(reading, filter.offset, filter.length), FIELD(filter));
}

int plan_check(
    const void *bytes, size_t length, uint32_t descriptors, int zero_is_user, int zero_is_group, uint32_t *detail) {
    struct reading reading = {
        .plan = bytes, .descriptors = descriptors, .zero_is_user = zero_is_user, .zero_is_group = zero_is_group};
    *detail = 0;
    if (length < sizeof(annex_plan) || length > ANNEX_PLAN_LARGEST) return EMSGSIZE;
    if (reading.plan->version != ANNEX_WARDEN_VERSION) {
        *detail = FIELD(version);
        return EPROTO;
    }
    // All checks below rely on `size` being the true length. If `size` is wrong, no other field is read.
    check_header(&reading, length);
    if (reading.error == 0) {
        check_identity(&reading);
        check_binds(&reading);
        check_scratches(&reading);
        check_links(&reading);
        check_files(&reading);
        check_parts(&reading);
        check_descriptors(&reading);
        check_limits(&reading);
        check_process(&reading);
        check_groups(&reading);
        check_removals(&reading);
        check_landlock(&reading);
        check_port_rules(&reading);
        check_sockets(&reading);
        check_filter(&reading);
    }
    *detail = reading.detail;
    return reading.error;
}

uint64_t plan_launch(const void *bytes, size_t length) {
    const annex_plan *plan = bytes;
    return length >= offsetof(annex_plan, launch) + sizeof plan->launch ? plan->launch : 0;
}
