// The start of the program: the kernel's arguments, the warden's own confinement, the event loop, and the end.
#include "answers.h"
#include "bare.h"
#include "children.h"
#include "devices.h"
#include "entry.h"
#include "farewell.h"
#include "guard.h"
#include "inherited.h"
#include "launch.h"
#include "lending.h"
#include "loop.h"
#include "network.h"
#include "privileges.h"
#include "probe.h"
#include "proc.h"
#include "relocation.h"
#include "speculation.h"
#include "syscalls.h"
#include "warden.h"

#define OWNER_MASK 077
#define QUOTA_ATTEMPTS 150
#define QUOTA_PAUSE 20000000
#define MAP_LARGEST 4096

struct warden warden = {
    .proc = -1, .self = -1, .devices = -1, .network = {.hosts = -1}, .bare = {.hosts = -1, .root = -1, .empty = -1},
    .loop = {.epoll = -1, .signals = -1}};

// Blocks every signal for ever. SIGTERM from a terminal or a service manager must not end the warden before the
// broker, because then no process would clean up. Children get an empty set of blocked signals before exec.
static long block_signals(void) {
    const uint64_t all = ~(uint64_t)0;
    long result = CALL(NR_rt_sigprocmask, SIG_SETMASK, &all, 0, sizeof all);
    // The warden may have inherited that SIGCHLD is ignored. The kernel would then discard the children's exit
    // statuses. The warden does not need reports of stops and continuations.
    const uint64_t by_default[4] = {0, SA_NOCLDSTOP};
    return result < 0 ? result : CALL(NR_rt_sigaction, SIGCHLD, by_default, 0, SIGNAL_SET_SIZE);
}

static long leave_host(void) {
    long result = CALL(NR_setsid);
    if (result < 0) return result;
    // The name of the process in lists of processes.
    CALL(NR_prctl, PR_SET_NAME, "annex-warden");
    CALL(NR_umask, OWNER_MASK);
    // The warden must not keep a directory of the host busy.
    return CALL(NR_chdir, "/");
}

static long set_own_limits(void) {
    // The limit is 1 and not 0. With 0, the kernel would still run a core_pattern that is a pipe.
    const struct limit core = {1, 1};
    long result = CALL(NR_prlimit64, 0, RLIMIT_CORE, &core, 0);
    struct limit files = {0, 0};
    if (result >= 0) result = CALL(NR_prlimit64, 0, RLIMIT_NOFILE, 0, &files);
    warden.files_soft = files.soft;
    warden.files_hard = files.hard;
    files.soft = files.hard;
    return result < 0 ? result : CALL(NR_prlimit64, 0, RLIMIT_NOFILE, &files, 0);
}

// Joins a session keyring that no process may use, not even the warden itself. Every sandbox inherits this keyring,
// so no sandbox can access the session's keys. A separate keyring for each sandbox would exhaust the user's quota of
// 200 keys.
static int32_t seal_keyring(void) {
    const struct time pause = {0, QUOTA_PAUSE};
    long keyring = CALL(NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0);
    // Keys of processes that have just ended count until the kernel frees them, one or two seconds later.
    for (int i = 0; keyring == -EDQUOT && i < QUOTA_ATTEMPTS; i++) {
        CALL(NR_nanosleep, &pause, 0);
        keyring = CALL(NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0);
    }
    if (keyring < 0) return (int32_t)-keyring;
    long result = CALL(NR_keyctl, KEYCTL_SETPERM, keyring, 0);
    return result < 0 ? (int32_t)-result : 0;
}

static uint64_t read_number(const char **text) {
    uint64_t number = 0;
    while (**text == ' ') (*text)++;
    for (; **text >= '0' && **text <= '9'; (*text)++) number = 10 * number + (uint64_t)(**text - '0');
    return number;
}

// Whether uid 0 of this user namespace is an ordinary user outside. If an ordinary user made the namespace, its uid 0
// has no other user to give to a sandbox. Each line of a map holds the first number inside, its number outside, and
// the count. The kernel sorts a map of many lines, so the line of uid 0 is within the part that is read.
static int zero_is_user(void) {
    char map[MAP_LARGEST];
    if (proc_read("self/uid_map", map, sizeof map) <= 0) return 0;
    for (const char *text = map; *text != 0;) {
        uint64_t inside = read_number(&text), outside = read_number(&text);
        if (inside == 0) return outside != 0;
        while (*text != 0 && *text++ != '\n') {}
    }
    return 0;
}

static long learn_standing(void) {
    proc_prepare();
    int is_zero = CALL(NR_geteuid) == 0;
    warden.zero_is_user = is_zero && zero_is_user();
    warden.is_root = is_zero && !warden.zero_is_user;
    warden.zero_is_group = !warden.is_root && CALL(NR_getegid) == 0;
    warden.keyring_error = seal_keyring();
    return warden.is_root ? CALL(NR_setgroups, 0, 0) : 0;
}

// Prepares the parts that make launches faster or hide more from sandboxes. If the machine cannot provide such a part,
// the warden starts without it.
static long prepare_places(void) {
    launch_prepare();
    network_prepare();
    bare_prepare();
    devices_prepare();
    speculation_prepare();
    return 0;
}

static long prepare_loop(void) {
    long self = CALL(NR_pidfd_open, CALL(NR_getpid), 0);
    if (self < 0) return self;
    warden.self = (int)self;
    lending_prepare();
    long result = children_prepare();
    return result < 0 ? result : loop_prepare();
}

static long confine_itself(void) {
    long result = privileges_limit_warden();
    if (result < 0) return result;
    // Memory of the warden that was ever writable can never become code. Its children do not inherit this setting.
    // Older kernels lack this call.
    CALL(NR_prctl, PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN | PR_MDWE_NO_INHERIT);
    return 0;
}

static const struct beginning {
    uint32_t number;
    long (*take)(void);
} beginnings[] = {
    {ANNEX_BEGINNING_SIGNALS, block_signals},     {ANNEX_BEGINNING_SESSION, leave_host},
    {ANNEX_BEGINNING_LIMITS, set_own_limits},     {ANNEX_BEGINNING_STANDING, learn_standing},
    {ANNEX_BEGINNING_INHERITED, inherited_give_up}, {ANNEX_BEGINNING_PLACES, prepare_places},
    {ANNEX_BEGINNING_LOOP, prepare_loop},         {ANNEX_BEGINNING_CONFINEMENT, confine_itself},
};

__attribute__((no_stack_protector)) _Noreturn void start(const uint64_t *stack) {
    if (relocation_finish(stack) < 0) leave(70);
    guard_seed(stack);
    if (probe_is_asked_for(stack)) probe_run();
    long result = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; result >= 0 && i < sizeof beginnings / sizeof *beginnings; i++) {
        at = beginnings[i].number;
        result = beginnings[i].take();
    }
    answers_hello((int)CALL(NR_getpid), result < 0 ? (int)-result : 0, at);
    if (result >= 0) {
        loop_run();
        farewell();
    }
    leave(result < 0);
}
