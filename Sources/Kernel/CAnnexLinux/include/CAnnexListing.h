// What is in a directory, and where its links lead.
#ifndef C_ANNEX_LISTING_H
#define C_ANNEX_LISTING_H

#include <stdint.h>

// Starts over the entries of an open directory; the descriptor stays the caller's. Null with *error set.
void *annex_listing_open(int directory, int *error);
// The next entry but `.` and `..`, and its mode (a link's own); valid until the next call. Null at the end, and
// with *error set where the directory cannot be read on.
const char *annex_listing_next(void *listing, uint32_t *mode, int *error);
void annex_listing_close(void *listing);
// 0 where a path beneath the directory leads to something beneath it, through whatever links; -EXDEV where it leads
// out, -ENOENT where it leads to nothing.
int annex_leads_beneath(int directory, const char *path);

#endif
