// Reading a plan: the only code that looks at bytes from outside. Without system calls, so that a
// sanitizer and a fuzzer can run it as an ordinary program.
#ifndef ANNEX_PLAN_H
#define ANNEX_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "annex_warden.h"

// 0 when every run, text, index and flag of the plan is within bounds, so that the launch need not check
// again; else an errno, and `*detail` is the offset in the plan of the field that is wrong.
// `bytes` is aligned to 8; `descriptors` is how many arrived with the plan; `zero_is_user`: uid 0 is no root, but the
// ordinary user that made this user namespace.
int plan_check(const void *bytes, size_t length, uint32_t descriptors, int zero_is_user, uint32_t *detail);

// The launch's number, also from a plan that is refused; 0 where there are not even so many bytes.
uint64_t plan_launch(const void *bytes, size_t length);

// Only for a plan that was checked.
static inline const char *plan_text(const annex_plan *plan, annex_bytes text) {
    return (const char *)plan + text.offset;
}

static inline const void *plan_records(const annex_plan *plan, annex_records records) {
    return (const char *)plan + records.offset;
}

static inline int plan_has(const annex_plan *plan, uint32_t layer) { return (plan->layers & layer) != 0; }

#endif
