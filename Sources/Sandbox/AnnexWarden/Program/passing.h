// A descriptor that is sent together with a message.
#ifndef ANNEX_PASSING_H
#define ANNEX_PASSING_H

#include <stdint.h>

#include "syscalls.h"

// The layout has the kernel's alignment.
struct passed {
    struct control_header header;
    int32_t descriptor;
    int32_t padding;
};

// Sends `length` bytes. Unless `descriptor` is -1, it is sent with the bytes. Returns the result of sendmsg(2).
static inline long passing_send(int socket, const void *bytes, uint64_t length, int descriptor, uint32_t flags) {
    struct passed passed = {
        .header = {.length = sizeof passed.header + sizeof passed.descriptor, .level = SOL_SOCKET, .type = SCM_RIGHTS},
        .descriptor = descriptor,
    };
    struct buffer buffer = {.base = (void *)(uintptr_t)bytes, .length = length};
    struct message message = {.buffers = &buffer, .count = 1};
    if (descriptor >= 0) {
        message.control = &passed;
        message.control_length = sizeof passed;
    }
    return CALL(NR_sendmsg, socket, &message, flags | MSG_NOSIGNAL);
}

#endif
