// The common part of the peers. Each peer is written as its own documentation shows, with its options against waiting
// turned on. It runs under the same driver as all other contenders.
#pragma once
#include "bench.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

// A unique name for a socket. Both processes know it, because one is forked from the other.
inline std::string &peer_socket() {
    static std::string path;
    return path;
}

inline void *peer_path(const bench_plan *) {
    const char *folder = getenv("TMPDIR");
    peer_socket() = std::string(folder ? folder : "/tmp") + "/annex-bench-" + std::to_string(getpid());
    // The second process is killed and removes nothing.
    atexit([] { unlink(peer_socket().c_str()); });
    return &peer_socket();
}

inline const std::string &path_of(void *shared) { return *static_cast<std::string *>(shared); }

[[noreturn]] inline void give_up(const char *what) {
    fprintf(stderr, "%s\n", what);
    bench_leave(1);
    abort();
}

inline bool spins(const bench_plan *plan) { return plan->waiting == bench_spin; }

// The memory for a message's answer: private memory, as for all contenders.
struct answering {
    bench_server server{};
    std::vector<unsigned char> reply;
    explicit answering(const bench_plan *plan) : reply(plan->reply + 64) {}
    size_t answer(const void *request, size_t size) {
        return bench_answer(&server, request, size, reply.data(), reply.size());
    }
};

// The common part of pairs of sockets. `end` has `put`, `get`, and `connect` or `listen` to a Unix socket's path.
template <typename end> void *pair_open(const bench_plan *plan, void *shared) {
    auto *link = new end(plan);
    link->connect("ipc://" + path_of(shared));
    return link;
}

template <typename end> size_t pair_call(void *link, const void *request, size_t size, void *reply, size_t room) {
    static_cast<end *>(link)->put(request, size);
    return static_cast<end *>(link)->get(reply, room);
}

template <typename end> void pair_serve(const bench_plan *plan, void *shared) {
    end link(plan);
    answering work(plan);
    std::vector<unsigned char> request(plan->request + 64);
    link.listen("ipc://" + path_of(shared));
    for (;;) {
        size_t size = link.get(request.data(), request.size());
        link.put(work.reply.data(), work.answer(request.data(), size));
    }
}

inline int peer_main(int count, char **words, const bench_contender &contender) {
    const bench_contender *const all[] = {&contender, nullptr};
    return bench_main(count, words, all);
}
