// Reads a plan. This is the only code that parses bytes from outside. It makes no system call, so it can run as an
// ordinary program under a sanitizer and a fuzzer.
#ifndef ANNEX_PLAN_H
#define ANNEX_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "annex_warden.h"

// Returns 0 if every run, text, index and flag of the plan is within bounds. In this case, the launch need not check
// them again. Otherwise returns an errno, and `*detail` is the offset of the wrong field in the plan. `bytes` is
// aligned to 8. `descriptors` is the number of descriptors that came with the plan. If `zero_is_user` is set, uid 0 is
// not root, but the ordinary user that made this user namespace. If `zero_is_group` is set, gid 0 is the own group of an
// ordinary user.
int plan_check(
    const void *bytes, size_t length, uint32_t descriptors, int zero_is_user, int zero_is_group, uint32_t *detail);

// The launch's number, even if the plan is rejected. It is 0 if the plan is too short to hold the number.
uint64_t plan_launch(const void *bytes, size_t length);

// These functions are only for a checked plan.
static inline const char *plan_text(const annex_plan *plan, annex_bytes text) {
    return (const char *)plan + text.offset;
}

static inline const void *plan_records(const annex_plan *plan, annex_records records) {
    return (const char *)plan + records.offset;
}

static inline int plan_has(const annex_plan *plan, uint32_t layer) { return (plan->layers & layer) != 0; }

#endif
