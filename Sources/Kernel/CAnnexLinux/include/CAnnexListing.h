// The entries of a directory, and the targets of links in it.
#ifndef C_ANNEX_LISTING_H
#define C_ANNEX_LISTING_H

#include <stdint.h>

// Begins a listing of an open directory. The descriptor stays the caller's. Null with *error set on failure.
void *annex_listing_open(int directory, int *error);
// The next entry except `.` and `..`, with its mode and its number of hard links. If the entry is a symbolic link, the
// mode is the link's own. Valid until the next call. Null at the end; null with *error set if the directory cannot be
// read further.
const char *annex_listing_next(void *listing, uint32_t *mode, uint64_t *links, int *error);
void annex_listing_close(void *listing);
// 0 if a path beneath the directory, with all links followed, leads to something beneath it. -EXDEV if it leads out,
// -ENOENT if it leads to nothing.
int annex_leads_beneath(int directory, const char *path);

#endif
