// sd-bus without a bus: both ends of a socket pair, one method with an array of bytes.
#include "peer.h"

#include <sys/socket.h>
#include <systemd/sd-bus.h>

namespace {

constexpr const char *path = "/bench", *interface = "bench.Bench", *method = "Call";

struct ends {
    int file[2];
};

struct end {
    sd_bus *bus = nullptr;
    bool spins;
};

void check(int result, const char *what) {
    if (result < 0) give_up(what);
}

void *prepare(const bench_plan *) {
    auto *pair = new ends;
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair->file) ? nullptr : pair;
}

void *open(const bench_plan *plan, void *shared) {
    auto *link = new end{nullptr, spins(plan)};
    check(sd_bus_new(&link->bus), "sd_bus_new failed");
    int file = static_cast<ends *>(shared)->file[0];
    check(sd_bus_set_fd(link->bus, file, file), "sd_bus_set_fd failed");
    check(sd_bus_set_anonymous(link->bus, 1), "sd_bus_set_anonymous failed");
    return sd_bus_start(link->bus) < 0 ? nullptr : link;
}

int arrived(sd_bus_message *message, void *place, sd_bus_error *) {
    *static_cast<sd_bus_message **>(place) = sd_bus_message_ref(message);
    return 1;
}

sd_bus_message *spinning(sd_bus *bus, sd_bus_message *message) {
    sd_bus_message *answer = nullptr;
    check(sd_bus_call_async(bus, nullptr, message, arrived, &answer, 0), "sd_bus_call_async failed");
    while (!answer) check(sd_bus_process(bus, nullptr), "sd_bus_process failed");
    return answer;
}

size_t call(void *state, const void *request, size_t size, void *reply, size_t room) {
    auto *link = static_cast<end *>(state);
    sd_bus_message *message = nullptr, *answer = nullptr;
    check(sd_bus_message_new_method_call(link->bus, &message, nullptr, path, interface, method), "no message");
    check(sd_bus_message_append_array(message, 'y', request, size), "no array");
    if (link->spins) answer = spinning(link->bus, message);
    else check(sd_bus_call(link->bus, message, 0, nullptr, &answer), "sd_bus_call failed");
    const void *bytes = nullptr;
    size_t length = 0;
    check(sd_bus_message_read_array(answer, 'y', &bytes, &length), "no answer");
    if (length > room) length = 0;
    memcpy(reply, bytes, length);
    sd_bus_message_unref(message);
    sd_bus_message_unref(answer);
    return length;
}

int handle(sd_bus_message *message, void *state, sd_bus_error *) {
    auto *work = static_cast<answering *>(state);
    const void *bytes = nullptr;
    size_t size = 0;
    if (!sd_bus_message_is_method_call(message, interface, method)) return 0;
    check(sd_bus_message_read_array(message, 'y', &bytes, &size), "no request");
    size_t length = work->answer(bytes, size);
    sd_bus_message *reply = nullptr;
    check(sd_bus_message_new_method_return(message, &reply), "no reply");
    check(sd_bus_message_append_array(reply, 'y', work->reply.data(), length), "no array");
    check(sd_bus_send(nullptr, reply, nullptr), "sd_bus_send failed");
    sd_bus_message_unref(reply);
    return 1;
}

void serve(const bench_plan *plan, void *shared) {
    sd_bus *bus = nullptr;
    answering work(plan);
    int file = static_cast<ends *>(shared)->file[1];
    sd_id128_t id{};
    check(sd_id128_randomize(&id), "no id");
    check(sd_bus_new(&bus), "sd_bus_new failed");
    check(sd_bus_set_fd(bus, file, file), "sd_bus_set_fd failed");
    check(sd_bus_set_server(bus, 1, id), "sd_bus_set_server failed");
    check(sd_bus_set_anonymous(bus, 1), "sd_bus_set_anonymous failed");
    check(sd_bus_add_object(bus, nullptr, path, handle, &work), "sd_bus_add_object failed");
    check(sd_bus_start(bus), "sd_bus_start failed");
    for (;;) {
        int done = sd_bus_process(bus, nullptr);
        check(done, "sd_bus_process failed");
        if (!done && !spins(plan)) check(sd_bus_wait(bus, UINT64_MAX), "sd_bus_wait failed");
    }
}

}  // namespace

int main(int count, char **words) {
    bench_contender peer{};
    peer.name = "sd-bus";
    peer.about = "sd-bus, peer to peer";
    peer.prepare = prepare;
    peer.open = open;
    peer.call = call;
    peer.serve = serve;
    return peer_main(count, words, peer);
}
