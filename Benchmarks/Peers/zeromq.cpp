// ZeroMQ: PAIR sockets over a Unix socket.
#include "peer.h"

#include <zmq.h>

namespace {

struct end {
    void *socket;
    int flags;

    end(const bench_plan *plan) : flags(spins(plan) ? ZMQ_DONTWAIT : 0) {
        socket = zmq_socket(zmq_ctx_new(), ZMQ_PAIR);
        int soon = 1, never = 0;
        zmq_setsockopt(socket, ZMQ_RECONNECT_IVL, &soon, sizeof soon);
        zmq_setsockopt(socket, ZMQ_LINGER, &never, sizeof never);
    }

    void connect(const std::string &url) {
        if (zmq_connect(socket, url.c_str())) give_up("zmq_connect failed");
    }

    void listen(const std::string &url) {
        if (zmq_bind(socket, url.c_str())) give_up("zmq_bind failed");
    }

    void put(const void *bytes, size_t size) {
        if (zmq_send(socket, bytes, size, 0) < 0) give_up("zmq_send failed");
    }

    size_t get(void *bytes, size_t room) {
        for (;;) {
            int count = zmq_recv(socket, bytes, room, flags);
            if (count >= 0) return static_cast<size_t>(count);
            if (zmq_errno() != EAGAIN && zmq_errno() != EINTR) give_up("zmq_recv failed");
        }
    }
};

}  // namespace

int main(int count, char **words) {
    bench_contender peer{};
    peer.name = "zeromq";
    peer.about = "ZeroMQ, PAIR over a Unix socket";
    peer.prepare = peer_path;
    peer.open = pair_open<end>;
    peer.call = pair_call<end>;
    peer.serve = pair_serve<end>;
    return peer_main(count, words, peer);
}
