// The entries of a directory, and the targets of links in it.
#ifndef C_ANNEX_LISTING_H
#define C_ANNEX_LISTING_H

#include <stdint.h>

// Begins a listing of an open directory. The caller still owns the descriptor. Returns null and sets *error on failure.
void *annex_listing_open(int directory, int *error);
// The next entry except `.` and `..`, with its mode and its number of hard links. If the entry is a symbolic link, the
// mode is the link's own. The result is valid until the next call. After the last entry, the result is null. If the
// directory cannot be read further, the result is null and *error is set.
const char *annex_listing_next(void *listing, uint32_t *mode, uint64_t *links, int *error);
// The same with the kind alone, in the bits of a mode. If something is mounted at the entry, the file system of this mount
// is not asked, so it cannot make the caller wait.
const char *annex_listing_next_kind(void *listing, uint32_t *kind, int *error);
void annex_listing_close(void *listing);
// Follows a path beneath the directory, including all links. Returns 0 if the path leads to an object beneath the
// directory. Returns -EXDEV if the path leads out of the directory, and -ENOENT if the path leads to nothing.
int annex_leads_beneath(int directory, const char *path);

#endif
