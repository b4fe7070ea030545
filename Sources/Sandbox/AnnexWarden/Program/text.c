#include "text.h"

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    unsigned char *target = to;
    const unsigned char *source = from;
    while (count-- > 0) *target++ = *source++;
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    unsigned char *target = to;
    const unsigned char *source = from;
    if ((uintptr_t)target <= (uintptr_t)source) return memcpy(to, from, count);
    while (count-- > 0) target[count] = source[count];
    return to;
}

void *memset(void *to, int byte, size_t count) {
    unsigned char *target = to;
    while (count-- > 0) *target++ = (unsigned char)byte;
    return to;
}

int memcmp(const void *one, const void *other, size_t count) {
    const unsigned char *left = one, *right = other;
    for (; count > 0; count--, left++, right++) {
        if (*left != *right) return *left < *right ? -1 : 1;
    }
    return 0;
}

void text_append(char **end, const char *text) {
    while (*text != 0) *(*end)++ = *text++;
    **end = 0;
}

void text_append_number(char **end, uint64_t number, unsigned base) {
    char digits[TEXT_NUMBER + 3];
    size_t count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0);
    while (count > 0) *(*end)++ = digits[--count];
    **end = 0;
}
