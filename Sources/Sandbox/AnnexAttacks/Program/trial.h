// What a trial is asked to do, and what it tells: fixed layouts, this machine's byte order. Sources/Sandbox/AnnexAttacks/Script
// writes the one and reads the other.
#ifndef ANNEX_TRIAL_H
#define ANNEX_TRIAL_H

#include <stddef.h>
#include <stdint.h>

// Descriptors that the program starts with: read and write are what every filter allows.
#define TRIAL_REQUEST 3
#define TRIAL_ANSWERS 4

#define TRIAL_MAGIC 0x4C495254u  // "TRIL"
#define TRIAL_STEPS 2048u
#define TRIAL_MEMORY (256u * 1024u)
#define TRIAL_TELL_LARGEST 2048u

enum {
    TRIAL_CALL = 1,     // system call `number` with six registers
    TRIAL_TELL = 2,     // memory at [0], [1] bytes of it
    TRIAL_STORE = 3,    // value [0] into memory at [1], [2] bytes wide
    TRIAL_CONDUCT = 4,  // what one call is not enough for: conduct `number` with its arguments
};

// What an argument is, two bits each in `forms`.
enum {
    TRIAL_LITERAL = 0,
    TRIAL_ADDRESS = 1,  // of the memory at that offset
    TRIAL_RESULT = 2,   // of that earlier step
};

typedef struct {
    uint32_t magic, steps, memory, first;  // `first`: the number of its first step
} trial_request;

typedef struct {
    uint32_t kind, forms;
    int32_t after;  // done only when that earlier step did not fail; -1: always
    uint32_t reserved;
    int64_t number;
    uint64_t arguments[6];
} trial_step;

#define TRIAL_BEGUN UINT32_MAX  // the step of the first answer: the program runs

typedef struct {
    uint32_t step;
    uint32_t length;  // bytes that follow
    int64_t result;   // or -errno
} trial_answer;

// A step that was not done because the one it follows failed.
#define TRIAL_NOT_DONE (-125)

extern unsigned char trial_memory[TRIAL_MEMORY];

void trial_answer_step(uint32_t step, int64_t result, const void *bytes, size_t length);

#endif
