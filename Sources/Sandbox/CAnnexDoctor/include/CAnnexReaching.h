// Tests whether a Unix socket has a listener.
#ifndef C_ANNEX_REACHING_H
#define C_ANNEX_REACHING_H

// Returns 0 if the socket accepts a connection at once. This connection is closed again. Otherwise returns -errno.
int annex_reach_socket(const char *path);

#endif
