#include "cloning.h"

#include "syscalls.h"

long cloning_make_older(const struct clone_arguments *arguments) {
    // The third argument receives the pidfd. Without a stack, the child continues on its copy of this stack.
    return CALL(NR_clone, arguments->flags & CLONE_OLD_FLAGS, 0, arguments->pidfd, 0, 0);
}

long cloning_make(const struct clone_arguments *arguments) {
    long result = CALL(NR_clone3, arguments, sizeof *arguments);
    return cloning_is_refused(result) ? cloning_make_older(arguments) : result;
}
