// Large messages in a memory file whose descriptor is passed. Each message has a new file, or the same file is reused.
// The receiver maps the file, reads it in place and answers with a small message.
#define _GNU_SOURCE
#include "floors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { largest_answer = 4096, seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

typedef struct passing {
    int ends[2], file;
    unsigned char *bytes;  // the mapping of the reused file, or of the last answer
    size_t size;           // the size of that answer
} passing;

static void check(bool went_well) {
    if (!went_well) bench_leave(1);
}

static passing *connected(void) {
    passing *link = calloc(1, sizeof *link);
    return link && !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link->ends) ? link : NULL;
}

static void *fresh(const bench_plan *plan) {
    (void)plan;
    return connected();
}

static void *reused(const bench_plan *plan) {
    passing *link = connected();
    if (!link || (link->file = memfd_create("floor", MFD_CLOEXEC)) < 0) return NULL;
    if (ftruncate(link->file, (off_t)plan->request)) return NULL;
    link->bytes = mmap(NULL, plan->request, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, link->file, 0);
    return link->bytes == MAP_FAILED ? NULL : link;
}

static void send_file(int socket, int file, uint64_t size) {
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr head; } control = {0};
    struct iovec part = {&size, sizeof size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(head), &file, sizeof file);
    check(sendmsg(socket, &message, 0) == sizeof size);
}

static int receive_file(int socket, uint64_t *size) {
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr head; } control = {0};
    struct iovec part = {size, sizeof *size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    int file;
    check(recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == sizeof *size && CMSG_FIRSTHDR(&message));
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    return file;
}

static size_t answered(passing *link, void *reply, size_t room) {
    ssize_t count = recv(link->ends[0], reply, room, 0);
    return count < 0 ? 0 : (size_t)count;
}

static size_t call_fresh(void *state, const void *request, size_t size, void *reply, size_t room) {
    passing *link = state;
    int file = memfd_create("floor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    check(file >= 0 && !ftruncate(file, (off_t)size));
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    check(bytes != MAP_FAILED);
    memcpy(bytes, request, size);
    check(!munmap(bytes, size) && !fcntl(file, F_ADD_SEALS, seals));
    send_file(link->ends[0], file, size);
    size_t length = answered(link, reply, room);
    close(file);
    return length;
}

static size_t call_reused(void *state, const void *request, size_t size, void *reply, size_t room) {
    passing *link = state;
    memcpy(link->bytes, request, size);
    send_file(link->ends[0], link->file, size);
    return answered(link, reply, room);
}

static void serve(const bench_plan *plan, void *state) {
    passing *link = state;
    bench_server server = {0};
    unsigned char reply[largest_answer];
    (void)plan;
    for (;;) {
        uint64_t size;
        int file = receive_file(link->ends[1], &size);
        void *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
        check(bytes != MAP_FAILED);
        size_t length = bench_answer(&server, bytes, size, reply, sizeof reply);
        check(!munmap(bytes, size) && !close(file));
        check(send(link->ends[1], reply, length, 0) == (ssize_t)length);
    }
}

// --- The other direction: the answer is large. It is written in place, sealed, passed, and verified in its mapping.

static size_t call_for_memory(void *state, const void *request, size_t size, void *reply, size_t room) {
    passing *link = state;
    uint64_t first, length;
    if (link->bytes) check(!munmap(link->bytes, link->size));
    link->bytes = NULL;
    check(send(link->ends[0], request, size, 0) == (ssize_t)size);
    memcpy(&first, request, sizeof first);
    if ((first & 0xFF) != bench_wants_reply) return answered(link, reply, room);
    int file = receive_file(link->ends[0], &length);
    link->bytes = mmap(NULL, length, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    check(link->bytes != MAP_FAILED && !close(file));
    return link->size = length;
}

static const void *mapped_answer(void *state) { return ((passing *)state)->bytes; }

static void answer_in_memory(bench_server *server, int socket, const void *request, size_t size, size_t length) {
    int file = memfd_create("floor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    check(file >= 0 && !ftruncate(file, (off_t)length));
    void *bytes = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    check(bytes != MAP_FAILED);
    length = bench_answer(server, request, size, bytes, length);
    check(!munmap(bytes, length) && !fcntl(file, F_ADD_SEALS, seals));
    send_file(socket, file, length);
    close(file);
}

static void serve_memory(const bench_plan *plan, void *state) {
    passing *link = state;
    bench_server server = {0};
    unsigned char request[largest_answer], reply[64];
    for (;;) {
        ssize_t size = recv(link->ends[1], request, sizeof request, 0);
        check(size > 0);
        if (request[0] == bench_wants_reply) {
            answer_in_memory(&server, link->ends[1], request, (size_t)size, plan->reply);
        } else {
            size_t length = bench_answer(&server, request, (size_t)size, reply, sizeof reply);
            check(send(link->ends[1], reply, length, 0) == (ssize_t)length);
        }
    }
}

const bench_contender memfd_answer = {
    .name = "memfd-answer", .about = "the answer in a new sealed memfd, passed, mapped and read in place",
    .prepare = fresh, .call = call_for_memory, .place = mapped_answer, .serve = serve_memory};
const bench_contender memfd_new = {
    .name = "memfd-new", .about = "a new sealed memfd for each message, passed and mapped", .prepare = fresh,
    .call = call_fresh, .serve = serve};
const bench_contender memfd_reused = {
    .name = "memfd-reused", .about = "one memfd, passed and mapped by the receiver for each message",
    .prepare = reused, .call = call_reused, .serve = serve};
