// Asks the kernel about connections within this machine (sock_diag(7)).
#ifndef C_ANNEX_LOOPBACK_H
#define C_ANNEX_LOOPBACK_H

#include <stdint.h>

// Stores the user of the TCP socket at 127.0.0.1:`own`, which is connected to 127.0.0.1:`other`. Ports are in the
// machine's byte order. Returns 0 or -errno. The error is -ENOENT if no process has this socket.
int annex_loopback_user(uint16_t own, uint16_t other, uint32_t *user);

#endif
