// `posix_spawn` with the two GNU extensions that Swift's import of the C library lacks.
#ifndef C_SPAWN_H
#define C_SPAWN_H

#include <sys/types.h>

#define SPAWN_STREAM_NONE (-1)

// Starts a program in a process group of its own, without blocked or ignored signals and without other descriptors.
// folder: its working directory, or null for the one of this process.
// streams: descriptors for its input, output and errors, or SPAWN_STREAM_NONE for /dev/null.
// Returns 0 and sets *number, or returns an errno value.
int spawn_program(const char *program, char *const arguments[], char *const variables[], const char *folder,
                  const int streams[3], pid_t *number);

#endif
