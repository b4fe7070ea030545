// Where the program begins: what the kernel hands over, the warden's own confinement, the loop, the end.
#include "answers.h"
#include "bare.h"
#include "entry.h"
#include "farewell.h"
#include "launch.h"
#include "loop.h"
#include "network.h"
#include "probe.h"
#include "syscalls.h"
#include "text.h"

#define AT_RANDOM_ENTRY 25
#define OWNER_MASK 077
#define QUOTA_ATTEMPTS 150
#define QUOTA_PAUSE 20000000

// What the compiler compares at the end of each function that holds an array.
uintptr_t __stack_chk_guard = 0x00000aff0a0d0000;

_Noreturn void __stack_chk_fail(void) { leave(70); }

// The kernel leaves: argc, argv, null, envp, null, then pairs of key and value; one points at random bytes.
__attribute__((no_stack_protector)) static void seed_guard(const uint64_t *stack) {
    const uint64_t *entry = stack + 1 + stack[0] + 1;
    while (*entry != 0) entry++;
    for (entry++; entry[0] != 0; entry += 2) {
        if (entry[0] != AT_RANDOM_ENTRY) continue;
        memcpy(&__stack_chk_guard, (const void *)(uintptr_t)entry[1], sizeof __stack_chk_guard);
        // The lowest byte stays zero: a text that runs over cannot write it.
        __stack_chk_guard &= ~(uintptr_t)0xff;
    }
}

// Every signal waits for ever: a terminal's or a service manager's SIGTERM must not end the warden
// before the broker, or nobody would be left to clean up. Children get an empty set before exec.
static void block_signals(void) {
    const uint64_t all = ~(uint64_t)0;
    CALL(NR_rt_sigprocmask, SIG_SETMASK, &all, 0, sizeof all);
    // Inherited "ignore" would take the children's statuses away; of their stopping and going on nobody asks.
    const uint64_t by_default[4] = {0, SA_NOCLDSTOP};
    CALL(NR_rt_sigaction, SIGCHLD, by_default, 0, SIGNAL_SET_SIZE);
}

static void set_own_limits(void) {
    // 1, not 0: with 0 a core_pattern that is a pipe still runs its program.
    const struct limit core = {1, 1};
    CALL(NR_prlimit64, 0, RLIMIT_CORE, &core, 0);
    struct limit files = {0, 0};
    CALL(NR_prlimit64, 0, RLIMIT_NOFILE, 0, &files);
    warden.files_soft = files.soft;
    warden.files_hard = files.hard;
    files.soft = files.hard;
    CALL(NR_prlimit64, 0, RLIMIT_NOFILE, &files, 0);
}

// A session keyring that nobody may use, not even who holds it: every sandbox inherits it, so none
// reaches the session's keys. One each would exhaust the user's quota of 200 keys.
static int32_t seal_keyring(void) {
    const struct time pause = {0, QUOTA_PAUSE};
    long keyring = CALL(NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0);
    // Keys of processes that ended a moment ago count until the kernel gets to them, a second later or two.
    for (int i = 0; keyring == -EDQUOT && i < QUOTA_ATTEMPTS; i++) {
        CALL(NR_nanosleep, &pause, 0);
        keyring = CALL(NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0);
    }
    if (keyring < 0) return (int32_t)-keyring;
    long result = CALL(NR_keyctl, KEYCTL_SETPERM, keyring, 0);
    return result < 0 ? (int32_t)-result : 0;
}

static long prepare(void) {
    block_signals();
    CALL(NR_setsid);
    CALL(NR_prctl, PR_SET_NAME, "annex-warden");
    CALL(NR_umask, OWNER_MASK);
    // The host's directory must not be kept busy.
    CALL(NR_chdir, "/");
    set_own_limits();
    warden.keyring_error = seal_keyring();
    warden.is_root = CALL(NR_geteuid) == 0;
    if (warden.is_root) {
        long result = CALL(NR_setgroups, 0, 0);
        if (result < 0) return result;
    }
    network_prepare();
    bare_prepare();
    long self = CALL(NR_pidfd_open, CALL(NR_getpid), 0);
    if (self < 0) return self;
    warden.self = (int)self;
    long result = children_prepare();
    return result < 0 ? result : loop_prepare();
}

__attribute__((no_stack_protector)) _Noreturn void start(const uint64_t *stack) {
    seed_guard(stack);
    if (probe_is_asked_for(stack)) probe_run();
    long result = prepare();
    answers_hello((int)CALL(NR_getpid), result < 0 ? (int)-result : 0);
    if (result >= 0) {
        loop_run();
        farewell();
    }
    leave(result < 0);
}
