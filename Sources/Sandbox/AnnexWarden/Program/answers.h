// The warden's messages to the broker. Sending never blocks. If the socket has no room for an answer, the answer
// waits in the slot of its launch. The warden reads no new plan until all answers were sent.
#ifndef ANNEX_ANSWERS_H
#define ANNEX_ANSWERS_H

#include "children.h"

// Sends the due answers of one launch, in the order of their kinds. The last answer frees the slot.
void answers_flush(struct child *child);
void answers_flush_all(void);
// Sends HELLO. `error` is the errno of a failed start, or 0. `beginning` is the step of the warden's start that
// failed.
void answers_hello(int process, int error, uint32_t beginning);

#endif
