// The one harness that every contender runs under, whatever it is made of: the same payloads, the same clock, the same
// loops, the same samples. A contender brings a way to send and a way to serve; what is measured is the same for all.
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A smallest message holds a number and one word more.
enum { bench_smallest = 16 };

typedef enum bench_waiting { bench_spin, bench_adaptive, bench_block } bench_waiting;
typedef enum bench_loop { bench_closed, bench_open, bench_one_way } bench_loop;

// What is to be measured, as it stands on the command line: NAME key=value…
typedef struct bench_plan {
    const char *contender;
    bench_loop loop;
    bench_waiting waiting;
    uint64_t request, reply;  // bytes
    uint64_t batch;           // calls between two looks at the clock
    uint64_t flush;           // one-way: messages between two flushes
    uint64_t gap;             // nanoseconds of silence before each call
    uint64_t interval;        // open loop: nanoseconds between two calls' appointed times
    uint64_t delay;           // nanoseconds that the other side works before it answers
    uint64_t milliseconds;    // of one phase
    uint64_t most;            // samples of one phase
    int client, server;       // processors; -1: wherever the kernel likes
    const char *samples;      // the file that gets the samples
    const char *extra;        // for the contender: what no other needs
} bench_plan;

// What a contender brings. `link` is whatever its `prepare` or `open` returned.
typedef struct bench_contender {
    const char *name;
    const char *about;
    // Before the second process exists: what both share. NULL on failure, with errno.
    void *(*prepare)(const bench_plan *plan);
    // The client's end, after the second process exists; NULL: `prepare`'s.
    void *(*open)(const bench_plan *plan, void *shared);
    // Sends and waits. Returns the reply's length, 0 on failure.
    size_t (*call)(void *link, const void *request, size_t size, void *reply, size_t room);
    // Where the last answer lies until the next call; NULL, or returns NULL: it was copied.
    const void *(*place)(void *link);
    // One way; NULL where the contender has none. What is not flushed need not be seen yet.
    bool (*post)(void *link, const void *message, size_t size, bool flush);
    // The second process: serves for ever, with `bench_answer` for each request.
    void (*serve)(const bench_plan *plan, void *shared);
    // Between two calls, when the clock does not run; NULL: nothing to do.
    void (*after)(void *link);
    // Bytes of the largest message; 0: any.
    uint64_t largest;
    // No second process: `call` does everything itself (memcpy).
    bool is_alone;
} bench_contender;

// --- The second process's work: the same bytes checked and written by everybody.

typedef struct bench_server {
    uint64_t reply, delay;
    uint64_t received, wrong;
    uint64_t last;  // the number of the message before
} bench_server;

// The lowest byte of a message's first word; other values are the driver's own questions.
enum { bench_wants_reply = 1, bench_wants_none = 2 };

// Reads a whole message, counts it as wrong where a byte of it is, and writes the answer. Returns its length; 0 for a
// message that wants none.
size_t bench_answer(bench_server *server, const void *request, size_t size, void *reply, size_t room);

// --- The first process's.

uint64_t bench_now(void);
// The calling thread, as /proc names it.
int32_t bench_thread(void);
// The processor's word for "somebody is waiting here".
static inline void bench_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

void bench_write(void *message, size_t size, uint64_t number, bool wants_reply);
// Whether every byte of an answer to that number is as it should be.
bool bench_check(const void *reply, size_t size, uint64_t number);

typedef size_t (*bench_call)(void *link, const void *request, size_t size, void *reply, size_t room);
typedef const void *(*bench_place)(void *link);

// One measurement, in phases: first batched where asked, then each call by itself.
typedef struct bench_run {
    const bench_plan *plan;
    void *request, *reply;
    size_t room;
    uint64_t number;            // of the next message
    uint64_t calls, wrong;      // this side's count
    uint64_t until, next;       // of the current phase
    struct { uint64_t batch, count, *samples; } phases[2];
    unsigned phase;             // how many there were before the current one
    uint64_t begun_processor, begun_server, begun;
} bench_run;

bool bench_begin(bench_run *run, const bench_plan *plan);
// Counts an answer of that size to the current number, at `place` or (NULL) copied, as wrong where a byte of it is.
void bench_note(bench_run *run, size_t size, const void *place);
// Tells the other side how to answer, lets both warm up, and asks what it has used so far.
bool bench_settle(bench_run *run, bench_call call, bench_place place, void *link);
void bench_phase(bench_run *run, uint64_t batch);
// Whether another sample is due; waits for its moment. `*start` is when its time begins to count.
bool bench_due(bench_run *run, uint64_t *start);
void bench_record(bench_run *run, uint64_t nanoseconds);
void bench_phase_end(bench_run *run);
// After one-way messages: asks something, whose answer comes after all of them.
bool bench_drain(bench_call call, void *link);
// How many messages the other side has found wrong.
bool bench_ask_wrong(bench_call call, void *link, uint64_t *answer);
// The other side's own count and time; prints the summary. Returns the program's exit status.
int bench_finish(bench_run *run, bench_call call, void *link);
// All of it, for contenders in C.
int bench_measure(const bench_plan *plan, const bench_contender *contender, void *link);

bool bench_parse(bench_plan *plan, int count, char **words);
// What this program was called; readable where there is no /proc.
const char *bench_program(void);
bool bench_pin(int processor);
// Pins every thread of this process.
bool bench_pin_all(int processor);
int bench_main(int count, char **words, const bench_contender *const *contenders);
// A second process that ends with this one. Returns as fork(2) does.
int bench_fork(void);
void bench_leave(int status);
// Memory that both processes share, filled once so that no fault is measured.
void *bench_shared(size_t size);

#ifdef __cplusplus
}
#endif
#endif
