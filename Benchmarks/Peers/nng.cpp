// nng: pair sockets over a Unix socket.
#include "peer.h"

#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>

namespace {

struct end {
    nng_socket socket;
    int flags;

    end(const bench_plan *plan) : flags(spins(plan) ? NNG_FLAG_NONBLOCK : 0) {
        if (nng_pair0_open(&socket)) give_up("nng_pair0_open failed");
        nng_socket_set_ms(socket, NNG_OPT_RECONNMINT, 1);
        nng_socket_set_size(socket, NNG_OPT_RECVMAXSZ, 0);
    }

    void put(const void *bytes, size_t size) {
        if (nng_send(socket, const_cast<void *>(bytes), size, 0)) give_up("nng_send failed");
    }

    size_t get(void *bytes, size_t room) {
        for (;;) {
            size_t size = room;
            int failure = nng_recv(socket, bytes, &size, flags);
            if (!failure) return size;
            if (failure != NNG_EAGAIN) give_up(nng_strerror(failure));
        }
    }
};

void *open(const bench_plan *plan, void *shared) {
    auto *link = new end(plan);
    // In the background: the other side may not listen yet.
    return nng_dial(link->socket, ("ipc://" + path_of(shared)).c_str(), nullptr, NNG_FLAG_NONBLOCK) ? nullptr : link;
}

size_t call(void *link, const void *request, size_t size, void *reply, size_t room) {
    static_cast<end *>(link)->put(request, size);
    return static_cast<end *>(link)->get(reply, room);
}

void serve(const bench_plan *plan, void *shared) {
    end link(plan);
    answering answering(plan);
    std::vector<unsigned char> request(plan->request + 64);
    if (nng_listen(link.socket, ("ipc://" + path_of(shared)).c_str(), nullptr, 0)) give_up("nng_listen failed");
    for (;;) {
        size_t size = link.get(request.data(), request.size());
        link.put(answering.reply.data(), answering.answer(request.data(), size));
    }
}

}  // namespace

int main(int count, char **words) {
    bench_contender peer{};
    peer.name = "nng";
    peer.about = "nng, pair over a Unix socket";
    peer.prepare = peer_path;
    peer.open = open;
    peer.call = call;
    peer.serve = serve;
    return peer_main(count, words, peer);
}
