// Runs one function in a child process, so that the surrounding program does not notice the child.
#ifndef C_ANNEX_TRIAL_RUNNING_H
#define C_ANNEX_TRIAL_RUNNING_H

#include "CAnnexTrials.h"

int annex_trial_run(int (*function)(uint64_t *value), int milliseconds, annex_trial_result *result);

#endif
