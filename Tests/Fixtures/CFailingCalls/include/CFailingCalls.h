// Replacements for functions of the C library that make a system call. One of them can be made to fail once. If the
// replacements are linked into a host, the host's code uses them instead of the functions of the C library. The code
// of shared libraries does not use the replacements.
#ifndef C_FAILING_CALLS_H
#define C_FAILING_CALLS_H

// The name of a call that can be made to fail, by its place in the list; null past its end.
const char *failing_call(int place);
// From now on, the call at `place` fails once with its usual error. It fails the `time`th time that it is used. If
// `time` is 0, no call fails.
void fail_call(int place, long time);
// Whether the call has failed.
int call_has_failed(void);
// The name of the error with which the call at `place` fails.
const char *failing_call_error(int place);

#endif
