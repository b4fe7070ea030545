// The request and the answers of a trial, in fixed layouts and this machine's byte order.
// Sources/Sandbox/AnnexAttacks/Script writes the request and reads the answers.
#ifndef ANNEX_TRIAL_H
#define ANNEX_TRIAL_H

#include <stddef.h>
#include <stdint.h>

// The descriptors from which the program reads and to which it writes. Every filter allows read and write.
#define TRIAL_REQUEST 3
#define TRIAL_ANSWERS 4

#define TRIAL_MAGIC 0x4C495254u  // "TRIL"
#define TRIAL_STEPS 2048u
#define TRIAL_MEMORY (256u * 1024u)
#define TRIAL_TELL_LARGEST 2048u

enum {
    TRIAL_CALL = 1,     // system call `number` with six registers
    TRIAL_TELL = 2,     // reports [1] bytes of the memory at [0]
    TRIAL_STORE = 3,    // stores value [0] in the memory at [1], [2] bytes wide
    TRIAL_CONDUCT = 4,  // performs conduct `number`, which takes more than one call
};

// The form of an argument. Each argument has two bits in `forms`.
enum {
    TRIAL_LITERAL = 0,
    TRIAL_ADDRESS = 1,  // an address: an offset in the memory
    TRIAL_RESULT = 2,   // the result of an earlier step
};

typedef struct {
    uint32_t magic, steps, memory, first;  // `first`: the number of the first step
} trial_request;

typedef struct {
    uint32_t kind, forms;
    int32_t after;  // the step that must have succeeded; -1 for none
    uint32_t reserved;
    int64_t number;
    uint64_t arguments[6];
} trial_step;

#define TRIAL_BEGUN UINT32_MAX  // the step number of the first answer, which says that the program runs

typedef struct {
    uint32_t step;
    uint32_t length;  // the number of bytes that follow
    int64_t result;   // the result, or -errno
} trial_answer;

// The result of a step that was not done because the step in `after` failed.
#define TRIAL_NOT_DONE (-125)

extern unsigned char trial_memory[TRIAL_MEMORY];

void trial_answer_step(uint32_t step, int64_t result, const void *bytes, size_t length);

#endif
