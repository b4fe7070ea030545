// iceoryx: client and server over shared memory, copied in and out; its daemon runs for as long as this program.
#include "peer.h"

#include <iceoryx_posh/popo/untyped_client.hpp>
#include <iceoryx_posh/popo/untyped_server.hpp>
#include <iceoryx_posh/popo/wait_set.hpp>
#include <iceoryx_posh/runtime/posh_runtime.hpp>
#include <iceoryx_hoofs/log/logmanager.hpp>

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

namespace {

using namespace iox;
using namespace iox::popo;

constexpr uint32_t alignment = 8;

capro::ServiceDescription service() { return {"Annex", "bench", "call"}; }

[[noreturn]] void run_daemon(const bench_plan *plan) {
    bench_pin(plan->server);
    int nowhere = ::open("/dev/null", O_RDWR);
    for (int file = 0; file < 3; file++) dup2(nowhere, file);
    execlp("iox-roudi", "iox-roudi", "--monitoring-mode", "off", "--log-level", "off", nullptr);
    bench_leave(1);
    abort();
}

int daemon_process;

// Of a side, and like no other run's.
std::string name_of(const char *side) { return std::string("annex-bench-") + side + std::to_string(daemon_process); }

RuntimeName_t name(const char *side) { return {cxx::TruncateToCapacity, name_of(side).c_str()}; }

// Asked to end, it waits for processes that are gone; killed, it leaves what has a name. So that is removed here.
void stop_daemon() {
    bool is_ours = waitpid(daemon_process, nullptr, WNOHANG) == 0;
    if (!is_ours) return;
    kill(daemon_process, SIGKILL);
    waitpid(daemon_process, nullptr, 0);
    for (const char *side : {"client", "server"})
        for (const char *end : {"", ".lock"}) unlink(("/tmp/" + name_of(side) + end).c_str());
    unlink("/tmp/roudi");
    shm_unlink("/iceoryx_mgmt");
    if (const group *own = getgrgid(getegid())) shm_unlink((std::string("/") + own->gr_name).c_str());
}

void *start_daemon(const bench_plan *plan) {
    daemon_process = bench_fork();
    if (daemon_process < 0) return nullptr;
    if (daemon_process == 0) run_daemon(plan);
    // Where one runs already, this one ends by itself and that one serves.
    return &daemon_process;
}

void be_quiet() { log::LogManager::GetLogManager().SetDefaultLogLevel(log::LogLevel::kOff, log::LogLevelOutput::kHideLogLevel); }

const mepoo::ChunkHeader *header(const void *payload) { return mepoo::ChunkHeader::fromUserPayload(payload); }

struct client_end {
    UntypedClient client{service()};
    WaitSet<> waiting;
    bool spins;

    explicit client_end(bool spins) : spins(spins) {
        if (!spins && waiting.attachState(client, ClientState::HAS_RESPONSE).has_error()) give_up("iceoryx: no wait set");
        for (int i = 0; client.getConnectionState() != ConnectionState::CONNECTED; i++) {
            if (i > 10000) give_up("iceoryx: not connected");
            usleep(1000);
        }
    }
};

void *open(const bench_plan *plan, void *) {
    be_quiet();
    runtime::PoshRuntime::initRuntime(name("client"));
    return new client_end(spins(plan));
}

size_t call(void *state, const void *request, size_t size, void *reply, size_t room) {
    auto *link = static_cast<client_end *>(state);
    auto loaned = link->client.loan(static_cast<uint32_t>(size), alignment);
    if (loaned.has_error()) give_up("iceoryx: no memory for a request");
    memcpy(loaned.value(), request, size);
    if (link->client.send(loaned.value()).has_error()) give_up("iceoryx: the request is not sent");
    for (;;) {
        if (!link->spins) link->waiting.wait();
        auto taken = link->client.take();
        if (taken.has_error()) continue;
        size_t length = header(taken.value())->userPayloadSize();
        if (length > room) length = 0;
        memcpy(reply, taken.value(), length);
        link->client.releaseResponse(taken.value());
        return length;
    }
}

struct server_end {
    UntypedServer server{service()};
    WaitSet<> waiting;
    answering work;
    std::vector<unsigned char> request;

    explicit server_end(const bench_plan *plan) : work(plan), request(plan->request + 64) {
        if (!spins(plan) && waiting.attachState(server, ServerState::HAS_REQUEST).has_error())
            give_up("iceoryx: no wait set");
    }

    void answer(const void *asked) {
        size_t size = header(asked)->userPayloadSize();
        if (size > request.size()) give_up("iceoryx: too long");
        memcpy(request.data(), asked, size);
        size_t length = work.answer(request.data(), size);
        auto loaned = server.loan(RequestHeader::fromPayload(asked), static_cast<uint32_t>(length), alignment);
        if (loaned.has_error()) give_up("iceoryx: no memory for an answer");
        memcpy(loaned.value(), work.reply.data(), length);
        server.releaseRequest(asked);
        if (server.send(loaned.value()).has_error()) give_up("iceoryx: the answer is not sent");
    }
};

void serve(const bench_plan *plan, void *) {
    be_quiet();
    runtime::PoshRuntime::initRuntime(name("server"));
    auto *link = new server_end(plan);
    for (;;) {
        if (!spins(plan)) link->waiting.wait();
        auto taken = link->server.take();
        if (!taken.has_error()) link->answer(taken.value());
    }
}

}  // namespace

int main(int count, char **words) {
    bench_contender peer{};
    peer.name = "iceoryx";
    peer.about = "iceoryx, client and server, copied in and out";
    peer.prepare = start_daemon;
    peer.open = open;
    peer.call = call;
    peer.serve = serve;
    int status = peer_main(count, words, peer);
    if (daemon_process > 0) stop_daemon();
    // Its own tidying up asks the daemon, and waits for an answer.
    fflush(stdout);
    bench_leave(status);
}
