#include "CAnnexCommand.h"

#include <unistd.h>

static const char message[] =
    "annex: /proc is missing, and Annex needs it for everything: mount it first (mount -t proc proc /proc)\n";

// The Swift runtime of a static program looks for /proc/self/exe before `main`, and aborts without it. The priority 101 is
// the first that a program may use, so this function runs before the runtime's own constructors.
__attribute__((constructor(101))) static void require_proc(void) {
    char first;
    if (readlink("/proc/self/exe", &first, sizeof first) > 0) return;
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;  // If nobody can read the message, the status alone tells.
    _exit(ANNEX_CANNOT_BEGIN);
}
