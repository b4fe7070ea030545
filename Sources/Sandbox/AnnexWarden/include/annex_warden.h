// What the broker and its warden say to each other: fixed layouts, this machine's byte order,
// one SOCK_SEQPACKET message each. The broker is trusted by the warden; the warden still checks
// every bound, because a mistake here would be a hole in every sandbox.
#ifndef ANNEX_WARDEN_H
#define ANNEX_WARDEN_H

#include <stdint.h>

// Raised whenever a layout below changes; an installed warden of another version is not used.
#define ANNEX_WARDEN_VERSION 4u
#define ANNEX_PLAN_MAGIC 0x58414E41u  // "ANAX"
#define ANNEX_PLAN_LARGEST (128u * 1024u)
#define ANNEX_PLAN_DESCRIPTORS 64u  // at most so many travel with a plan
#define ANNEX_PLAN_NUMBER_LARGEST 1023u  // of a descriptor inside
#define ANNEX_PLAN_BINDS 256u
#define ANNEX_PLAN_SCRATCHES 32u
#define ANNEX_PLAN_LINKS 64u
#define ANNEX_PLAN_LIMITS 16u
#define ANNEX_PLAN_TEXTS 1024u  // arguments; environment
#define ANNEX_PLAN_GROUPS 16u
#define ANNEX_PLAN_REMOVALS 16u
#define ANNEX_PLAN_REMOVAL_BYTES 4096u  // of all removals' texts, each with its NUL
#define ANNEX_PLAN_RULES 512u
#define ANNEX_PLAN_INSTRUCTIONS 4096u  // the kernel's own bound for one filter
#define ANNEX_PLAN_TEXT_LARGEST (64u * 1024u)  // one argument

// Descriptors that the warden starts with.
#define ANNEX_WARDEN_CONTROL 3  // SOCK_SEQPACKET to the broker
#define ANNEX_WARDEN_BROKER 4   // pidfd of the broker's process: its death ends everything

// A run of bytes inside the plan: texts end with a NUL that `length` does not count.
typedef struct {
    uint32_t offset;
    uint32_t length;
} annex_bytes;

// A run of records inside the plan; `offset` is a multiple of 8.
typedef struct {
    uint32_t offset;
    uint32_t count;
} annex_records;

// The layers, as bits: what the plan asks for and what a launch reports as in force.
enum {
    ANNEX_LAYER_USER = 1u << 0,
    ANNEX_LAYER_MOUNT = 1u << 1,
    ANNEX_LAYER_PID = 1u << 2,
    ANNEX_LAYER_NETWORK = 1u << 3,
    ANNEX_LAYER_IPC = 1u << 4,
    ANNEX_LAYER_UTS = 1u << 5,
    ANNEX_LAYER_CGROUP_NAMESPACE = 1u << 6,
    ANNEX_LAYER_ROOT = 1u << 7,  // a tmpfs as root, and nothing of the host beneath it
    ANNEX_LAYER_CAPABILITIES = 1u << 8,
    ANNEX_LAYER_NO_NEW_PRIVS = 1u << 9,
    ANNEX_LAYER_LANDLOCK = 1u << 10,
    ANNEX_LAYER_SECCOMP = 1u << 11,
    ANNEX_LAYER_KEYRING = 1u << 12,
    ANNEX_LAYER_TIME = 1u << 13,  // clocks that do not say when the machine was started
    ANNEX_LAYER_SPECULATION = 1u << 14,  // what annex_speculation.h lists, as far as the machine offers it
};

// The steps of a launch in their order; a failure names one, and every step has its time.
enum {
    ANNEX_STEP_PLAN = 0,      // the plan itself is malformed
    ANNEX_STEP_TREES,         // open_tree of bind sources ahead of time (root only)
    ANNEX_STEP_CLONE,         // clone3 into the namespaces
    ANNEX_STEP_CGROUP,        // the child joins its control groups before anything else, then their namespace
    ANNEX_STEP_CLOCKS,        // its clocks leave the machine's by a random time
    ANNEX_STEP_MAPS,          // setgroups, uid_map, gid_map and oom_score_adj, written by the parent
    ANNEX_STEP_IDENTITY,      // setresgid, setresuid inside
    ANNEX_STEP_PROPAGATION,   // the whole tree made private
    ANNEX_STEP_ROOT,          // the tmpfs that becomes the root
    ANNEX_STEP_SCRATCHES,     // capped tmpfs inside the root
    ANNEX_STEP_BINDS,         // sources reopened, compared, bound, made read-only nosuid nodev
    ANNEX_STEP_LINKS,         // symbolic links of the root's own
    ANNEX_STEP_PROC,          // a procfs of its own pid namespace, processes only
    ANNEX_STEP_PIVOT,         // the tmpfs becomes the root and read-only, the host's is taken off
    ANNEX_STEP_HOSTNAME,      // sethostname in the namespace of its own
    ANNEX_STEP_LOOPBACK,      // the loopback interface of its own network namespace brought up
    ANNEX_STEP_DIRECTORY,     // the working directory entered
    ANNEX_STEP_EXECUTABLE,    // the executable opened inside and compared with the one that was checked
    ANNEX_STEP_SESSION,       // setsid, umask, session keyring, the terminal
    ANNEX_STEP_CAPABILITIES,  // securebits, bounding, ambient, permitted: all empty
    ANNEX_STEP_LIFELINE,      // PDEATHSIG armed after the last change of credentials, and re-checked
    ANNEX_STEP_NO_NEW_PRIVS,
    ANNEX_STEP_SPECULATION,   // speculation that leaks switched off, and a core of its own, where they are offered
    ANNEX_STEP_REAPER,        // the first process clones the program, and becomes the reaper
    ANNEX_STEP_DESCRIPTORS,   // the listed ones placed, all others closed
    ANNEX_STEP_LANDLOCK,
    ANNEX_STEP_LIMITS,        // rlimits: late, or a low RLIMIT_NOFILE would bind the launch itself
    ANNEX_STEP_SECCOMP,
    ANNEX_STEP_LISTENER,      // the refusal listener fetched by the warden
    ANNEX_STEP_EXEC,
    ANNEX_STEP_COUNT
};

// One bind mount. The source is found again by path without following links and must be the
// same device and inode as the held descriptor.
typedef struct {
    annex_bytes source;  // absolute path on the host
    annex_bytes target;  // absolute path inside; missing parents are made
    uint64_t device;     // st_dev and st_ino of the descriptor the broker checked
    uint64_t inode;
    uint32_t descriptor;  // index into the descriptors of this plan: the same object, O_PATH
    uint32_t flags;       // ANNEX_BIND_*; none: read-only. Always recursive, nosuid and private
} annex_bind;

enum {
    ANNEX_BIND_WRITABLE = 1u << 0,
    ANNEX_BIND_DEVICE = 1u << 1,  // a device node that the policy grants (/dev/null): without nodev
    ANNEX_BIND_NO_EXECUTE = 1u << 2,
};

// One tmpfs inside the root.
typedef struct {
    annex_bytes target;
    uint64_t size;    // bytes
    uint64_t inodes;
    uint32_t mode;        // permission bits of its top directory
    uint32_t executable;  // 0: noexec
} annex_scratch;

// One symbolic link in the root. Links in a bind are the host's own and stand there already.
typedef struct {
    annex_bytes target;    // absolute path of the link itself
    annex_bytes contents;  // what it points at
} annex_link;

// One descriptor of the extension: the plan's descriptor number `index` becomes `number`.
typedef struct {
    uint32_t index;
    int32_t number;
} annex_descriptor;

typedef struct {
    uint32_t resource;  // RLIMIT_*
    uint32_t reserved;
    uint64_t soft;
    uint64_t hard;
} annex_limit;

// One Landlock rule: `access` beneath `path` (as seen inside the new root).
typedef struct {
    annex_bytes path;
    uint64_t access;
} annex_landlock_rule;

// A control group to join: an open `tasks` (index of a descriptor) of version 1. The child writes "0" itself, for
// a single thread that moves itself costs microseconds; `cgroup.procs` waits for a grace period of the kernel.
typedef struct {
    uint32_t index;
    uint32_t reserved;
} annex_group;

// The plan: this header, then whatever its runs point at.
typedef struct {
    uint32_t magic;
    uint32_t version;
    uint32_t size;  // of the whole message
    uint32_t layers;  // ANNEX_LAYER_*; what cannot be had fails the launch
    uint64_t launch;  // the broker's number for this launch; every answer repeats it

    uint32_t inside_user, inside_group;    // ids seen inside
    uint32_t outside_user, outside_group;  // ids on the host; never root's

    uint64_t root_size, root_inodes;  // cap of the tmpfs root
    annex_bytes hostname;
    annex_bytes directory;  // working directory inside

    annex_records binds;        // annex_bind
    annex_records scratches;    // annex_scratch
    annex_records descriptors;  // annex_descriptor
    annex_records limits;       // annex_limit
    annex_records arguments;    // annex_bytes
    annex_records environment;  // annex_bytes
    annex_records groups;       // annex_group (version 1: joined by the child)
    annex_records links;        // annex_link
    int32_t into_cgroup;        // index of an open version 2 group directory for CLONE_INTO_CGROUP, or -1
    uint32_t flags;             // ANNEX_PLAN_*
    annex_records removals;     // annex_bytes: empty directories (control groups) removed when the broker is gone

    annex_bytes executable;  // path inside the new root
    uint64_t executable_device, executable_inode;
    uint64_t exec_nonce;  // the sixth argument that the filter lets one execveat pass with

    uint64_t landlock_files, landlock_network, landlock_scopes;  // handled rights for landlock_create_ruleset
    annex_records landlock;  // annex_landlock_rule

    // struct sock_filter[], at a multiple of 8. Every filter must let pass, without notification: write
    // (the report of what came of it), exit_group, the one execveat, and with a listener also read.
    annex_bytes filter;
    uint32_t filter_flags;  // SECCOMP_FILTER_FLAG_*; NEW_LISTENER wanted where the policy notifies

    // A test makes one step fail: when `fault_errno` is not 0, `fault_step` answers it without being done.
    uint32_t fault_step;
    uint32_t fault_errno;
    int32_t terminal;  // index of a terminal's descriptor that becomes the controlling one, or -1

    uint32_t file_mask;  // umask: permission bits that a new file does not get
    uint32_t reserved;
} annex_plan;

enum {
    // The first process is a reaper, the program its child: for programs that have processes, and for any that
    // must meet signals as everywhere else.
    ANNEX_PLAN_REAPER = 1u << 0,
    ANNEX_PLAN_PROC = 1u << 1,
    ANNEX_PLAN_LOOPBACK = 1u << 2,
    // No memory that was ever writable becomes executable: said by the kernel itself beside the filter, which is asked
    // for with it.
    ANNEX_PLAN_WRITE_XOR_EXECUTE = 1u << 3,
    // Some steps of niceness below the host: where no control group has a weight for processors.
    ANNEX_PLAN_NICE = 1u << 4,
};

// The steps of the warden's own start; HELLO names the one that failed.
enum {
    ANNEX_BEGINNING_SIGNALS,
    ANNEX_BEGINNING_SESSION,
    ANNEX_BEGINNING_LIMITS,
    ANNEX_BEGINNING_STANDING,     // whose process it is; its groups and keys given up
    ANNEX_BEGINNING_INHERITED,    // priorities and personality of the host's given up
    ANNEX_BEGINNING_PLACES,
    ANNEX_BEGINNING_LOOP,
    ANNEX_BEGINNING_CONFINEMENT,  // capabilities that no launch needs given up
    ANNEX_BEGINNING_COUNT
};

// What the warden answers. About every plan: FAILED or EXECUTED, and in the end ENDED, the last word.
enum {
    ANNEX_ANSWER_HELLO = 1,    // once, first; `error`: what the start itself could not do
    ANNEX_ANSWER_STARTED = 2,  // clone3 done; carries a pidfd
    ANNEX_ANSWER_LISTENER = 3, // carries the seccomp listener; the code inside waits until this was sent
    ANNEX_ANSWER_EXECUTED = 4, // the extension's own code runs now; carries the step times
    ANNEX_ANSWER_FAILED = 5,   // step, error
    ANNEX_ANSWER_STOPPED = 6,  // with a reaper: the program was stopped by a signal, which `status` names
    ANNEX_ANSWER_ENDED = 7,    // status, usage
};

typedef struct {
    uint32_t kind;
    uint32_t version;
    uint64_t launch;  // 0 where the plan was too short to have a number
    uint32_t step;    // FAILED
    int32_t error;    // FAILED: errno; 0: the process was killed before its executable ran, ENDED says how
    uint32_t detail;  // FAILED: which bind, limit, rule (index); of the plan: where in it; HELLO: which beginning; else 0
    int32_t process;  // HELLO: the warden; others: the process as the host sees it; 0: none was ever made
    int32_t status;   // ENDED, STOPPED: as wait4 gives it; with a reaper it is the program's
    uint32_t layers;  // EXECUTED: ANNEX_LAYER_* in force
    uint32_t controls;  // HELLO: ANNEX_CONTROL_* that are in force for each launch with ANNEX_LAYER_SPECULATION
    uint32_t reserved;
    uint64_t user_time, system_time;  // ENDED: microseconds
    uint64_t peak_memory;             // ENDED: bytes, ru_maxrss
    uint64_t begun;                   // CLOCK_MONOTONIC nanoseconds when the plan was read
    uint64_t times[ANNEX_STEP_COUNT]; // EXECUTED, FAILED: the same clock at each step's end; 0: not reached.
                                      // SECCOMP has none: past it the child may not ask for the time.
                                      // LISTENER and EXEC are taken when the warden sees them
} annex_answer;

// The step's name as users read it ("clone", "maps" ...); null past the last.
const char *annex_step_name(uint32_t step);
// The same for a step of the warden's start.
const char *annex_beginning_name(uint32_t beginning);

#endif
