// The warden's plan parser under a fuzzer and sanitizers. If the parser accepts a plan, every byte of it is then used
// as in a launch. An accepted plan must be safe without further checks.
//
//   clang -fsanitize=fuzzer,address,undefined -I Sources/Sandbox/AnnexWarden/include
//       -I Sources/Sandbox/AnnexWarden/Program Tests/Fixtures/PlanFuzzer/plan-fuzzer.c
//       Sources/Sandbox/AnnexWarden/Program/plan.c -o plan-fuzzer && ./plan-fuzzer
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static uint64_t used;

static void expect(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "accepted although %s\n", what);
    abort();
}

static void use_text(const annex_plan *plan, annex_bytes text) {
    expect(strlen(plan_text(plan, text)) == text.length, "a text does not end where it says");
    used += text.length;
}

static void use_path(const annex_plan *plan, annex_bytes path) {
    const char *text = plan_text(plan, path);
    use_text(plan, path);
    expect(text[0] == '/' && path.length < 4096, "a path is not absolute or too long");
    expect(strstr(text, "/../") == NULL && strstr(text, "//") == NULL, "a path climbs or stutters");
    expect(path.length < 3 || strcmp(text + path.length - 3, "/..") != 0, "a path ends in a climb");
}

// Returns the number of pointers that a launch makes of the texts.
static uint64_t use_texts(const annex_plan *plan, annex_records records) {
    const annex_bytes *texts = plan_records(plan, records);
    for (uint32_t i = 0; i < records.count; i++) use_text(plan, texts[i]);
    return (uint64_t)records.count + 1;
}

static void use_lists(const annex_plan *plan, uint32_t descriptors) {
    const annex_bind *binds = plan_records(plan, plan->binds);
    for (uint32_t i = 0; i < plan->binds.count; i++) {
        use_path(plan, binds[i].source);
        use_path(plan, binds[i].target);
        expect(binds[i].descriptor < descriptors, "a bind has no descriptor");
    }
    const annex_scratch *scratches = plan_records(plan, plan->scratches);
    for (uint32_t i = 0; i < plan->scratches.count; i++) {
        use_path(plan, scratches[i].target);
        expect(scratches[i].size > 0 && scratches[i].inodes > 0, "a scratch is unbounded");
    }
    const annex_link *links = plan_records(plan, plan->links);
    for (uint32_t i = 0; i < plan->links.count; i++) {
        use_path(plan, links[i].target);
        use_text(plan, links[i].contents);
        expect(links[i].contents.length > 0, "a link points at nothing");
    }
    const annex_file *files = plan_records(plan, plan->files);
    for (uint32_t i = 0; i < plan->files.count; i++) {
        use_path(plan, files[i].target);
        use_text(plan, files[i].contents);
        expect(files[i].directory == 0 || files[i].contents.length == 0, "a directory has contents");
    }
    const annex_part *parts = plan_records(plan, plan->parts);
    for (uint32_t i = 0; i < plan->parts.count; i++) {
        use_path(plan, parts[i].target);
        expect(parts[i].kind >= ANNEX_PART_HELD && parts[i].kind <= ANNEX_PART_HIDDEN, "a part is of no kind");
        expect(plan_has(plan, ANNEX_LAYER_ROOT), "a part lies in the host's root");
    }
    const annex_descriptor *list = plan_records(plan, plan->descriptors);
    for (uint32_t i = 0; i < plan->descriptors.count; i++) {
        expect(list[i].index < descriptors, "a gift has no descriptor");
        expect(list[i].number >= 0 && list[i].number < 1024, "a number is out of bounds");
    }
    const annex_limit *limits = plan_records(plan, plan->limits);
    for (uint32_t i = 0; i < plan->limits.count; i++) expect(limits[i].resource < 16, "there is no such limit");
    const annex_group *groups = plan_records(plan, plan->groups);
    for (uint32_t i = 0; i < plan->groups.count; i++) {
        expect(groups[i].index < descriptors, "a group has no descriptor");
    }
    const annex_landlock_rule *rules = plan_records(plan, plan->landlock);
    for (uint32_t i = 0; i < plan->landlock.count; i++) use_path(plan, rules[i].path);
}

static void use_plan(const annex_plan *plan, uint32_t descriptors) {
    expect(plan->flags < ANNEX_PLAN_YIELDS << 1, "a flag is unknown");
    expect((plan->flags & ANNEX_PLAN_KERNEL_FILES) == 0 || (plan->flags & ANNEX_PLAN_PROC) != 0,
           "the kernel's files have no procfs");
    expect(plan->terminal < (int32_t)descriptors && plan->terminal >= -1, "the terminal has no descriptor");
    expect(plan->terminal == -1 || (plan->flags & ANNEX_PLAN_REAPER) != 0, "a terminal has no reaper");
    expect(plan->outside_user != 0 && plan->outside_group != 0, "it would be the host's root");
    use_text(plan, plan->hostname);
    use_path(plan, plan->directory);
    use_path(plan, plan->executable);
    if (plan->name.length > 0) use_text(plan, plan->name);
    expect(plan->name_argument < plan->arguments.count, "the name takes the place of no argument");
    expect(plan->name.length > 0 || (plan->flags & ANNEX_PLAN_BY_NAME) == 0, "a program is executed by no name");
    uint64_t pointers = use_texts(plan, plan->arguments);
    pointers += use_texts(plan, plan->environment);
    expect(pointers <= ANNEX_PLAN_TEXTS + 2, "there is no room for all pointers");
    use_lists(plan, descriptors);
    const annex_bytes *removals = plan_records(plan, plan->removals);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < plan->removals.count; i++) {
        use_path(plan, removals[i]);
        bytes += removals[i].length + 1;
    }
    expect(bytes <= ANNEX_PLAN_REMOVAL_BYTES, "the removals do not fit");
    const unsigned char *filter = (const unsigned char *)plan + plan->filter.offset;
    for (uint32_t i = 0; i < plan->filter.length; i++) used += filter[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    // The first byte is the number of descriptors. The plan follows, in a block of exactly its size.
    uint32_t descriptors = data[0] % (ANNEX_PLAN_DESCRIPTORS + 1);
    size_t length = size - 1;
    annex_plan *plan = malloc(length > 0 ? length : 1);
    if (plan == NULL) return 0;
    memcpy(plan, data + 1, length);
    // Mutation would seldom find the true length. So the plan gets the true length for half of the values of the
    // first byte.
    if (length >= sizeof(annex_plan) && data[0] < 128) plan->size = (uint32_t)length;
    uint32_t detail = 0;
    used += plan_launch(plan, length);
    if (plan_check(plan, length, descriptors, 0, 0, &detail) == 0) use_plan(plan, descriptors);
    else expect(detail <= length || length < sizeof(annex_plan), "nothing: the detail points outside");
    free(plan);
    return 0;
}
