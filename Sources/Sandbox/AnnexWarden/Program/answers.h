// The warden's messages to the broker. Sending never blocks: an answer that does not fit waits in its launch's slot,
// and no new plan is read until all answers were sent.
#ifndef ANNEX_ANSWERS_H
#define ANNEX_ANSWERS_H

#include "children.h"

// Sends the due answers of one launch, in the order of their kinds. The last answer frees the slot.
void answers_flush(struct child *child);
void answers_flush_all(void);
// Sends HELLO. `error` is the errno of a failed start, or 0, and `beginning` the step that failed.
void answers_hello(int process, int error, uint32_t beginning);

#endif
