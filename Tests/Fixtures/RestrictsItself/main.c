// restricts-itself RESTRICTION… -- PROGRAM ARGUMENT…
//
// Takes a right or a feature away from itself, as a machine, a container or a service manager would. Then it executes
// the program.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_clone3 435
#define NR_pidfd_getfd 438
#define NR_landlock_create_ruleset 444
#define CORE_SCHEDULING 62  // PR_SCHED_CORE
#define NAMESPACES (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

static void fail(const char *what) {
    fprintf(stderr, "restricts-itself: %s: %s\n", what, strerror(errno));
    exit(125);
}

static void write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) fail(path);
    close(file);
}

// The user and group numbers are the same inside and outside the user namespace. Inside, this process has every
// capability until the program executes.
static void enter_namespaces(int flags) {
    char line[64];
    unsigned user = getuid(), group = getgid();
    if (unshare(CLONE_NEWUSER | flags) < 0) fail("unshare");
    write_text("/proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "%u %u 1", user, user);
    write_text("/proc/self/uid_map", line);
    snprintf(line, sizeof line, "%u %u 1", group, group);
    write_text("/proc/self/gid_map", line);
}

static void mask_proc(void) {
    enter_namespaces(CLONE_NEWNS);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) fail("mount of the propagation");
    if (mount("/dev/null", "/proc/version", NULL, MS_BIND, NULL) < 0) fail("mount over /proc/version");
}

// Mounts /proc with options, as an administrator would. The mount needs root. The program that follows may run as an
// ordinary user.
static void hide_processes(const char *options) {
    if (unshare(CLONE_NEWNS) < 0) fail("unshare");
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) fail("mount of the propagation");
    if (mount("proc", "/proc", "proc", 0, options) < 0) fail("mount of /proc");
}

static void lower_files(void) {
    const struct rlimit few = {96, 96};
    if (setrlimit(RLIMIT_NOFILE, &few) < 0) fail("setrlimit");
}

// MARK: - A crowd

static void send_many(int socket) {
    int many[253];
    char control[CMSG_SPACE(sizeof many)], byte = 0;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) many[i] = STDIN_FILENO;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof many), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(header), many, sizeof many);
    while (sendmsg(socket, &message, 0) < 0)
        if (errno != ETOOMANYREFS) fail("sendmsg");
}

// The descriptors are in flight for `there` microseconds, then not for `gone` microseconds. This repeats `times` times.
static void crowd(useconds_t there, useconds_t gone, int times) {
    for (int i = 0; i < times; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) fail("socketpair");
        send_many(pair[0]);
        usleep(there);
        close(pair[0]);
        close(pair[1]);
        usleep(gone);
    }
    _exit(0);
}

// Begins a child that acts as another program of this user. The child has more descriptors in flight than this
// program may have open.
static void begin_crowd(useconds_t there, useconds_t gone, int times) {
    lower_files();
    pid_t self = getpid();
    int made = fork();
    if (made < 0) fail("fork");
    if (made > 0) return (void)usleep(10 * 1000);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == self) crowd(there, gone, times);
    _exit(0);
}

static struct sock_filter program[4096];
static unsigned short count;

static void add(unsigned short code, unsigned value, unsigned char yes, unsigned char no) {
    program[count++] = (struct sock_filter){.code = code, .jt = yes, .jf = no, .k = value};
}

static void answer(unsigned number, unsigned action) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    add(BPF_RET | BPF_K, action, 0, 0);
}

static void install(void) {
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    const struct sock_fprog filter = {.len = count, .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail("no_new_privs");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0) fail("seccomp");
}

// A container's filter for an unprivileged program: it answers EPERM, and ENOSYS for clone3, so that C libraries use an
// older call.
static void refuse_as_containers_do(int and_confinement) {
    const unsigned refused = SECCOMP_RET_ERRNO | EPERM, absent = SECCOMP_RET_ERRNO | ENOSYS;
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    answer(SYS_unshare, refused);
    answer(SYS_setns, refused);
    answer(SYS_mount, refused);
    answer(SYS_umount2, refused);
    answer(SYS_pivot_root, refused);
    answer(SYS_keyctl, refused);
    answer(NR_clone3, absent);
    if (and_confinement) {
        answer(SYS_seccomp, refused);
        for (unsigned number = 0; number < 3; number++) answer(NR_landlock_create_ruleset + number, absent);
    }
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args), 0, 0);
    add(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1);
    add(BPF_RET | BPF_K, refused, 0, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    install();
}

static void load_argument(unsigned index) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * index, 0, 0);
}

// Imitates the answers of a machine with core scheduling. This process has no cookie, and a request for a cookie gets
// the given answer.
static void offer_core(unsigned when_wanted) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 7);
    load_argument(0);
    add(BPF_JMP | BPF_JEQ | BPF_K, CORE_SCHEDULING, 0, 5);
    load_argument(1);
    answer(0, SECCOMP_RET_ERRNO);
    answer(1, SECCOMP_RET_ERRNO | when_wanted);
    install();
}

// Imitates the answers of a machine whose speculation can be controlled. A query is refused. Switching off one of the
// two kinds for good succeeds, and any other setting is an error.
static void offer_speculation_control(void) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 10);
    load_argument(0);
    answer(PR_GET_SPECULATION_CTRL, SECCOMP_RET_ERRNO | EPERM);
    add(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SPECULATION_CTRL, 0, 6);
    load_argument(1);
    add(BPF_JMP | BPF_JGT | BPF_K, PR_SPEC_INDIRECT_BRANCH, 3, 0);
    load_argument(2);
    answer(PR_SPEC_FORCE_DISABLE, SECCOMP_RET_ERRNO);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ERANGE, 0, 0);
    install();
}

// Imitates a filter that refuses the calls for speculation control, or does not know them.
static void refuse_speculation_control(void) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 5);
    load_argument(0);
    answer(PR_GET_SPECULATION_CTRL, SECCOMP_RET_ERRNO | EPERM);
    answer(PR_SET_SPECULATION_CTRL, SECCOMP_RET_ERRNO | EPERM);
    install();
}

// Imitates a service manager with a setting for which it ends a program at once if the program makes this call.
static void kill_for(unsigned number) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    answer(number, SECCOMP_RET_KILL_PROCESS);
    install();
}

// Acts like LockPersonality= of systemd: the usual personality may be set, and all other calls are refused.
static void lock_personality(void) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 3);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args), 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
    install();
}

static void forbid_user_namespaces(void) {
    enter_namespaces(0);
    write_text("/proc/sys/user/max_user_namespaces", "0");
}

// MARK: - Containers

// Reads a filter from a file: an array of `struct sock_filter`, which a test made of a container engine's profile.
static void install_file(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, program, sizeof program);
    if (length <= 0 || length % (ssize_t)sizeof *program != 0) fail(path);
    close(file);
    const struct sock_fprog filter = {.len = (unsigned short)(length / (ssize_t)sizeof *program), .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail("no_new_privs");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0) fail("seccomp");
}

// Continues in a process namespace of its own, and keeps the /proc of the outer one.
static void keep_outer_proc(void) {
    if (geteuid() == 0) {
        if (unshare(CLONE_NEWPID) < 0) fail("unshare");
    } else {
        enter_namespaces(CLONE_NEWPID);
    }
    pid_t made = fork();
    if (made < 0) fail("fork");
    if (made == 0) return (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int status = 0;
    while (waitpid(made, &status, 0) < 0 && errno == EINTR) {}
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

// Has a listener of its own, as the runtime of some containers has. The kernel allows one listener.
static void take_the_listener(void) {
    const struct sock_filter allow = {.code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW};
    const struct sock_fprog filter = {.len = 1, .filter = (struct sock_filter *)&allow};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail("no_new_privs");
    int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
    // The listener stays open in the program that follows. Without it, the kernel would allow another one.
    if (listener < 0 || fcntl(listener, F_SETFD, 0) < 0) fail("seccomp");
}

// Root without any capability, also after exec.
static void drop_capabilities(void) {
    const int no_root_locked = 0x2f;  // SECBIT_NOROOT, SECBIT_NO_SETUID_FIXUP, their locks and SECBIT_KEEP_CAPS_LOCKED
    if (prctl(PR_SET_SECUREBITS, no_root_locked) < 0) fail("securebits");
    for (int capability = 0; prctl(PR_CAPBSET_DROP, capability) == 0; capability++) {}
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    const struct __user_cap_data_struct none[2] = {{0}};
    if (syscall(SYS_capset, &header, none) < 0) fail("capset");
}

static void refuse_group_namespaces(void) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 3);
    load_argument(0);
    add(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWCGROUP, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
    install();
}

// Acts like the filter of a container: a process may not take descriptors of another one.
static void refuse_taking(void) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    answer(NR_pidfd_getfd, SECCOMP_RET_ERRNO | EPERM);
    install();
}

// Hides a directory of the machine under an empty, read-only one.
static void cover(const char *directory) {
    if (geteuid() == 0) {
        if (unshare(CLONE_NEWNS) < 0) fail("unshare");
    } else {
        enter_namespaces(CLONE_NEWNS);
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) fail("mount of the propagation");
    if (mount("tmpfs", directory, "tmpfs", MS_RDONLY, NULL) < 0) fail(directory);
}

static int contain_by(const char *word) {
    if (strncmp(word, "filter=", 7) == 0) install_file(word + 7);
    else if (strcmp(word, "outer-proc") == 0) keep_outer_proc();
    else if (strcmp(word, "has-listener") == 0) take_the_listener();
    else if (strcmp(word, "no-capabilities") == 0) drop_capabilities();
    else if (strcmp(word, "no-group-namespaces") == 0) refuse_group_namespaces();
    else if (strcmp(word, "no-taking") == 0) refuse_taking();
    else if (strcmp(word, "no-sys") == 0) cover("/sys");
    else if (strcmp(word, "no-proc") == 0) cover("/proc");
    else if (strcmp(word, "killed-for-clone3") == 0) kill_for(NR_clone3);
    else return 0;
    return 1;
}

static void restrict_by(const char *word) {
    if (contain_by(word)) return;
    if (strcmp(word, "no-user-namespaces") == 0) forbid_user_namespaces();
    else if (strcmp(word, "container-filter") == 0) refuse_as_containers_do(0);
    else if (strcmp(word, "old-container-filter") == 0) refuse_as_containers_do(1);
    else if (strcmp(word, "no-landlock") == 0) {
        add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
        for (unsigned number = 0; number < 3; number++)
            answer(NR_landlock_create_ruleset + number, SECCOMP_RET_ERRNO | ENOSYS);
        install();
    } else if (strcmp(word, "killed-for-landlock") == 0) kill_for(NR_landlock_create_ruleset);
    else if (strcmp(word, "locked-personality") == 0) lock_personality();
    else if (strcmp(word, "offers-a-core") == 0) offer_core(0);
    else if (strcmp(word, "refuses-a-core") == 0) offer_core(EPERM);
    else if (strcmp(word, "loses-its-cores") == 0) offer_core(ENODEV);
    else if (strcmp(word, "offers-speculation-control") == 0) offer_speculation_control();
    else if (strcmp(word, "refuses-speculation-control") == 0) refuse_speculation_control();
    else if (strcmp(word, "masked-proc") == 0) mask_proc();
    else if (strcmp(word, "hidden-processes") == 0) hide_processes("hidepid=2");
    else if (strcmp(word, "hidden-from-others") == 0) hide_processes("hidepid=2,gid=65534");
    else if (strcmp(word, "few-files") == 0) lower_files();
    else if (strcmp(word, "crowded-for-a-moment") == 0) begin_crowd(500 * 1000, 0, 1);
    else if (strcmp(word, "crowded") == 0) begin_crowd(60 * 1000 * 1000, 0, 1);
    else if (strcmp(word, "crowded-on-and-off") == 0) begin_crowd(1500, 1500, 20 * 1000);
    else {
        fprintf(stderr, "restricts-itself: no such restriction: %s\n", word);
        exit(125);
    }
}

int main(int argument_count, char **arguments) {
    int i = 1;
    for (; i < argument_count && strcmp(arguments[i], "--") != 0; i++) restrict_by(arguments[i]);
    if (i + 1 >= argument_count) return 125;
    execv(arguments[i + 1], arguments + i + 1);
    fail(arguments[i + 1]);
}
