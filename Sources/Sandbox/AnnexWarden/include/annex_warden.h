// The messages between the broker and its warden. Layouts are fixed, in this machine's byte order, and each message is
// one SOCK_SEQPACKET packet. Only the rest of a long plan lies in a file (ANNEX_PLAN_PACKET). The warden trusts the
// broker, but still checks every bound, because a mistake here would be a hole in every sandbox.
#ifndef ANNEX_WARDEN_H
#define ANNEX_WARDEN_H

#include <stdint.h>

// The version is incremented if a layout below changes. The broker does not use an installed warden of another version.
#define ANNEX_WARDEN_VERSION 14u
#define ANNEX_PLAN_MAGIC 0x58414E41u  // "ANAX"
// The most bytes of a plan: 6 MiB, which is the most that the kernel takes as arguments and environment, and 128 KiB.
#define ANNEX_PLAN_LARGEST 6422528u
// The most bytes of a plan in its packet, because the kernel bounds a packet. A longer plan has exactly so many bytes
// there. The rest is the contents of a file. Its descriptor is the last one in the message, and not one of the plan's.
#define ANNEX_PLAN_PACKET (128u * 1024u)
#define ANNEX_PLAN_DESCRIPTORS 64u  // the most descriptors with a plan
#define ANNEX_PLAN_NUMBER_LARGEST 1023u  // the largest descriptor number that a plan may give the extension
#define ANNEX_PLAN_BINDS 256u
#define ANNEX_PLAN_SCRATCHES 32u
#define ANNEX_PLAN_LINKS 64u
#define ANNEX_PLAN_FILES 16u
#define ANNEX_PLAN_PARTS 1024u
#define ANNEX_PLAN_LIMITS 16u
// Arguments and environment together. The kernel counts each text's bytes, its NUL and a pointer, and so does the check
// of a plan. All this together is at most ANNEX_PLAN_LARGEST.
#define ANNEX_PLAN_TEXTS (ANNEX_PLAN_LARGEST / 9u)
#define ANNEX_PLAN_GROUPS 16u
#define ANNEX_PLAN_REMOVALS 16u
#define ANNEX_PLAN_REMOVAL_BYTES 4096u  // of all removals' texts, each with its NUL
#define ANNEX_PLAN_RULES 512u
#define ANNEX_PLAN_SOCKETS 64u  // records of sockets
#define ANNEX_PLAN_SOCKETS_OF_ONE 64u  // sockets of one record
#define ANNEX_PLAN_SOCKETS_OF_ALL 192u  // the broker's channel has room for so many
#define ANNEX_PLAN_PORT_RULES 64u
#define ANNEX_PLAN_INSTRUCTIONS 4096u  // the kernel's own bound for one filter
#define ANNEX_PLAN_TEXT_LARGEST 131071u  // one argument: the kernel's own bound

// The descriptors with which the warden starts.
#define ANNEX_WARDEN_CONTROL 3  // SOCK_SEQPACKET to the broker
#define ANNEX_WARDEN_BROKER 4   // pidfd of the broker's process: when it dies, everything ends

// A run of bytes inside the plan. A text ends with a NUL that `length` does not count.
typedef struct {
    uint32_t offset;
    uint32_t length;
} annex_bytes;

// A run of records inside the plan. `offset` is a multiple of 8.
typedef struct {
    uint32_t offset;
    uint32_t count;
} annex_records;

// The layers, as bits. A plan lists the layers that it needs. EXECUTED lists the layers that are in force.
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
    ANNEX_LAYER_TIME = 1u << 13,  // clocks that do not reveal when the machine was started
    ANNEX_LAYER_SPECULATION = 1u << 14,  // the controls of annex_speculation.h that the machine offers
    ANNEX_LAYER_PROC = 1u << 15,         // a procfs of the sandbox's own, if the plan has ANNEX_PLAN_PROC
    ANNEX_LAYER_LISTENER = 1u << 16,     // the broker hears of denied calls, and decides some of them
};

// The steps of a launch in their order. A failure names its step. The time of every step except SECCOMP is recorded.
enum {
    ANNEX_STEP_PLAN = 0,      // the plan itself is malformed
    ANNEX_STEP_TREES,         // open_tree of bind sources ahead of time (root only)
    ANNEX_STEP_CLONE,         // clone3, or clone, into the namespaces
    ANNEX_STEP_CGROUP,        // the child joins its control groups, then makes a cgroup namespace with them as root
    ANNEX_STEP_CLOCKS,        // the clocks of the sandbox are shifted by random times
    ANNEX_STEP_NUMBERS,       // the process numbers of the sandbox begin at a random place
    ANNEX_STEP_WATCHES,       // the user namespace gets limits for inotify
    ANNEX_STEP_MAPS,          // setgroups, uid_map, gid_map and oom_score_adj, written by the parent
    ANNEX_STEP_OWNERS,        // binds whose files belong to another user on disk get an id map (root only)
    ANNEX_STEP_IDENTITY,      // setresgid, setresuid inside
    ANNEX_STEP_PROPAGATION,   // the whole tree made private
    ANNEX_STEP_ROOT,          // the tmpfs that becomes the root
    ANNEX_STEP_SCRATCHES,     // capped tmpfs inside the root
    ANNEX_STEP_BINDS,         // sources reopened, compared, bound, made read-only nosuid nodev
    ANNEX_STEP_LINKS,         // the symbolic links that the plan adds to the root
    ANNEX_STEP_FILES,         // the files and empty directories that the plan itself contains
    ANNEX_STEP_PARTS,         // parts of the binds are hidden, protected or held in their places
    ANNEX_STEP_PROC,          // a procfs of the sandbox's pid namespace
    ANNEX_STEP_PIVOT,         // the tmpfs becomes the root and read-only; the host's root is unmounted
    ANNEX_STEP_HOSTNAME,      // sethostname in the sandbox's own namespace
    ANNEX_STEP_LOOPBACK,      // the loopback interface of its own network namespace is brought up
    ANNEX_STEP_DIRECTORY,     // the working directory entered
    ANNEX_STEP_EXECUTABLE,    // the executable is opened inside and compared with the checked one
    ANNEX_STEP_SESSION,       // setsid, umask, session keyring, the terminal
    ANNEX_STEP_CAPABILITIES,  // securebits, bounding, ambient, permitted: all empty
    ANNEX_STEP_LIFELINE,      // PDEATHSIG armed after the last change of credentials, and re-checked
    ANNEX_STEP_NO_NEW_PRIVS,
    ANNEX_STEP_SPECULATION,   // leaking speculation is switched off, and a core of its own requested
    ANNEX_STEP_REAPER,        // the first process clones the program, and becomes the reaper
    ANNEX_STEP_DESCRIPTORS,   // the listed ones are placed, all others closed
    ANNEX_STEP_LANDLOCK,
    ANNEX_STEP_LIMITS,        // rlimits: late, because a low RLIMIT_NOFILE would limit the launch itself
    ANNEX_STEP_SECCOMP,
    ANNEX_STEP_LISTENER,      // the warden fetches the listener for denied calls
    ANNEX_STEP_EXEC,
    ANNEX_STEP_COUNT
};

// One bind mount. A warden that runs as root and may mount binds the object of the plan's descriptor. Otherwise the
// child finds the source again by its path, without following links. The object must have the device and inode below.
typedef struct {
    annex_bytes source;  // absolute path on the host
    annex_bytes target;  // absolute path inside; missing parents are made
    uint64_t device;     // st_dev and st_ino of the descriptor that the broker checked
    uint64_t inode;
    uint32_t descriptor;  // index of this plan's descriptor for the same object, O_PATH
    uint32_t flags;       // ANNEX_BIND_*; 0: read-only. Always recursive, nosuid and private
    int32_t map;          // with ANNEX_BIND_OWNED: index of a user namespace for the id map; -1: the sandbox's own
    uint32_t reserved;
} annex_bind;

enum {
    ANNEX_BIND_WRITABLE = 1u << 0,
    ANNEX_BIND_DEVICE = 1u << 1,  // a device node that the policy grants (/dev/null): without nodev
    ANNEX_BIND_NO_EXECUTE = 1u << 2,
    // The bind has an id map. Files that belong to one user on disk belong to the process, and new files get this
    // owner on disk. The owner is `inside_user`, or the user that `map` names. Only a warden of the machine's root
    // can make such a bind.
    ANNEX_BIND_OWNED = 1u << 3,
};

// One tmpfs inside the root.
typedef struct {
    annex_bytes target;
    uint64_t size;    // bytes
    uint64_t inodes;
    uint32_t mode;        // permission bits of its top directory
    uint32_t executable;  // 0: noexec
} annex_scratch;

// One symbolic link in the root. A link inside a bind belongs to the host and exists already.
typedef struct {
    annex_bytes target;    // absolute path of the link itself
    annex_bytes contents;  // the link's target
} annex_link;

// One file with fixed contents, or an empty directory. It is made in the root or in a scratch, never inside a bind.
typedef struct {
    annex_bytes target;
    annex_bytes contents;  // a text; empty for a directory
    uint32_t directory;    // 1: a directory
    uint32_t reserved;
} annex_file;

// One part of a bind that gets a mount of its own in its place. The child finds the part in the new root, without
// following links. The object must have the device and inode below.
typedef struct {
    annex_bytes target;  // absolute path inside
    uint64_t device;
    uint64_t inode;
    uint32_t kind;  // ANNEX_PART_*
    uint32_t reserved;
} annex_part;

enum {
    ANNEX_PART_HELD = 1,       // keeps its rights, and can be neither renamed nor removed
    ANNEX_PART_PROTECTED = 2,  // the same, and read-only
    ANNEX_PART_HIDDEN = 3,     // an empty object that nobody may open lies over it
};

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

// One Landlock rule: `access` beneath `path`. The path is seen from inside the new root.
typedef struct {
    annex_bytes path;
    uint64_t access;
} annex_landlock_rule;

// A control group of version 1 to join: the index of a descriptor of its open file `tasks`. The child writes "0" for
// itself. A write to `tasks` moves one thread in microseconds. A write to `cgroup.procs` would wait for a grace period
// of the kernel.
typedef struct {
    uint32_t index;
    uint32_t reserved;
} annex_group;

// One Landlock rule about a TCP port.
typedef struct {
    uint64_t access;
    uint64_t port;
} annex_port_rule;

// Sockets that the child makes in the sandbox's own network. It sends each one through a channel to the broker, with the
// record's mark as a 32-bit number.
typedef struct {
    uint32_t family;    // AF_INET or AF_INET6
    uint32_t type;      // SOCK_STREAM for TCP, or SOCK_DGRAM for UDP
    uint32_t port;      // not 0: one socket that listens there, at the loopback address; 0: sockets of TCP that connect
    uint32_t count;
    uint32_t optional;  // 1: left out if the kernel lacks the family or its loopback address
    uint32_t channel;   // index of a descriptor: a SOCK_SEQPACKET whose other end the broker holds
    uint32_t mark;      // what the broker recognizes the socket by
    uint32_t reserved;
} annex_socket;

// The plan: this header, followed by the data that its runs refer to.
typedef struct {
    uint32_t magic;
    uint32_t version;
    uint32_t size;  // of the whole message
    uint32_t layers;  // ANNEX_LAYER_*; the launch fails if one cannot be provided
    uint64_t launch;  // the broker's number for this launch; every answer repeats it

    uint32_t inside_user, inside_group;    // ids as seen inside
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
    annex_records files;        // annex_file
    int32_t into_cgroup;        // index of an open version 2 group directory for CLONE_INTO_CGROUP, or -1
    uint32_t flags;             // ANNEX_PLAN_*
    annex_records removals;     // annex_bytes: empty directories (control groups) removed when the broker is gone
    annex_records parts;        // annex_part; a part comes before the parts in it

    annex_bytes executable;  // path inside the new root
    uint64_t executable_device, executable_inode;
    // The name by which the caller started the program: a path, which may be relative and may have links; empty if
    // there is none. It is used only if it leads, inside the new root, to the object with this device and inode. The
    // object is the executable, or the script that the executable interprets.
    annex_bytes name;
    uint64_t name_device, name_inode;
    uint64_t exec_nonce;  // the filter allows only the execveat whose sixth argument is this number

    uint64_t landlock_files, landlock_network, landlock_scopes;  // handled rights for landlock_create_ruleset
    annex_records landlock;  // annex_landlock_rule

    // The filter is a struct sock_filter[] at a multiple of 8. Every filter must allow these calls without
    // notification: write (for the launch's report), exit_group, and the launch's own execveat. If there is a
    // listener, the filter must also allow read.
    annex_bytes filter;
    uint32_t filter_flags;  // SECCOMP_FILTER_FLAG_*; with NEW_LISTENER if the policy notifies

    // For tests, and for trials of single layers. If `fault_errno` is not 0, step `fault_step` fails with this errno
    // without being performed.
    uint32_t fault_step;
    uint32_t fault_errno;
    int32_t terminal;  // index of a terminal's descriptor that becomes the controlling one, or -1

    uint32_t file_mask;  // umask: permission bits that a new file does not get
    uint32_t reserved;
    annex_records sockets;     // annex_socket; only with ANNEX_PLAN_LOOPBACK
    annex_records port_rules;  // annex_port_rule

    // The signals that the program ignores and blocks when it begins. Bit n - 1 stands for signal n. All other signals
    // have their default action.
    uint64_t ignored_signals, blocked_signals;
    // The most queues and watches of inotify in the sandbox's user namespace. 0 queues: the launch sets no such limit. If
    // it cannot set them, a filter refuses new queues.
    uint32_t watch_queues, watches;

    // With a reaper: the index of a scratch whose top directory the broker gets as an O_PATH descriptor, or -1. The
    // broker can then look at the scratch after the sandbox is gone.
    int32_t kept_scratch;
    // The index of the argument that is the program's own name. It is 0 unless the program is a script. `name` takes the
    // place of the argument of a script.
    uint32_t name_argument;
} annex_plan;

enum {
    // The first process is a reaper, and the program is its child. This is for programs that may have several
    // processes, and for programs that must receive signals as they do outside a sandbox.
    ANNEX_PLAN_REAPER = 1u << 0,
    ANNEX_PLAN_PROC = 1u << 1,
    ANNEX_PLAN_LOOPBACK = 1u << 2,
    // No memory that was ever writable may become executable. The kernel enforces this in addition to the filter, and
    // plans request both together.
    ANNEX_PLAN_WRITE_XOR_EXECUTE = 1u << 3,
    // Lowers the priority by some steps of niceness, if no control group has a weight for processors.
    ANNEX_PLAN_NICE = 1u << 4,
    // The procfs also shows the kernel's own files.
    ANNEX_PLAN_KERNEL_FILES = 1u << 5,
    // Only root can change what lies on the way of `name`. So the kernel itself may follow the name and execute the
    // program, as it does outside. If this fails, the descriptor is executed.
    ANNEX_PLAN_BY_NAME = 1u << 6,
    // The process has the lowest priority of ordinary processes: the largest niceness, and the idle class of the disks.
    ANNEX_PLAN_YIELDS = 1u << 7,
};

// The steps of the warden's own start. HELLO names the step that failed.
enum {
    ANNEX_BEGINNING_SIGNALS,
    ANNEX_BEGINNING_SESSION,
    ANNEX_BEGINNING_LIMITS,
    ANNEX_BEGINNING_STANDING,     // asks if uid 0 is an ordinary user outside; gives up keys and groups
    ANNEX_BEGINNING_INHERITED,    // gives up the host's priorities and personality
    ANNEX_BEGINNING_PLACES,
    ANNEX_BEGINNING_LOOP,
    ANNEX_BEGINNING_CONFINEMENT,  // gives up capabilities that no launch needs
    ANNEX_BEGINNING_COUNT
};

// The warden's answers. Every plan gets FAILED or EXECUTED, and then ENDED as its last answer.
enum {
    ANNEX_ANSWER_HELLO = 1,    // once, before all others; `error`: the errno of a failed start, else 0
    ANNEX_ANSWER_STARTED = 2,  // clone3 done; carries a pidfd
    ANNEX_ANSWER_SCRATCH = 3,  // carries the top directory of the plan's `kept_scratch`
    ANNEX_ANSWER_LISTENER = 4, // carries the seccomp listener; the code inside waits until this is sent
    ANNEX_ANSWER_EXECUTED = 5, // the extension's own code runs now; carries the step times
    ANNEX_ANSWER_FAILED = 6,   // step, error
    ANNEX_ANSWER_STOPPED = 7,  // with a reaper: a signal stopped the program; `status` names it
    ANNEX_ANSWER_ENDED = 8,    // status, usage
};

typedef struct {
    uint32_t kind;
    uint32_t version;
    uint64_t launch;  // 0 if the plan was too short to have a number
    uint32_t step;    // FAILED
    int32_t error;    // FAILED: errno; 0: the process was killed before its executable ran, and ENDED says how
    uint32_t detail;  // FAILED: index of bind, limit or rule, or offset in the plan; HELLO: failed step;
                      // ENDED: 1 if the program left other processes running, which ended with it; else 0
    int32_t process;  // HELLO: the warden; others: the process as the host sees it; 0: none was made
    int32_t status;   // ENDED, STOPPED: as wait4 returns it; with a reaper it is the program's
    uint32_t layers;  // EXECUTED: ANNEX_LAYER_* in force
    uint32_t controls;  // HELLO: ANNEX_CONTROL_* in force for each launch with ANNEX_LAYER_SPECULATION
    int32_t numbers_error;  // EXECUTED: the errno for which the process numbers do not begin at a random place, or 0
    uint64_t user_time, system_time;  // ENDED: microseconds
    uint64_t peak_memory;             // ENDED: bytes, ru_maxrss
    uint64_t begun;                   // CLOCK_MONOTONIC nanoseconds when the plan was read
    uint64_t times[ANNEX_STEP_COUNT]; // EXECUTED, FAILED: the same clock at each step's end; 0: not reached.
                                      // SECCOMP has no time: after this step, the child must not read the clock. The
                                      // warden takes the times of LISTENER and EXEC when it sees them.
} annex_answer;

// The step's name as shown to users, such as "clone" or "maps". Null if there is no such step.
const char *annex_step_name(uint32_t step);
// The name of a step of the warden's start, as shown to users. Null if there is no such step.
const char *annex_beginning_name(uint32_t beginning);

#endif
