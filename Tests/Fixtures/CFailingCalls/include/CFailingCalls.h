// The C library's calls as the kernel's, one of which can be made to fail once: linked into a host, these stand before
// the library's own. Only for calls that the host's own code makes, not for those of its shared libraries.
#ifndef C_FAILING_CALLS_H
#define C_FAILING_CALLS_H

// The name of a call that can be made to fail, by its place in the list; null past its end.
const char *failing_call(int place);
// From now on the call at that place fails with its usual error the so manieth time; 0: none does.
void fail_call(int place, long time);
// Whether it did.
int call_has_failed(void);
// The name of the error that it fails with.
const char *failing_call_error(int place);

#endif
