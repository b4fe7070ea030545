// gRPC: unary calls over a Unix socket, one thread and one completion queue on each side.
#include "peer.h"

#include "bench.grpc.pb.h"

#include <chrono>
#include <grpcpp/grpcpp.h>

namespace {

// The next thing that is done: by looking again and again, or asleep.
void *next(grpc::CompletionQueue &queue, bool spins) {
    void *tag = nullptr;
    bool went_well = false;
    if (!spins) return queue.Next(&tag, &went_well) && went_well ? tag : nullptr;
    auto past = gpr_inf_past(GPR_CLOCK_MONOTONIC);
    for (;;) {
        auto found = queue.AsyncNext(&tag, &went_well, past);
        if (found == grpc::CompletionQueue::GOT_EVENT) return went_well ? tag : nullptr;
        if (found == grpc::CompletionQueue::SHUTDOWN) return nullptr;
    }
}

struct end {
    std::unique_ptr<bench::Bench::Stub> stub;
    grpc::CompletionQueue queue;
    bench::Bytes request, reply;
    bool spins;
};

void *open(const bench_plan *plan, void *shared) {
    auto *link = new end;
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    arguments.SetMaxReceiveMessageSize(-1);
    auto channel = grpc::CreateCustomChannel(
        "unix:" + path_of(shared), grpc::InsecureChannelCredentials(), arguments);
    link->stub = bench::Bench::NewStub(channel);
    link->spins = spins(plan);
    bool there = channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10));
    return there ? link : nullptr;
}

size_t call(void *state, const void *request, size_t size, void *reply, size_t room) {
    auto *link = static_cast<end *>(state);
    grpc::ClientContext context;
    grpc::Status status;
    link->request.set_bytes(request, size);
    auto reader = link->stub->AsyncCall(&context, link->request, &link->queue);
    reader->Finish(&link->reply, &status, link);
    if (!next(link->queue, link->spins) || !status.ok()) return 0;
    const std::string &bytes = link->reply.bytes();
    if (bytes.size() > room) return 0;
    memcpy(reply, bytes.data(), bytes.size());
    return bytes.size();
}

// One call on its way through the server.
struct pending {
    grpc::ServerContext context;
    bench::Bytes request, reply;
    grpc::ServerAsyncResponseWriter<bench::Bytes> writer{&context};
    bool is_answered = false;
};

void await(bench::Bench::AsyncService &service, grpc::ServerCompletionQueue &queue) {
    auto *call = new pending;
    service.RequestCall(&call->context, &call->request, &call->writer, &queue, &queue, call);
}

void serve(const bench_plan *plan, void *shared) {
    bench::Bench::AsyncService service;
    grpc::ServerBuilder builder;
    answering work(plan);
    builder.AddListeningPort("unix:" + path_of(shared), grpc::InsecureServerCredentials());
    builder.SetMaxReceiveMessageSize(-1);
    builder.RegisterService(&service);
    auto queue = builder.AddCompletionQueue();
    auto server = builder.BuildAndStart();
    if (!server) give_up("gRPC does not listen");
    await(service, *queue);
    for (;;) {
        auto *call = static_cast<pending *>(next(*queue, spins(plan)));
        if (!call) continue;
        if (call->is_answered) {
            delete call;
            continue;
        }
        await(service, *queue);
        size_t length = work.answer(call->request.bytes().data(), call->request.bytes().size());
        call->reply.set_bytes(work.reply.data(), length);
        call->is_answered = true;
        call->writer.Finish(call->reply, grpc::Status::OK, call);
    }
}

}  // namespace

int main(int count, char **words) {
    bench_contender peer{};
    peer.name = "grpc";
    peer.about = "gRPC, unary over a Unix socket";
    peer.prepare = peer_path;
    peer.open = open;
    peer.call = call;
    peer.serve = serve;
    return peer_main(count, words, peer);
}
