// Replacements for functions of the C library that make a system call. One of them can be made to fail once. If they
// are linked into a host, its code uses them instead of the library's functions. They do not replace the calls of its
// shared libraries.
#ifndef C_FAILING_CALLS_H
#define C_FAILING_CALLS_H

// The name of a call that can be made to fail, by its place in the list; null past its end.
const char *failing_call(int place);
// From now on, the call at that place fails once with its usual error, at this number of its uses; 0: no call fails.
void fail_call(int place, long time);
// Whether the call has failed.
int call_has_failed(void);
// The name of the error that it fails with.
const char *failing_call_error(int place);

#endif
