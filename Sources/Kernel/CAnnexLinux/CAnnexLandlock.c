#define _GNU_SOURCE
#include "CAnnexLandlock.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#define ANNEX_LANDLOCK_CREATE_RULESET_VERSION 1u

int annex_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, (void *)0, 0ul, ANNEX_LANDLOCK_CREATE_RULESET_VERSION);
    return version < 0 ? -errno : (int)version;
}
