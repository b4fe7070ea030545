#include "guard.h"

#include "stack.h"
#include "syscalls.h"
#include "text.h"

uintptr_t __stack_chk_guard = 0x00000aff0a0d0000;

_Noreturn void __stack_chk_fail(void) { leave(70); }

__attribute__((no_stack_protector)) static void take(const void *random) {
    memcpy(&__stack_chk_guard, random, sizeof __stack_chk_guard);
    // The lowest byte stays zero. A text that overflows its array contains no zero before its end, so it cannot forge
    // the value.
    __stack_chk_guard &= ~(uintptr_t)0xff;
}

__attribute__((no_stack_protector)) void guard_seed(const uint64_t *stack) {
    const uint64_t *random = stack_auxiliary(stack, AT_RANDOM_BYTES);
    if (random != 0) take((const void *)(uintptr_t)*random);
}

__attribute__((no_stack_protector)) void guard_renew(void) {
    uintptr_t random = 0;
    if (CALL(NR_getrandom, &random, sizeof random, 0) == sizeof random) take(&random);
}
