// Payload through the kernel: pipes and Unix sockets. A length goes ahead of each message, in the same call.
#define _GNU_SOURCE
#include "floors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct wire {
    int reads[2], writes[2];  // the client's in [0], the server's in [1]
    unsigned char *buffer;
    size_t room;
} wire;

enum { header = 8, largest_packet = 65536 };

static wire *make(const bench_plan *plan) {
    size_t larger = plan->request > plan->reply ? plan->request : plan->reply;
    wire *link = calloc(1, sizeof *link);
    if (!link) return NULL;
    link->room = header + larger + 64;
    link->buffer = malloc(link->room);
    return link->buffer ? link : NULL;
}

static void *pipes(const bench_plan *plan) {
    wire *link = make(plan);
    int there[2], back[2];
    if (!link || pipe2(there, O_CLOEXEC) || pipe2(back, O_CLOEXEC)) return NULL;
    *link = (wire){{back[0], there[0]}, {there[1], back[1]}, link->buffer, link->room};
    return link;
}

static void *sockets(const bench_plan *plan, int type) {
    wire *link = make(plan);
    int ends[2];
    if (!link || socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends)) return NULL;
    *link = (wire){{ends[0], ends[1]}, {ends[0], ends[1]}, link->buffer, link->room};
    return link;
}

static void *stream(const bench_plan *plan) { return sockets(plan, SOCK_STREAM); }
static void *packets(const bench_plan *plan) { return sockets(plan, SOCK_SEQPACKET); }

static void put(wire *link, int file, const void *bytes, size_t size) {
    uint64_t length = size;
    memcpy(link->buffer, &length, header);
    memcpy(link->buffer + header, bytes, size);
    size += header;
    for (size_t done = 0; done < size;) {
        ssize_t count = write(file, link->buffer + done, size - done);
        if (count < 0 && errno != EINTR) bench_leave(1);
        if (count > 0) done += (size_t)count;
    }
}

static size_t get(wire *link, int file, void *bytes) {
    uint64_t length = 0;
    for (size_t done = 0; done < header || done < header + length;) {
        ssize_t count = read(file, link->buffer + done, link->room - done);
        if (count == 0 || (count < 0 && errno != EINTR)) bench_leave(1);
        if (count > 0) done += (size_t)count;
        if (done >= header) memcpy(&length, link->buffer, header);
    }
    memcpy(bytes, link->buffer + header, length);
    return length;
}

static size_t call(void *state, const void *request, size_t size, void *reply, size_t room) {
    wire *link = state;
    (void)room;
    put(link, link->writes[0], request, size);
    return get(link, link->reads[0], reply);
}

static void serve(const bench_plan *plan, void *state) {
    wire *link = state;
    bench_server server = {0};
    void *request = malloc(link->room), *reply = malloc(link->room);
    for (;;) {
        size_t size = get(link, link->reads[1], request);
        put(link, link->writes[1], reply, bench_answer(&server, request, size, reply, plan->reply + 64));
    }
}

const bench_contender floor_pipe = {
    .name = "pipe", .about = "two pipes", .prepare = pipes, .call = call, .serve = serve};
const bench_contender floor_stream = {
    .name = "stream", .about = "a pair of Unix stream sockets", .prepare = stream, .call = call, .serve = serve};
const bench_contender floor_seqpacket = {
    .name = "seqpacket", .about = "a pair of Unix sockets that keep messages whole", .prepare = packets, .call = call,
    .serve = serve, .largest = largest_packet};
