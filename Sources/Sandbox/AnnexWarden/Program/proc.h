// Files of /proc, in which the kernel describes processes and accepts some settings.
#ifndef ANNEX_PROC_H
#define ANNEX_PROC_H

#include <stdint.h>

// Keeps the host's /proc open, because a sandbox may begin in a mount namespace without /proc.
void proc_prepare(void);

// Reads the beginning of a file, for example "self/uid_map", and appends a NUL. Returns its length, or -errno.
long proc_read(const char *name, char *text, uint64_t size);
long proc_write(const char *name, const char *text, uint64_t length);
// Writes to a file of another process, for example `name` "/uid_map".
long proc_write_of(int process, const char *name, const char *text, uint64_t length);
// Opens a file for reading. If it is a link, the link is followed.
long proc_open(const char *name);
// Opens a file of another process for reading, for example "/ns/user". If it is a link, the link is followed.
long proc_open_of(int process, const char *name);

#endif
