// Cap'n Proto RPC over a Unix socket.
#include "peer.h"

#include "bench.capnp.h"

#include <capnp/ez-rpc.h>
#include <kj/async.h>

namespace {

class Service final : public Bench::Server {
public:
    explicit Service(const bench_plan *plan) : work(plan) {}

    kj::Promise<void> call(CallContext context) override {
        auto request = context.getParams().getRequest();
        size_t length = work.answer(request.begin(), request.size());
        context.getResults().setReply(kj::arrayPtr(work.reply.data(), length));
        return kj::READY_NOW;
    }

private:
    answering work;
};

struct end {
    capnp::EzRpcClient client;
    Bench::Client bench;
    bool spins;

    end(const std::string &path, bool spins)
        : client(("unix:" + path).c_str()), bench(client.getMain<Bench>()), spins(spins) {}
};

void *open(const bench_plan *plan, void *shared) {
    // Its client does not try again.
    for (int i = 0; i < 5000 && access(path_of(shared).c_str(), F_OK); i++) usleep(1000);
    usleep(10000);
    return new end(path_of(shared), spins(plan));
}

size_t call(void *state, const void *request, size_t size, void *reply, size_t room) {
    auto *link = static_cast<end *>(state);
    auto &scope = link->client.getWaitScope();
    auto message = link->bench.callRequest();
    message.setRequest(kj::arrayPtr(static_cast<const kj::byte *>(request), size));
    auto promise = message.send();
    if (link->spins) while (!promise.poll(scope)) {}
    auto answer = promise.wait(scope);
    auto bytes = answer.getReply();
    if (bytes.size() > room) return 0;
    memcpy(reply, bytes.begin(), bytes.size());
    return bytes.size();
}

void serve(const bench_plan *plan, void *shared) {
    capnp::EzRpcServer server(kj::heap<Service>(plan), ("unix:" + path_of(shared)).c_str());
    auto &scope = server.getWaitScope();
    if (spins(plan)) for (;;) scope.poll();
    kj::NEVER_DONE.wait(scope);
}

}  // namespace

int main(int count, char **words) {
    bench_contender peer{};
    peer.name = "capnp";
    peer.about = "Cap'n Proto RPC over a Unix socket";
    peer.prepare = peer_path;
    peer.open = open;
    peer.call = call;
    peer.serve = serve;
    return peer_main(count, words, peer);
}
