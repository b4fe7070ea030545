// Files of /proc, in which the kernel tells of processes and lets some of it be changed.
#ifndef ANNEX_PROC_H
#define ANNEX_PROC_H

#include <stdint.h>

// Keeps the host's /proc open: a sandbox may begin where there is none.
void proc_prepare(void);

// Reads the beginning of a file ("self/uid_map"), with a NUL after it: its length, or -errno.
long proc_read(const char *name, char *text, uint64_t size);
long proc_write(const char *name, const char *text, uint64_t length);
// The same for the file `name` ("/uid_map") of a process.
long proc_write_of(int process, const char *name, const char *text, uint64_t length);
// Opens a file for reading, following the link that it may be.
long proc_open(const char *name);

#endif
