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

    void connect(const std::string &url) {
        // In the background: the other side may not listen yet.
        if (nng_dial(socket, url.c_str(), nullptr, NNG_FLAG_NONBLOCK)) give_up("nng_dial failed");
    }

    void listen(const std::string &url) {
        if (nng_listen(socket, url.c_str(), nullptr, 0)) give_up("nng_listen failed");
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

}  // namespace

int main(int count, char **words) {
    bench_contender peer{};
    peer.name = "nng";
    peer.about = "nng, pair over a Unix socket";
    peer.prepare = peer_path;
    peer.open = pair_open<end>;
    peer.call = pair_call<end>;
    peer.serve = pair_serve<end>;
    return peer_main(count, words, peer);
}
