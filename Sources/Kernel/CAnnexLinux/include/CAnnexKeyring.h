// The kernel's keyring of the user (keyrings(7)). The C library has no functions for it.
#ifndef C_ANNEX_KEYRING_H
#define C_ANNEX_KEYRING_H

#include <stddef.h>
#include <stdint.h>

// Reads the payload of a key of type "user" in the keyring of this process's user. Writes at most `room` bytes. Returns
// the size of the payload, which may be larger than `room`, or -errno. The error is -ENOKEY if the key does not exist.
long annex_keyring_read(const char *description, void *bytes, size_t room);
// Adds a key of type "user" to that keyring, or replaces the key's payload. Returns 0 or -errno.
int annex_keyring_add(const char *description, const void *bytes, size_t count);
// Removes a key of type "user" from that keyring. Returns 0 or -errno.
int annex_keyring_remove(const char *description);

#endif
