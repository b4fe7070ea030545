// Starts a program that is not a child of the calling process and outlives that process.
#ifndef C_ANNEX_DETACHED_H
#define C_ANNEX_DETACHED_H

#include <stdint.h>

typedef struct annex_detached {
    int program;                      // open for reading
    char *const *arguments;           // ends with NULL
    char *const *environment;         // ends with NULL
    int changes_user;                 // whether the next four count
    uint32_t user, group;
    const uint32_t *groups;
    uint64_t group_count;
} annex_detached;

// Returns 0 when the program runs, or -errno. The program is a child of init or of a subreaper. It has its own session,
// the working directory `/`, no open files but /dev/null, no blocked signals, and default handlers.
int annex_start_detached(const annex_detached *start);

#endif
