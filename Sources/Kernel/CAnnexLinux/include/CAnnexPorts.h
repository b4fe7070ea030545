#ifndef C_ANNEX_PORTS_H
#define C_ANNEX_PORTS_H

#include <stddef.h>
#include <stdint.h>

int annex_port_listen(int family, uint16_t port);
int annex_port_socket(int family);
int annex_port_connect(int socket, int family, uint16_t port);
// Binds a socket to any free port of the loopback address. Returns the port.
int annex_port_bind(int socket, int family);
int annex_port_own(int socket);
// From now on, the socket receives nothing, until it hears again. So the refusal of a connection does not reach it.
int annex_port_deafen(int socket);
int annex_port_hear(int socket);
int annex_port_disconnect(int socket);
int annex_port_is_connected(int socket);
int annex_port_fault(int socket);
int64_t annex_port_send(int socket, const void *bytes, size_t size);
int annex_port_unsent(int socket);
int annex_port_send_at_once(int socket);
int annex_port_reset_at_close(int socket);

#endif
