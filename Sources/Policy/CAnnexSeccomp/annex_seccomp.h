// The header of libseccomp. Its actions are macros that Swift cannot import, so they are repeated as functions.
#ifndef ANNEX_SECCOMP_H
#define ANNEX_SECCOMP_H

#include <seccomp.h>

static inline uint32_t annex_seccomp_allow(void) { return SCMP_ACT_ALLOW; }
static inline uint32_t annex_seccomp_notify(void) { return SCMP_ACT_NOTIFY; }
static inline uint32_t annex_seccomp_kill(void) { return SCMP_ACT_KILL_PROCESS; }
static inline uint32_t annex_seccomp_errno(uint16_t number) { return SCMP_ACT_ERRNO(number); }

#endif
