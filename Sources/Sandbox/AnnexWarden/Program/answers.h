// What the warden says to the broker. Sending never blocks: an answer that does not fit waits in its
// launch's place, and no new plan is read until all were sent.
#ifndef ANNEX_ANSWERS_H
#define ANNEX_ANSWERS_H

#include "children.h"

// Sends what is due about one launch, in the order of the kinds. The last word frees the place.
void answers_flush(struct child *child);
void answers_flush_all(void);
// The first word; `error` is what the start itself could not do, and `beginning` at which of its steps.
void answers_hello(int process, int error, uint32_t beginning);

#endif
