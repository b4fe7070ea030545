// Opening beneath a directory, and descriptors' own flags.
#ifndef C_ANNEX_FILES_H
#define C_ANNEX_FILES_H

#include <stdint.h>

// openat2 that never leaves the directory and follows no link of any kind; close-on-exec.
int annex_open_beneath(int directory, const char *path, uint64_t flags, uint64_t mode);
// F_GETFL.
int annex_status_flags(int descriptor);

#endif
