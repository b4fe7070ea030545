#define _GNU_SOURCE
#include "CAnnexLocal.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

// The number of connections that can wait while a daemon restarts.
// All users share this queue. A user who connects without end fills it, and the others wait until it is empty. A client
// that finds it full waits in its own call.
#define ANNEX_BACKLOG 64

static int annex_address(const char *path, struct sockaddr_un *address, socklen_t *size) {
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address->sun_path) return -ENAMETOOLONG;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
    return 0;
}

static int annex_close_with(int socket, int error) {
    close(socket);
    return -error;
}

int annex_local_listen(const char *path, uint32_t mode) {
    struct sockaddr_un address;
    socklen_t size;
    int fault = annex_address(path, &address, &size);
    if (fault < 0) return fault;
    int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) return -errno;
    // Permissions are set before the socket listens, so that no client can connect under other permissions.
    if (bind(made, (struct sockaddr *)&address, size) < 0) return annex_close_with(made, errno);
    if (chmod(path, mode) < 0 || listen(made, ANNEX_BACKLOG) < 0) {
        int error = errno;
        unlink(path);
        return annex_close_with(made, error);
    }
    return made;
}

int annex_local_bound(int listener) { return listen(listener, ANNEX_BACKLOG) < 0 ? -errno : 0; }

int annex_local_accept(int listener) {
    int taken;
    do {
        taken = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        // If the error is ECONNABORTED, the client left while it waited.
    } while (taken < 0 && (errno == EINTR || errno == ECONNABORTED));
    return taken < 0 ? -errno : taken;
}

int annex_local_connect(const char *path, uint32_t milliseconds) {
    struct sockaddr_un address;
    socklen_t size;
    int fault = annex_address(path, &address, &size);
    if (fault < 0) return fault;
    int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (made < 0) return -errno;
    struct timeval limit = {.tv_sec = milliseconds / 1000, .tv_usec = (milliseconds % 1000) * 1000};
    if (setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) < 0) return annex_close_with(made, errno);
    int result;
    do {
        result = connect(made, (struct sockaddr *)&address, size);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? annex_close_with(made, errno) : made;
}

int annex_local_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
    *process = peer.pid;
    *user = peer.uid;
    *group = peer.gid;
    return 0;
}

static int annex_option(int socket, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    return getsockopt(socket, SOL_SOCKET, name, &value, &size) < 0 ? -1 : value;
}

static int annex_is_packet_socket(int descriptor, int listens) {
    return annex_option(descriptor, SO_DOMAIN) == AF_UNIX && annex_option(descriptor, SO_TYPE) == SOCK_SEQPACKET &&
           annex_option(descriptor, SO_ACCEPTCONN) == listens;
}

int annex_local_is_control(int descriptor) {
    struct sockaddr_un address;
    socklen_t size = sizeof address;
    return annex_is_packet_socket(descriptor, 0) && getpeername(descriptor, (struct sockaddr *)&address, &size) == 0;
}

int annex_local_is_listener(int descriptor) { return annex_is_packet_socket(descriptor, 1); }

int annex_local_datagram(const char *path, const void *bytes, size_t size) {
    struct sockaddr_un address;
    socklen_t length;
    int fault = annex_address(path, &address, &length);
    if (fault < 0) return fault;
    // An abstract name has no terminating zero.
    if (address.sun_path[0] == '@') {
        address.sun_path[0] = 0;
        length -= 1;
    }
    int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (made < 0) return -errno;
    ssize_t sent = sendto(made, bytes, size, MSG_NOSIGNAL, (struct sockaddr *)&address, length);
    int error = errno;
    close(made);
    return sent < 0 ? -error : 0;
}
