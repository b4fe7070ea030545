// Named Unix sockets that keep message bounds: listening, connecting, and the identity of the other end.
#ifndef C_ANNEX_LOCAL_H
#define C_ANNEX_LOCAL_H

#include <stddef.h>
#include <stdint.h>

// Makes a listening socket with these permissions at a path that does not exist yet. Accepting never blocks.
int annex_local_listen(const char *path, uint32_t mode);
// Gives a listening socket that another program made the same queue of connections. Returns 0 or -errno.
int annex_local_bound(int listener);
// Accepts the next waiting connection, or returns -EAGAIN if there is none. Reads and writes on the connection never
// block.
int annex_local_accept(int listener);
// Connects to the socket at a path. If the listener's queue is full, waits at most `milliseconds`, then returns
// -EAGAIN.
int annex_local_connect(const char *path, uint32_t milliseconds);
// The process, user and group that made the other end, as the kernel recorded them when the other end was made. Returns
// 0 or -errno.
int annex_local_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group);
// Returns 1 if the descriptor is a connected Unix socket that keeps message bounds. Otherwise returns 0.
int annex_local_is_control(int descriptor);
// Returns 1 if the descriptor is a listening Unix socket that keeps message bounds. Otherwise returns 0.
int annex_local_is_listener(int descriptor);
// Sends one datagram to a path, or to an abstract name that begins with '@'. Returns 0 or -errno.
int annex_local_datagram(const char *path, const void *bytes, size_t size);

#endif
