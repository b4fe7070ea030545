// Whether somebody listens at a Unix socket.
#ifndef C_ANNEX_REACHING_H
#define C_ANNEX_REACHING_H

// 0 where a connection is taken at once (and closed again), else -errno.
int annex_reach_socket(const char *path);

#endif
