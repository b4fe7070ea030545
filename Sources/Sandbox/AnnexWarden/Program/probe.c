#include "probe.h"

#include "syscalls.h"
#include "text.h"

#define NAME "annex-probe"
#define OUTPUT 1

// This function has no stack protector, because it runs before the guard is set.
int probe_is_asked_for(const uint64_t *stack) {
    const char *name = stack[0] > 0 ? (const char *)(uintptr_t)stack[1] : "";
    static const char wanted[] = NAME;
    for (uint32_t i = 0; i < sizeof wanted; i++) {
        if (name[i] != wanted[i]) return 0;
    }
    return 1;
}

static void say(const char *text, uint64_t length) { CALL(NR_write, OUTPUT, text, length); }

static void tell(const char *name, long result) {
    char line[64], *end = line;
    text_append(&end, " ");
    text_append(&end, name);
    text_append(&end, "=");
    text_append_number(&end, result < 0 ? (uint64_t)-result : 0, 10);
    say(line, (uint64_t)(end - line));
}

// Ends the calling process if it is the child of a clone that unexpectedly succeeded.
static long end_if_child(long result) {
    if (result == 0) leave(0);
    return result;
}

_Noreturn void probe_run(void) {
    say("probe", 5);
    const struct clone_arguments arguments = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
    tell("clone3", end_if_child(CALL(NR_clone3, &arguments, sizeof arguments)));
    tell("clone", end_if_child(CALL(NR_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)));
    tell("unshare", CALL(NR_unshare, CLONE_NEWUSER));
    say("\n", 1);
    leave(0);
}
