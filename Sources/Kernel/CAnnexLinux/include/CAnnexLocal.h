// Named Unix sockets that keep message bounds: listening, connecting, and who is at the other end.
#ifndef C_ANNEX_LOCAL_H
#define C_ANNEX_LOCAL_H

#include <stddef.h>
#include <stdint.h>

// A new socket under a path where nothing is, with these permissions, that connections wait at. Accepting never waits.
int annex_local_listen(const char *path, uint32_t mode);
// The next connection that waits; -EAGAIN where none does. Reading and writing through it never wait.
int annex_local_accept(int listener);
// A connection to the socket at a path. Waits for a listener that is busy, at most so long: -EAGAIN then.
int annex_local_connect(const char *path, uint32_t milliseconds);
// Who made the other end, as the kernel noted it then. 0 or -errno.
int annex_local_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group);
// 1 where the descriptor is a connected Unix socket that keeps message bounds, 0 where it is anything else.
int annex_local_is_control(int descriptor);
// 1 where it is such a socket that connections wait at, 0 where it is anything else.
int annex_local_is_listener(int descriptor);
// One datagram to a path, or to an abstract name that begins with '@'. 0 or -errno.
int annex_local_datagram(const char *path, const void *bytes, size_t size);

#endif
