// Starts a program that is nobody's child, and outlives the process that started it.
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

// Returns when the program runs: 0, or -errno. The program is a child of init or of a subreaper, in a session of its own, in `/`,
// with no open files but /dev/null, no blocked signals and default handlers.
int annex_start_detached(const annex_detached *start);

#endif
