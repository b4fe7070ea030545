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

void *open(const bench_plan *plan, void *shared) {
    auto *link = new end(plan);
    return zmq_connect(link->socket, ("ipc://" + path_of(shared)).c_str()) ? nullptr : link;
}

size_t call(void *link, const void *request, size_t size, void *reply, size_t room) {
    static_cast<end *>(link)->put(request, size);
    return static_cast<end *>(link)->get(reply, room);
}

void serve(const bench_plan *plan, void *shared) {
    end link(plan);
    answering answering(plan);
    std::vector<unsigned char> request(plan->request + 64);
    if (zmq_bind(link.socket, ("ipc://" + path_of(shared)).c_str())) give_up("zmq_bind failed");
    for (;;) {
        size_t size = link.get(request.data(), request.size());
        link.put(answering.reply.data(), answering.answer(request.data(), size));
    }
}

}  // namespace

int main(int count, char **words) {
    bench_contender peer{};
    peer.name = "zeromq";
    peer.about = "ZeroMQ, PAIR over a Unix socket";
    peer.prepare = peer_path;
    peer.open = open;
    peer.call = call;
    peer.serve = serve;
    return peer_main(count, words, peer);
}
