// Text operations on bytes and numbers, and the four functions that a compiler calls on its own.
#ifndef ANNEX_TEXT_H
#define ANNEX_TEXT_H

#include <stddef.h>
#include <stdint.h>

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *one, const void *other, size_t count);

// Room for the digits of any uint64_t and a NUL.
#define TEXT_NUMBER 21

// Appends text or digits at `*end` and advances it. The caller's buffer must be large enough.
void text_append(char **end, const char *text);
void text_append_number(char **end, uint64_t number, unsigned base);

#endif
