// The one harness for all contenders, in any language. The payloads, the clock, the loops and the samples are the same
// for all. A contender adds only its way to send and its way to serve.
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The smallest message holds a number and one more word.
enum { bench_smallest = 16 };

typedef enum bench_waiting { bench_spin, bench_adaptive, bench_block } bench_waiting;
typedef enum bench_loop { bench_closed, bench_open, bench_one_way } bench_loop;

// The plan of one measurement, as the command line states it: NAME key=value…
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
    int client, server;       // processors; -1: the kernel chooses
    const char *samples;      // the file that gets the samples
    const char *file;         // the file whose contents are read; NULL: none
    uint64_t bytes;           // of that file
    const char *extra;        // an option of this contender alone
} bench_plan;

// The parts of a contender. `link` is the value that its `prepare` or `open` returned.
typedef struct bench_contender {
    const char *name;
    const char *about;
    // Called before the second process exists. Makes the object that both processes share; NULL on failure, with errno.
    void *(*prepare)(const bench_plan *plan);
    // Called after the second process exists. Makes the client's end; if NULL, `prepare` has made it.
    void *(*open)(const bench_plan *plan, void *shared);
    // Sends and waits. Returns the reply's length, 0 on failure.
    size_t (*call)(void *link, const void *request, size_t size, void *reply, size_t room);
    // The address of the last answer until the next call. If this is NULL or returns NULL, the answer was copied.
    const void *(*place)(void *link);
    // Sends a one-way message; NULL if the contender has none. A message that is not flushed may arrive later.
    bool (*post)(void *link, const void *message, size_t size, bool flush);
    // Runs in the second process: serves for ever, and calls `bench_answer` for each request.
    void (*serve)(const bench_plan *plan, void *shared);
    // Called between two calls, while the clock does not run; NULL if there is nothing to do.
    void (*after)(void *link);
    // Bytes of the largest message; 0: any.
    uint64_t largest;
    // There is no second process: `call` does all the work itself (memcpy).
    bool is_alone;
} bench_contender;

// --- The second process's work: every contender checks and writes the same bytes.

typedef struct bench_server {
    uint64_t reply, delay;
    uint64_t received, wrong;
    uint64_t last;  // the number of the previous message
} bench_server;

// The lowest byte of a message's first word; other values are the driver's own questions.
enum { bench_wants_reply = 1, bench_wants_none = 2 };

// Reads a whole message and writes the answer. If any byte of the message is wrong, counts it as wrong. Returns the
// answer's length; 0 if the message wants no answer.
size_t bench_answer(bench_server *server, const void *request, size_t size, void *reply, size_t room);

// --- The first process's work.

uint64_t bench_now(void);
// The calling thread, as /proc names it.
int32_t bench_thread(void);
// The processor's instruction for a pause in a spin loop.
static inline void bench_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

void bench_write(void *message, size_t size, uint64_t number, bool wants_reply);
// Whether every byte of the answer to message `number` is right.
bool bench_check(const void *reply, size_t size, uint64_t number);

typedef size_t (*bench_call)(void *link, const void *request, size_t size, void *reply, size_t room);
typedef const void *(*bench_place)(void *link);

// One measurement, in phases: first in batches if the plan asks for them, then each call by itself.
typedef struct bench_run {
    const bench_plan *plan;
    void *request, *reply;
    size_t room;
    uint64_t number;            // of the next message
    uint64_t calls, wrong;      // this side's count
    uint64_t until, next;       // of the current phase
    struct { uint64_t batch, count, *samples; } phases[2];
    unsigned phase;             // the number of phases before the current one
    uint64_t begun_processor, begun_server, begun;
} bench_run;

bool bench_begin(bench_run *run, const bench_plan *plan);
// Checks an answer of that size to the current message, at `place`, or copied if `place` is NULL. If any byte of it is
// wrong, counts it as wrong.
void bench_note(bench_run *run, size_t size, const void *place);
// Sets how the other side answers, lets both sides warm up, and asks for the other side's processor time so far.
bool bench_settle(bench_run *run, bench_call call, bench_place place, void *link);
void bench_phase(bench_run *run, uint64_t batch);
// Whether another sample is due; waits for its moment. `*start` is the moment from which its time counts.
bool bench_due(bench_run *run, uint64_t *start);
void bench_record(bench_run *run, uint64_t nanoseconds);
void bench_phase_end(bench_run *run);
// Called after one-way messages: asks a question whose answer comes after all of them.
bool bench_drain(bench_call call, void *link);
// Asks how many wrong messages the other side has received.
bool bench_ask_wrong(bench_call call, void *link, uint64_t *answer);
// The other side's own count and time; prints the summary. Returns the program's exit status.
int bench_finish(bench_run *run, bench_call call, void *link);
// The whole measurement, for contenders in C.
int bench_measure(const bench_plan *plan, const bench_contender *contender, void *link);

bool bench_parse(bench_plan *plan, int count, char **words);
// The name under which this program was called. It needs no /proc.
const char *bench_program(void);
bool bench_pin(int processor);
// Pins every thread of this process.
bool bench_pin_all(int processor);
int bench_main(int count, char **words, const bench_contender *const *contenders);
// Makes the plan's file if it is not there, and reads it once, so that its contents are in memory.
bool bench_file_ready(const bench_plan *plan);
// The sum of the first word of each page of that file. Readers form it, to show that they have all of the contents.
uint64_t bench_file_sum(uint64_t bytes);
// The same of a piece of contents that begins at a page.
uint64_t bench_pages_sum(const void *piece, size_t size);
// A second process that ends with this one. Returns as fork(2) does.
int bench_fork(void);
void bench_leave(int status);
// Memory that both processes share, filled once so that no fault is measured.
void *bench_shared(size_t size);

#ifdef __cplusplus
}
#endif
#endif
