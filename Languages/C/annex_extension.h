/* An Annex extension in C, over rings (Docs/Reference/Wire.md, Docs/Design/Channel.md). C11 or C++11 with -D_GNU_SOURCE, nothing else.

       struct annex_extension e;
       struct annex_message m;
       if (annex_open(&e) || annex_hello(&e, 0)) return 1;
       while (annex_next(&e, &m, -1) > 0 && !(m.kind == ANNEX_EVENT && m.method == ANNEX_GOODBYE))
           if (m.kind == ANNEX_REQUEST) annex_reply(&e, &m, m.payload, m.length);

   For one thread. What fails returns a negative errno: -EPROTO where the host breaks the wire's rules. */
#ifndef ANNEX_EXTENSION_H
#define ANNEX_EXTENSION_H
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ANNEX_HELLO = 1, ANNEX_REQUEST, ANNEX_REPLY, ANNEX_FAILURE, ANNEX_CANCEL, ANNEX_EVENT, ANNEX_PING, ANNEX_PONG,
       ANNEX_OPEN, ANNEX_DATA, ANNEX_CREDIT, ANNEX_FINISH, ANNEX_RESET };
enum { ANNEX_GOODBYE = 2, ANNEX_MOST_PIECES = 16, ANNEX_PAGE = 4096, ANNEX_LINE = 64 };
enum { ANNEX_CONSUMED = 128, ANNEX_RECEIVER = 256, ANNEX_SENDER = 260, ANNEX_PROCESSOR = 264 };
#define ANNEX_MAGIC 0x43584E41u
#define ANNEX_PIECES_MARK 0x44464E41u
#define ANNEX_VERSION 2u
#define ANNEX_CALLS_HOST (UINT64_C(1) << 32)
#define ANNEX_NO_ANSWER 0xFFFFFFFFu
#define ANNEX_UNKNOWN_METHOD 0xFFFFFFFEu
struct annex_extension {
    int control;
    unsigned char *host, *own;               /* both regions; the host's can only be read */
    uint32_t host_capacity, own_capacity;    /* of their rings */
    uint32_t looks;                          /* at the ring before sleeping: 0 blocks, UINT32_MAX spins */
    uint32_t read, told;                     /* how far the host's ring is read, and the host knows */
    uint32_t written, seen, cleared, rung;   /* how far ours is written, and the host has read; our last doorbell */
    uint64_t host_features, calls;
    unsigned char *payload;                  /* room for the largest that comes */
};
struct annex_message {
    uint8_t kind, attended;
    uint16_t method;
    uint32_t length;
    uint64_t call;
    struct { uint64_t limit, most_bytes, most_pieces; } terms; /* a request's: nanoseconds, what the answer may bring */
    const unsigned char *payload;                              /* until the next annex_next */
    int piece_count, pieces[ANNEX_MOST_PIECES];                /* descriptors that came with it, yours to close */
};
struct annex_tag { uint32_t mark, count; uint64_t call; };
union annex_room { struct cmsghdr aligned; char bytes[CMSG_SPACE(ANNEX_MOST_PIECES * sizeof(int))]; };
/* Words that the other side reads or writes meanwhile: each access is one atomic instruction. */
static inline uint32_t *annex_word(unsigned char *region, uint32_t at) { return (uint32_t *)(void *)(region + at); }
static inline uint64_t *annex_header(unsigned char *region, uint32_t capacity, uint32_t at) {
    return (uint64_t *)(void *)(region + ANNEX_PAGE + (at & (capacity - 1)));
}
static inline uint32_t annex_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void annex_store(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
static inline uint64_t annex_first(struct annex_extension *e, uint32_t at) { /* 0: no frame is there */
    return __atomic_load_n(annex_header(e->host, e->host_capacity, at), __ATOMIC_ACQUIRE);
}
static inline void annex_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline uint32_t annex_round(uint32_t value, uint32_t unit) { return (value + unit - 1) & ~(unit - 1); }
static inline int annex_fits(off_t size, uint32_t ring, uint32_t arena) { /* of a region; arenas lie unused */
    return ring >= ANNEX_PAGE && !(ring & (ring - 1)) && size == ANNEX_PAGE + (off_t)ring + (off_t)arena;
}
/* Sleeps while the word is `value`: until somebody wakes, or the time has passed. */
static inline int annex_sleep(const uint32_t *word, uint32_t value, int64_t nanoseconds) {
    struct timespec limit;
    limit.tv_sec = (time_t)(nanoseconds / 1000000000), limit.tv_nsec = (long)(nanoseconds % 1000000000);
    long woken = syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
    return woken == 0 || errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT ? 0 : -errno;
}
static inline void annex_wake(void *word) { (void)syscall(SYS_futex, word, FUTEX_WAKE, 0x7FFFFFFF, NULL, NULL, 0); }
/* Takes the descriptors 3, 4 and 5 that the sandbox left. */
static inline int annex_open(struct annex_extension *e) {
    struct stat host, own;
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* so that a crash loses no printed line */
    memset(e, 0, sizeof *e), e->control = 3, e->looks = 2048;
    if (fstat(4, &host) || fstat(5, &own)) return -errno;
    if (host.st_size <= ANNEX_PAGE || host.st_size > ANNEX_PAGE + (1 << 28) + (1 << 22)) return -EPROTO;
    e->host = (unsigned char *)mmap(NULL, (size_t)host.st_size, PROT_READ, MAP_SHARED, 4, 0);
    if (e->host == MAP_FAILED) return -errno;
    e->host_capacity = annex_load(annex_word(e->host, 8)), e->own_capacity = annex_load(annex_word(e->host, 12));
    if (annex_load(annex_word(e->host, 0)) != ANNEX_MAGIC || annex_load(annex_word(e->host, 4)) != ANNEX_VERSION
        || !annex_fits(host.st_size, e->host_capacity, annex_load(annex_word(e->host, 24)))
        || !annex_fits(own.st_size, e->own_capacity, annex_load(annex_word(e->host, 28)))) return -EPROTO;
    memcpy(&e->host_features, e->host + 16, sizeof e->host_features);
    e->own = (unsigned char *)mmap(NULL, (size_t)own.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, 5, 0);
    if (e->own == MAP_FAILED) return -errno;
    e->cleared = e->own_capacity, e->payload = (unsigned char *)malloc(e->host_capacity / 2);
    return !e->payload ? -ENOMEM : close(4) || close(5) ? -errno : 0;
}
/* Whether a frame of this size fits, and a line behind it. */
static inline int annex_has_room(struct annex_extension *e, uint32_t need) {
    uint32_t unread = e->written - e->seen;
    if (need <= e->own_capacity - unread) return 1;
    uint32_t taken = annex_load(annex_word(e->host, ANNEX_CONSUMED)) - e->seen;
    if (taken > unread || taken % ANNEX_LINE) return -EPROTO;
    e->seen += taken;
    return need <= e->own_capacity - (unread - taken);
}
/* A message of the control socket with these bytes, and room for descriptors. */
static inline struct msghdr annex_packet(struct iovec *part, void *bytes, size_t count, void *room, size_t size) {
    struct msghdr message;
    memset(&message, 0, sizeof message);
    part->iov_base = bytes, part->iov_len = count;
    message.msg_iov = part, message.msg_iovlen = 1;
    message.msg_control = room, message.msg_controllen = size;
    return message;
}
/* Rings for a host that sleeps in epoll, once each time that it asks. */
static inline int annex_ring(struct annex_extension *e, uint32_t state) {
    if ((state & 3) != 2 || state == e->rung) return 0;
    e->rung = state;
    char bell = 1;
    struct iovec part;
    struct msghdr message = annex_packet(&part, &bell, sizeof bell, NULL, 0);
    return sendmsg(e->control, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0 || errno == EAGAIN ? 0 : -errno;
}
static inline int annex_make_room(struct annex_extension *e, uint32_t need) {
    uint32_t *flag = annex_word(e->own, ANNEX_SENDER), *consumed = annex_word(e->host, ANNEX_CONSUMED);
    int fits, failed = 0;
    while ((fits = annex_has_room(e, need)) == 0 && !failed) {
        annex_fence();
        /* What answered an attended call rang for nobody, and a host that does not look makes no room. */
        failed = annex_ring(e, annex_load(annex_word(e->host, ANNEX_RECEIVER)));
        annex_store(flag, 1);
        annex_fence();
        if (!failed && annex_load(consumed) == e->seen) failed = annex_sleep(consumed, e->seen, INT64_MAX);
        annex_store(flag, 0);
    }
    return fits < 0 ? fits : failed;
}
/* Copies into our ring, or out of the host's; what goes past the end goes on at the start. */
static inline void annex_put(struct annex_extension *e, uint32_t at, const void *bytes, uint32_t count) {
    uint32_t offset = at & (e->own_capacity - 1), room = e->own_capacity - offset, first = count < room ? count : room;
    if (first) memcpy(e->own + ANNEX_PAGE + offset, bytes, first);
    if (first < count) memcpy(e->own + ANNEX_PAGE, (const unsigned char *)bytes + first, count - first);
}
static inline void annex_get(struct annex_extension *e, uint32_t at, void *bytes, uint32_t count) {
    uint32_t offset = at & (e->host_capacity - 1), room = e->host_capacity - offset;
    uint32_t first = count < room ? count : room;
    memcpy(bytes, e->host + ANNEX_PAGE + offset, first);
    if (first < count) memcpy((unsigned char *)bytes + first, e->host + ANNEX_PAGE, count - first);
}
/* Writes a frame of `head_count` (at most 24) and then `count` bytes, and wakes a host that sleeps. */
static inline int annex_write(struct annex_extension *e, uint8_t kind, int pieces, uint16_t method, uint64_t call,
                              const void *head, uint32_t head_count, const void *bytes, size_t count, int attended) {
    static const unsigned char zeros[ANNEX_LINE] = {0};
    if (count > e->own_capacity / 2 - head_count) return -EMSGSIZE;
    uint32_t length = head_count + (uint32_t)count, size = annex_round(16 + length, ANNEX_LINE), start = e->written;
    int failed = annex_make_room(e, size + ANNEX_LINE);
    if (failed) return failed;
    e->written += size;
    if ((int32_t)(e->cleared - e->written) <= 0) { /* where the next header will be, no old one may lie */
        uint32_t room = e->own_capacity - (e->written - e->seen);
        e->cleared = e->written + (room < 1024 ? room : 1024);
        for (uint32_t line = e->written; line != e->cleared; line += ANNEX_LINE)
            __atomic_store_n(annex_header(e->own, e->own_capacity, line), 0, __ATOMIC_RELAXED);
    }
    annex_put(e, start + 16, head, head_count);
    annex_put(e, start + 16 + head_count, bytes, (uint32_t)count);
    annex_put(e, start + 16 + length, zeros, size - 16 - length);
    uint64_t *header = annex_header(e->own, e->own_capacity, start);
    __atomic_store_n(header + 1, call, __ATOMIC_RELAXED);
    __atomic_store_n(header, kind | (uint64_t)pieces << 8 | (uint64_t)method << 16 | (uint64_t)length << 32,
                     __ATOMIC_RELEASE);
    annex_fence();
    uint32_t state = annex_load(annex_word(e->host, ANNEX_RECEIVER));
    if (state == 1) annex_wake(header);
    return attended ? 0 : annex_ring(e, state);
}
/* Features: the lower 32 bits are yours; ANNEX_CALLS_HOST besides where you use annex_request. */
static inline int annex_hello(struct annex_extension *e, uint64_t features) {
    const struct { uint32_t magic, version; uint64_t features; } hello = {ANNEX_MAGIC, ANNEX_VERSION, features};
    return annex_write(e, ANNEX_HELLO, 0, 0, 0, NULL, 0, &hello, sizeof hello, 0);
}
static inline int annex_event(struct annex_extension *e, uint16_t method, const void *bytes, size_t count) {
    return annex_write(e, ANNEX_EVENT, 0, method, 0, NULL, 0, bytes, count, 0);
}
static inline int annex_reply(struct annex_extension *e, const struct annex_message *m, const void *bytes,
                              size_t count) {
    return annex_write(e, ANNEX_REPLY, 0, m->method, m->call, NULL, 0, bytes, count, m->attended);
}
static inline int annex_fail(struct annex_extension *e, const struct annex_message *m, uint32_t code,
                             const char *text) {
    return annex_write(e, ANNEX_FAILURE, 0, m->method, m->call, &code, 4, text, strlen(text), m->attended);
}
/* Calls the host. The answer comes by annex_next, as a reply or failure whose call is the number returned. */
static inline int64_t annex_request(struct annex_extension *e, uint16_t method, const void *bytes, size_t count) {
    uint64_t terms[3] = {UINT64_MAX, 0, 0};
    int failed = annex_write(e, ANNEX_REQUEST, 0, method, e->calls + 1, terms, sizeof terms, bytes, count, 0);
    return failed ? failed : (int64_t)++e->calls;
}
/* Answers with memfds besides, each filled and sealed (SEAL, SHRINK, GROW, WRITE), which go ahead of the frame. */
static inline int annex_reply_sealed(struct annex_extension *e, const struct annex_message *m, const void *bytes,
                                     size_t count, const int *memory, int pieces) {
    if (pieces < 1 || pieces > ANNEX_MOST_PIECES || (uint64_t)pieces > m->terms.most_pieces) return -EINVAL;
    union annex_room room;
    struct annex_tag tag = {ANNEX_PIECES_MARK, (uint32_t)pieces, m->call};
    size_t size = (size_t)pieces * sizeof(int);
    struct iovec part;
    struct msghdr message = annex_packet(&part, &tag, sizeof tag, memset(&room, 0, sizeof room), CMSG_SPACE(size));
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET, rights->cmsg_type = SCM_RIGHTS, rights->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(rights), memory, size);
    /* EPERM: the caller has given up meanwhile, and nobody accepts it any more. */
    if (sendmsg(e->control, &message, MSG_NOSIGNAL) < 0)
        return errno == EPERM ? annex_fail(e, m, ANNEX_NO_ANSWER, "nobody accepts the sealed memory") : -errno;
    return annex_write(e, ANNEX_REPLY, pieces, m->method, m->call, NULL, 0, bytes, count, m->attended);
}
/* What the host sent ahead of a message: it is there, or never comes. */
static inline int annex_take_pieces(struct annex_extension *e, struct annex_message *m, int announced) {
    union annex_room room;
    struct annex_tag tag;
    struct iovec part;
    struct msghdr message = annex_packet(&part, &tag, sizeof tag, &room, sizeof room);
    ssize_t count = recvmsg(e->control, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN ? -EPROTO : -errno;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS) {
        m->piece_count = (int)((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(m->pieces, CMSG_DATA(rights), (size_t)m->piece_count * sizeof(int));
    }
    if (count == sizeof tag && tag.mark == ANNEX_PIECES_MARK && tag.call == m->call && m->piece_count == announced)
        return 0;
    while (m->piece_count) (void)close(m->pieces[--m->piece_count]);
    return -EPROTO;
}
/* Where the frame behind this one lies. */
static inline uint32_t annex_behind(struct annex_extension *e, uint32_t at, uint64_t first) {
    uint32_t next = at + annex_round(16 + (uint32_t)(first >> 32), ANNEX_LINE);
    return first & 0x8000 ? annex_round(next, e->host_capacity) : next;
}
/* Takes one frame out, whose first word this is; what it holds is copied. */
static inline int annex_take(struct annex_extension *e, struct annex_message *m, uint64_t first) {
    uint32_t length = (uint32_t)(first >> 32), terms = 0, at = e->read;
    memset(m, 0, sizeof *m);
    m->kind = (uint8_t)first, m->attended = (first >> 13) & 1, m->method = (uint16_t)(first >> 16);
    m->terms.limit = UINT64_MAX;
    if (m->kind == 0 || m->kind > ANNEX_RESET || length > e->host_capacity / 2) return -EPROTO;
    if (m->kind == ANNEX_REQUEST && !(first & 0x4000)) terms = sizeof m->terms;
    if (length < terms) return -EPROTO;
    annex_get(e, at + 8, &m->call, sizeof m->call);
    if (terms) annex_get(e, at + 16, &m->terms, terms);
    m->length = length - terms, m->payload = e->payload;
    annex_get(e, at + 16 + terms, e->payload, m->length);
    e->read = annex_behind(e, at, first);
    if (e->read - e->told >= (e->host_capacity < 8192 ? e->host_capacity / 4 : 2048)) {
        annex_store(annex_word(e->own, ANNEX_CONSUMED), e->told = e->read);
        annex_fence();
        if (annex_load(annex_word(e->host, ANNEX_SENDER)) == 1) annex_wake(annex_word(e->own, ANNEX_CONSUMED));
    }
    int announced = (int)(first >> 8) & 0x1F;
    return announced ? annex_take_pieces(e, m, announced) : 0;
}
static inline int64_t annex_now(void) {
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) ? 0 : (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
/* Waits for something to read: looks, then sleeps. 1 when there is, 0 when the time is over (less than 0: no limit). */
static inline int annex_wait(struct annex_extension *e, int64_t nanoseconds) {
    uint32_t *flag = annex_word(e->own, ANNEX_RECEIVER), here = (uint32_t)(sched_getcpu() + 1);
    const uint32_t *bed = annex_word((unsigned char *)annex_header(e->host, e->host_capacity, e->read), 0);
    int64_t end = nanoseconds < 0 ? INT64_MAX : annex_now() + nanoseconds;
    annex_store(annex_word(e->own, ANNEX_PROCESSOR), here);
    /* A host on this core answers only when this side sleeps. */
    int shares = annex_load(annex_word(e->host, ANNEX_PROCESSOR)) == here && e->looks != UINT32_MAX, failed = 0;
    for (uint32_t look = 0; !annex_first(e, e->read) && !failed; look += look != UINT32_MAX - 1) {
        if ((look & 1023) == 1023) (void)sched_yield();
        if (((look & 63) == 63 || look >= e->looks || shares) && annex_now() >= end) return 0;
        if (!shares && look < e->looks) continue;
        annex_store(flag, 1);
        annex_fence();
        if (!annex_first(e, e->read)) failed = annex_sleep(bed, 0, end - annex_now() > 0 ? end - annex_now() : 0);
        annex_store(flag, 0);
    }
    return failed ? failed : 1;
}
/* The next request, cancel, event, or answer to a call of ours: 1; 0 when the time is over (0: only looks). */
static inline int annex_next(struct annex_extension *e, struct annex_message *m, int64_t nanoseconds) {
    for (;;) {
        int failed = annex_wait(e, nanoseconds);
        if (failed <= 0) return failed;
        static const uint32_t refused = 0xFFFFFFF0u;
        failed = annex_take(e, m, annex_first(e, e->read));
        if (failed) return failed;
        if (m->kind >= ANNEX_REQUEST && m->kind <= ANNEX_EVENT) return 1;
        if (m->kind == ANNEX_PING) failed = annex_write(e, ANNEX_PONG, 0, m->method, m->call, NULL, 0, NULL, 0, 0);
        if (m->kind == ANNEX_OPEN) /* no streams here */
            failed = annex_write(e, ANNEX_RESET, 0, m->method, m->call, NULL, 0, &refused, sizeof refused, 0);
        if (failed) return failed;
    }
}
/* Whether the host has given a call up; takes nothing out, so long work can ask from time to time. */
static inline int annex_is_cancelled(struct annex_extension *e, uint64_t call) {
    uint64_t first, other;
    for (uint32_t at = e->read; at - e->read < e->host_capacity && (first = annex_first(e, at)); ) {
        annex_get(e, at + 8, &other, sizeof other);
        if ((uint8_t)first == ANNEX_CANCEL && other == call) return 1;
        if (first >> 32 > e->host_capacity / 2) return -EPROTO;
        at = annex_behind(e, at, first);
    }
    return 0;
}
#endif
