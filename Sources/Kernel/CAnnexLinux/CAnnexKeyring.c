#define _GNU_SOURCE
#include "CAnnexKeyring.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

// These values are from linux/keyctl.h, which is not installed everywhere.
enum { KEYRING_OF_THREAD = -1, KEYRING_OF_USER = -4 };
enum { KEYCTL_LINK = 8, KEYCTL_UNLINK = 9, KEYCTL_SEARCH = 10, KEYCTL_READ = 11 };

static long result(long value) { return value < 0 ? -errno : value; }

// A key may be read if its keyring can be reached from one of this thread's own keyrings. The session's keyring does
// not always lead to the user's keyring, for example not in a systemd service. So the user's keyring is linked to the
// thread's keyring.
static long reach(void) {
    return result(syscall(SYS_keyctl, KEYCTL_LINK, (long)KEYRING_OF_USER, (long)KEYRING_OF_THREAD, 0L, 0L));
}

static void leave(void) {
    syscall(SYS_keyctl, KEYCTL_UNLINK, (long)KEYRING_OF_USER, (long)KEYRING_OF_THREAD, 0L, 0L);
}

static long find(const char *description) {
    return result(syscall(SYS_keyctl, KEYCTL_SEARCH, (long)KEYRING_OF_USER, "user", description, 0L));
}

long annex_keyring_read(const char *description, void *bytes, size_t room) {
    long answer = reach();
    if (answer < 0) return answer;
    answer = find(description);
    if (answer >= 0) answer = result(syscall(SYS_keyctl, KEYCTL_READ, answer, bytes, room, 0L));
    leave();
    return answer;
}

int annex_keyring_add(const char *description, const void *bytes, size_t count) {
    long answer = reach();
    if (answer < 0) return (int)answer;
    answer = result(syscall(SYS_add_key, "user", description, bytes, count, (long)KEYRING_OF_USER));
    leave();
    return answer < 0 ? (int)answer : 0;
}

int annex_keyring_remove(const char *description) {
    long answer = reach();
    if (answer < 0) return (int)answer;
    answer = find(description);
    if (answer >= 0) answer = result(syscall(SYS_keyctl, KEYCTL_UNLINK, answer, (long)KEYRING_OF_USER, 0L, 0L));
    leave();
    return answer < 0 ? (int)answer : 0;
}
