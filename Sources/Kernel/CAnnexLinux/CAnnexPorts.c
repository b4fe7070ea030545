#define _GNU_SOURCE
#include "CAnnexPorts.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// The most connections that wait at a port until they are accepted.
#define ANNEX_WAITING_MOST 64

typedef union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} annex_loopback;

static socklen_t loopback(annex_loopback *address, int family, uint16_t port) {
    memset(address, 0, sizeof *address);
    if (family == AF_INET6) {
        address->six = (struct sockaddr_in6){
            .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
        return sizeof address->six;
    }
    address->four = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return sizeof address->four;
}

static int set(int socket, int level, int name) {
    int on = 1;
    return setsockopt(socket, level, name, &on, sizeof on) < 0 ? -errno : 0;
}

int annex_port_socket(int family) {
    int made = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return made < 0 ? -errno : made;
}

int annex_port_listen(int family, uint16_t port) {
    int made = annex_port_socket(family);
    if (made < 0) return made;
    annex_loopback address;
    socklen_t size = loopback(&address, family, port);
    int result = set(made, SOL_SOCKET, SO_REUSEADDR);
    if (result == 0 && bind(made, &address.any, size) < 0) result = -errno;
    if (result == 0 && listen(made, ANNEX_WAITING_MOST) < 0) result = -errno;
    if (result == 0) return made;
    close(made);
    return result;
}

int annex_port_connect(int socket, int family, uint16_t port) {
    annex_loopback address;
    socklen_t size = loopback(&address, family, port);
    return connect(socket, &address.any, size) < 0 ? -errno : 0;
}

int annex_port_bind(int socket, int family) {
    // A socket that was bound and never connected keeps its port.
    int present = annex_port_own(socket);
    if (present != 0) return present;
    annex_loopback address;
    socklen_t size = loopback(&address, family, 0);
    return bind(socket, &address.any, size) < 0 ? -errno : annex_port_own(socket);
}

int annex_port_own(int socket) {
    annex_loopback address = {0};
    socklen_t size = sizeof address;
    if (getsockname(socket, &address.any, &size) < 0) return -errno;
    return ntohs(address.any.sa_family == AF_INET6 ? address.six.sin6_port : address.four.sin_port);
}

// Drops each packet.
int annex_port_deafen(int socket) {
    struct sock_filter code[] = {{.code = BPF_RET | BPF_K, .k = 0}};
    const struct sock_fprog program = {.len = 1, .filter = code};
    return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) < 0 ? -errno : 0;
}

int annex_port_hear(int socket) {
    const int unused = 0;
    return setsockopt(socket, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof unused) < 0 ? -errno : 0;
}

int annex_port_fault(int socket) {
    int fault = 0;
    socklen_t size = sizeof fault;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &fault, &size) < 0 ? errno : fault;
}

int annex_port_is_connected(int socket) {
    annex_loopback peer;
    socklen_t size = sizeof peer;
    return getpeername(socket, &peer.any, &size) == 0;
}

int64_t annex_port_send(int socket, const void *bytes, size_t size) {
    ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 ? -errno : sent;
}

int annex_port_disconnect(int socket) {
    const struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
    if (connect(socket, &nowhere, sizeof nowhere) < 0) return -errno;
    // The kernel notes the end of the connection as a fault. The next user of the socket must not see it.
    (void)annex_port_fault(socket);
    return 0;
}

int annex_port_unsent(int socket) {
    int bytes = 0;
    return ioctl(socket, SIOCOUTQ, &bytes) < 0 ? -errno : bytes;
}

int annex_port_send_at_once(int socket) { return set(socket, IPPROTO_TCP, TCP_NODELAY); }

int annex_port_reset_at_close(int socket) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    return setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) < 0 ? -errno : 0;
}
