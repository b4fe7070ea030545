#include "ports.h"

#include "passing.h"
#include "syscalls.h"

// The most connections that wait for the broker at one port.
#define WAITING_MOST 64

// sockaddr_in and sockaddr_in6. Ports are in the network's byte order.
struct address_four {
    uint16_t family, port;
    uint8_t host[4], zero[8];
};
struct address_six {
    uint16_t family, port;
    uint32_t flow;
    uint8_t host[16];
    uint32_t scope;
};

static long listen_on_loopback(long socket, const annex_socket *kind) {
    uint16_t number = (uint16_t)(kind->port << 8 | kind->port >> 8);
    const struct address_four four = {.family = AF_INET, .port = number, .host = {127, 0, 0, 1}};
    const struct address_six six = {.family = AF_INET6, .port = number, .host = {[15] = 1}};
    long result = kind->family == AF_INET ? CALL(NR_bind, socket, &four, sizeof four)
                                          : CALL(NR_bind, socket, &six, sizeof six);
    if (result < 0 || kind->type == SOCK_DGRAM) return result;
    return CALL(NR_listen, socket, WAITING_MOST);
}

// Sends one socket to the broker, together with the mark of its record.
static long open_one(const struct launch *launch, const annex_socket *kind) {
    long socket = CALL(NR_socket, kind->family, kind->type | SOCK_CLOEXEC | O_NONBLOCK, 0);
    if (socket < 0) return socket;
    long result = kind->port == 0 ? 0 : listen_on_loopback(socket, kind);
    if (result >= 0) {
        int channel = launch->descriptors[kind->channel];
        result = passing_send(channel, &kind->mark, sizeof kind->mark, (int)socket, MSG_DONTWAIT);
    }
    CALL(NR_close, socket);
    return result;
}

long ports_open(struct launch *launch) {
    const annex_socket *kinds = plan_records(launch->plan, launch->plan->sockets);
    for (uint32_t i = 0; i < launch->plan->sockets.count; i++) {
        launch->detail = i;
        for (uint32_t k = 0; k < kinds[i].count; k++) {
            long result = open_one(launch, &kinds[i]);
            int is_missing = result == -EAFNOSUPPORT || result == -EADDRNOTAVAIL;
            if (is_missing && kinds[i].optional != 0) break;
            if (result < 0) return result;
        }
    }
    launch->detail = 0;
    return 0;
}
