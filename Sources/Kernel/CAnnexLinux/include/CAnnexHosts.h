#ifndef C_ANNEX_HOSTS_H
#define C_ANNEX_HOSTS_H

#include <stddef.h>
#include <stdint.h>

// All functions return 0 or a value from 0 on, or a negative errno.

// A TCP socket of this process's network that can talk to one address and port alone. Whoever gets the socket cannot
// change that: the kernel drops the packets of all other machines before the socket sees them.
int annex_host_socket(int family, const void *address, size_t size);

// Gives a TCP socket the settings of another one, as far as the other one differs from a new socket.
int annex_host_copy_settings(int from, int to);

// The state of a TCP connection in the kernel's numbers: 1 for a connected socket, 2 and 3 while it connects.
int annex_host_state(int socket);

#endif
