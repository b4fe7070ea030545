#ifndef C_ANNEX_HOSTS_H
#define C_ANNEX_HOSTS_H

#include <stddef.h>
#include <stdint.h>

// All functions return 0 or a value from 0 on, or a negative errno.

// A TCP socket of this process's network that can talk to one address and port alone. Whoever gets the socket cannot
// change that: the kernel drops the packets of all other machines before the socket sees them.
int annex_host_socket(int family, const void *address, size_t size);

// Gives a TCP socket the settings of another one, as far as the other one differs from a new socket of its network.
int annex_host_copy_settings(int from, int to, int fresh);

// Connects a connected socket to its own peer again. The kernel then answers what it answers to each repeated connect.
int annex_host_repeat(int socket);

// How long the socket waits for a connection, in microseconds; 0 if it waits for as long as it takes.
int64_t annex_host_patience(int socket);

// Whether the kernel delivers packets to an address of 4 or 16 bytes to this machine itself: 1 or 0. It fails if no
// route leads to the address.
int annex_host_is_own(const void *host, size_t size);

// The state of a TCP connection in the kernel's numbers: 1 for a connected socket, 2 and 3 while it connects.
int annex_host_state(int socket);

#endif
