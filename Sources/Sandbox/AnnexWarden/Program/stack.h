// The stack as the kernel left it: argc, argv, null, envp, null, and then pairs of key and value. The last pair has key
// 0.
#ifndef ANNEX_STACK_H
#define ANNEX_STACK_H

#include <stdint.h>

#define AT_PAGE_SIZE 6
#define AT_RANDOM_BYTES 25

// The value of a key, or null if the key is absent.
static inline const uint64_t *stack_auxiliary(const uint64_t *stack, uint64_t key) {
    const uint64_t *entry = stack + 1 + stack[0] + 1;
    while (*entry != 0) entry++;
    for (entry++; entry[0] != 0; entry += 2) {
        if (entry[0] == key) return &entry[1];
    }
    return 0;
}

#endif
