// The bytes of the messages. Each word is written anew for each message, and checked on arrival, on both sides.
#define _GNU_SOURCE
#include "bench.h"

#include <string.h>
#include <time.h>

// The lowest byte of the first word states the kind of message. The other bytes are the message's number.
enum { configure = 3, ask_processor = 4, ask_received = 5, ask_wrong = 6 };

static const uint64_t request_step = 0x9E3779B97F4A7C15u, reply_step = 0xC2B2AE3D27D4EB4Fu;

uint64_t bench_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void fill(void *bytes, size_t size, uint64_t first, uint64_t step) {
    unsigned char *at = bytes;
    uint64_t word = first;
    size_t whole = size / 8;
    for (size_t i = 0; i < whole; i++, word += step) memcpy(at + i * 8, &word, 8);
    if (size % 8) memcpy(at + whole * 8, &word, size % 8);
}

// The loop does not end early: the time must not depend on the bytes, and so the compiler can check them in vectors.
static bool matches(const void *bytes, size_t size, uint64_t first, uint64_t step) {
    const unsigned char *at = bytes;
    uint64_t word = first, difference = 0;
    size_t whole = size / 8;
    for (size_t i = 0; i < whole; i++, word += step) {
        uint64_t found;
        memcpy(&found, at + i * 8, 8);
        difference |= found ^ word;
    }
    return difference == 0 && (size % 8 == 0 || memcmp(at + whole * 8, &word, size % 8) == 0);
}

void bench_write(void *message, size_t size, uint64_t number, bool reply) {
    fill(message, size, number << 8 | (reply ? bench_wants_reply : bench_wants_none), request_step);
}

bool bench_check(const void *reply, size_t size, uint64_t number) {
    return matches(reply, size, ~(number << 8 | bench_wants_reply), reply_step);
}

static uint64_t processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static size_t tell(void *reply, uint64_t first, uint64_t value) {
    uint64_t words[2] = {~first, value};
    memcpy(reply, words, sizeof words);
    return sizeof words;
}

static void work(uint64_t nanoseconds) {
    if (!nanoseconds) return;
    uint64_t until = bench_now() + nanoseconds;
    while (bench_now() < until) bench_pause();
}

size_t bench_answer(bench_server *server, const void *request, size_t size, void *reply, size_t room) {
    uint64_t words[2];
    if (size < sizeof words || room < sizeof words) return server->wrong++, 0;
    memcpy(words, request, sizeof words);
    switch (words[0] & 0xFF) {
    case configure:
        *server = (bench_server){.reply = words[1] & 0xFFFFFFFFu, .delay = words[1] >> 32};
        return tell(reply, words[0], 0);
    case ask_processor: return tell(reply, words[0], processor_time());
    case ask_received: return tell(reply, words[0], server->received);
    case ask_wrong: return tell(reply, words[0], server->wrong);
    case bench_wants_reply:
    case bench_wants_none: break;
    default: return server->wrong++, 0;
    }
    // A lost message and a message that comes twice must not cancel each other.
    if (server->received++ > 0 && words[0] >> 8 != server->last + 1) server->wrong++;
    server->last = words[0] >> 8;
    if (!matches(request, size, words[0], request_step)) server->wrong++;
    if ((words[0] & 0xFF) == bench_wants_none) return 0;
    work(server->delay);
    size_t length = server->reply < room ? server->reply : room;
    if (length < sizeof words) length = sizeof words;
    fill(reply, length, ~words[0], reply_step);
    return length;
}

// --- The driver's questions besides the measured messages.

static bool ask(bench_call call, void *link, uint64_t command, uint64_t value, uint64_t *answer) {
    uint64_t words[2] = {command, value}, reply[2] = {0, 0};
    if (call(link, words, sizeof words, reply, sizeof reply) != sizeof reply || reply[0] != ~command) return false;
    *answer = reply[1];
    return true;
}

bool bench_configure(bench_call call, void *link, uint64_t reply, uint64_t delay) {
    uint64_t nothing;
    return ask(call, link, configure, reply | delay << 32, &nothing);
}

bool bench_ask_processor(bench_call call, void *link, uint64_t *answer) {
    return ask(call, link, ask_processor, 0, answer);
}

bool bench_ask_received(bench_call call, void *link, uint64_t *answer) {
    return ask(call, link, ask_received, 0, answer);
}

bool bench_ask_wrong(bench_call call, void *link, uint64_t *answer) { return ask(call, link, ask_wrong, 0, answer); }
