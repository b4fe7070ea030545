// reports-its-world DESCRIPTOR COMMAND [ARGUMENT…]
//
// Reports what a process in a sandbox sees, as lines of `key=value` on a descriptor. Some commands perform one action
// instead, and report its result. The program is static, so that it needs no other file.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif

extern char **environ;
static FILE *out;

static void say(const char *key, long long value) { fprintf(out, "%s=%lld\n", key, value); }
static void say_text(const char *key, const char *value) { fprintf(out, "%s=%s\n", key, value); }
// Reports 0, or the errno of a call that failed.
static void say_result(const char *key, long result) { say(key, result < 0 ? errno : 0); }

static void report_identity(void) {
    say("uid", getuid());
    say("euid", geteuid());
    say("gid", getgid());
    say("groups", getgroups(0, 0));
    say("pid", getpid());
    say("session", getsid(0));
    say("dumpable", prctl(PR_GET_DUMPABLE));
}

static void report_privileges(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0}};
    syscall(SYS_capget, &header, data);
    uint32_t any = 0;
    for (int i = 0; i < 2; i++) any |= data[i].effective | data[i].permitted | data[i].inheritable;
    say("capabilities", any);
    int bounding = 0, ambient = 0;
    for (int i = 0; i < 64; i++) {
        bounding += prctl(PR_CAPBSET_READ, i) == 1;
        ambient += prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, i, 0, 0) == 1;
    }
    say("bounding", bounding);
    say("ambient", ambient);
    say("securebits", prctl(PR_GET_SECUREBITS));
    say("no_new_privs", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    say("seccomp", prctl(PR_GET_SECCOMP));
    int signal = 0;
    prctl(PR_GET_PDEATHSIG, &signal);
    say("death_signal", signal);
    say_result("keyring", syscall(SYS_keyctl, 6, -3, 0, 0));
    say_result("add_key", syscall(SYS_add_key, "user", "annex", "x", 1, -3));
}

// Reports the kernel's answers about this process: the state of speculation, and the programs that may run on its core
// at the same time.
static void report_speculation(void) {
    say("store bypass", prctl(PR_GET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS, 0, 0, 0));
    say("indirect branches", prctl(PR_GET_SPECULATION_CTRL, PR_SPEC_INDIRECT_BRANCH, 0, 0, 0));
    uint64_t cookie = 0;
    prctl(62 /* PR_SCHED_CORE */, 0 /* PR_SCHED_CORE_GET */, 0, 0, &cookie);
    fprintf(out, "cookie=%llu\n", (unsigned long long)cookie);
}

static void report_surroundings(void) {
    struct utsname name;
    uname(&name);
    say_text("hostname", name.nodename);
    say_text("domain", name.domainname);
    char directory[4096];
    say_text("directory", getcwd(directory, sizeof directory) ? directory : "?");
    mode_t mask = umask(0);
    umask(mask);
    say("umask", mask);
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, 0, &blocked);
    int count = 0, ignored = 0;
    for (int number = 1; number < 65; number++) {
        struct sigaction action = {0};
        count += sigismember(&blocked, number) == 1;
        ignored += sigaction(number, 0, &action) == 0 && action.sa_handler == SIG_IGN;
    }
    say("blocked_signals", count);
    say("ignored_signals", ignored);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    say("files_soft", (long long)limit.rlim_cur);
    say("files_hard", (long long)limit.rlim_max);
    getrlimit(RLIMIT_CORE, &limit);
    say("core", (long long)limit.rlim_cur);
    for (char **entry = environ; *entry; entry++) fprintf(out, "env.%s\n", *entry);
}

static void report_limit(const char *key, int resource) {
    struct rlimit limit = {1, 1};
    getrlimit(resource, &limit);
    say(key, limit.rlim_cur == limit.rlim_max ? (long long)limit.rlim_max : -1);
}

// Reports the properties that a process inherits from its parent if no code resets them.
static void report_inherited(void) {
    say("policy", sched_getscheduler(0));
    say("nice", getpriority(PRIO_PROCESS, 0));
    say("io", syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0));
    say("personality", personality(0xffffffff));
    report_limit("limit.nice", RLIMIT_NICE);
    report_limit("limit.real-time", RLIMIT_RTPRIO);
    report_limit("limit.real-time-span", RLIMIT_RTTIME);
}

static void report_memory(void) {
    say("promise", prctl(PR_GET_MDWE, 0, 0, 0, 0));
    errno = 0;
    void *both = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    say("both", both == MAP_FAILED ? errno : 0);
}

static long long nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void copy_file(const char *path) {
    char line[4096];
    FILE *file = fopen(path, "r");
    for (int i = 0; file && fgets(line, sizeof line, file); i++) fprintf(out, "%s.%d=%s", path, i, line);
    if (file) fclose(file);
}

// Reports all facts that could distinguish machines, or users of one machine.
static void report_machine(void) {
    struct utsname name;
    uname(&name);
    say_text("uname.node", name.nodename);
    say_text("uname.domain", name.domainname);
    say("day-since-start", nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_BOOTTIME));
    say("day-monotonic", nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_MONOTONIC));
    say("since-start-monotonic", nanoseconds(CLOCK_BOOTTIME) - nanoseconds(CLOCK_MONOTONIC));
    struct tms used;
    say("times", times(&used));
    copy_file("/proc/self/mountinfo");
    copy_file("/proc/self/uid_map");
    copy_file("/proc/self/gid_map");
    copy_file("/proc/self/cgroup");
    say("meminfo", access("/proc/meminfo", F_OK));
    say("cmdline", access("/proc/cmdline", F_OK));
    say("boot_id", access("/proc/sys/kernel/random/boot_id", F_OK));
}

static pid_t stopped_member_of_first_group(void) {
    pid_t leaf = fork();
    if (leaf == 0) {
        setpgid(0, 1);
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(leaf, 0, WUNTRACED);
    return leaf;
}

// The process group of the first process becomes an orphan while one of its members is stopped. So the kernel sends
// SIGHUP and SIGCONT to the whole group.
static void orphan_group(void) {
    int ends[2];
    if (pipe(ends) < 0) return;
    pid_t middle = fork(), leaf = 0;
    if (middle == 0) {
        setpgid(0, 0);
        leaf = stopped_member_of_first_group();
        _exit(write(ends[1], &leaf, sizeof leaf) != sizeof leaf);
    }
    if (read(ends[0], &leaf, sizeof leaf) != sizeof leaf) return;
    waitpid(middle, 0, 0);
    // The loop ends when the leaf has died of the signal and the first process has reaped it.
    while (kill(leaf, 0) == 0) usleep(1000);
    usleep(200000);
    say("alive", 1);
}

// The process is stopped and continued by its own child, as often as the child can.
static void be_stopped(int times) {
    pid_t parent = getpid(), child = fork();
    for (int i = 0; child == 0 && i < times; i++) {
        kill(parent, SIGSTOP);
        kill(parent, SIGCONT);
    }
    if (child == 0) _exit(0);
    waitpid(child, 0, 0);
}

static void report_descriptors(void) {
    char list[4096] = "", *end = list;
    for (int number = 0; number < 1024; number++) {
        int flags = fcntl(number, F_GETFD);
        if (flags >= 0) end += sprintf(end, "%s%d%s", end == list ? "" : ",", number, flags ? "c" : "");
    }
    say_text("descriptors", list);
}

static void report_root(const char *key) {
    struct dirent **entries;
    int count = scandir("/", &entries, 0, alphasort);
    char list[4096] = "", *end = list;
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') end += sprintf(end, "%s%s", end == list ? "" : ",", entries[i]->d_name);
    }
    say_text(key, list);
}

// Acts as a process with every right in its namespaces. It unmounts its root and enters its mount namespace again.
// Its root is then the mount that remains.
static void dig(void) {
    report_root("root");
    say_result("taken", umount2("/", MNT_DETACH));
    int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    say_result("entered", setns(self, CLONE_NEWNS));
    report_root("beneath");
    say_result("beneath.write", mkdir("/new", 0700));
    say_result("beneath.remount", mount(0, "/", 0, MS_REMOUNT | MS_BIND, 0));
    say_result("beneath.parent", access("/../etc/passwd", F_OK));
}

static void report_files(void) {
    report_root("root");
    say_result("root.write", mkdir("/new", 0700));
    say_result("root.parent", access("/../etc/passwd", F_OK));
    say_result("proc", access("/proc/self", F_OK));
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    say_result("loopback", connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&address, sizeof address));
}

// Reports PATH.flags, PATH.write, PATH.size, PATH.inodes and PATH.mode.
static void report_place(const char *path) {
    struct statvfs status;
    char key[300], file[300];
    snprintf(key, sizeof key, "%s.flags", path);
    unsigned long asked = ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC;
    say(key, statvfs(path, &status) < 0 ? -errno : (long)(status.f_flag & asked));
    snprintf(key, sizeof key, "%s.size", path);
    say(key, (long long)status.f_blocks * (long long)status.f_bsize);
    snprintf(key, sizeof key, "%s.inodes", path);
    say(key, (long long)status.f_files);
    struct stat about;
    snprintf(key, sizeof key, "%s.mode", path);
    say(key, stat(path, &about) < 0 ? -errno : (long)(about.st_mode & 07777));
    snprintf(key, sizeof key, "%s.write", path);
    snprintf(file, sizeof file, "%s/written", path);
    say_result(key, open(file, O_CREAT | O_WRONLY, 0600));
    snprintf(key, sizeof key, "%s.read", path);
    say_result(key, open(path, O_RDONLY));
}

static int attempt_exec(void) {
    char *const arguments[] = {"again", 0};
    execve("/app/program", arguments, environ);
    say("execve", errno);
    int file = open("/app/program", O_RDONLY);
    syscall(SYS_execveat, file, "", arguments, environ, AT_EMPTY_PATH, 0x1234L);
    say("execveat", errno);
    return 0;
}

// The first process of a container. It waits only for the end of the one program that it starts.
static void be_first(char **command) {
    pid_t child = fork();
    if (child == 0) execv(command[0], command);
    waitpid(child, 0, 0);
    // Processes that outlive the program for a moment end during this sleep.
    usleep(500000);
    int left = 0;
    while (waitpid(-1, 0, WNOHANG | __WALL) > 0) left++;
    say("left", left);
}

int main(int count, char **arguments) {
    if (count < 3) return 64;
    const char *command = arguments[2];
    out = fdopen(atoi(arguments[1]), "w");
    if (strcmp(command, "exit") == 0) return atoi(arguments[3]);
    if (strcmp(command, "signal") == 0) {
        signal(atoi(arguments[3]), SIG_DFL);
        // The first process of a process namespace cannot kill itself by a signal, but a fault can kill it.
        *(volatile int *)0 = 1;
    }
    if (!out) return 65;
    if (strcmp(command, "exec") == 0) attempt_exec();
    if (strcmp(command, "dig") == 0) dig();
    if (strcmp(command, "parent") == 0) {
        errno = 0;
        say("getppid", syscall(SYS_getppid));
        say("errno", errno);
    }
    if (strcmp(command, "inherited") == 0) report_inherited();
    if (strcmp(command, "memory") == 0) report_memory();
    if (strcmp(command, "speculation") == 0) report_speculation();
    if (strcmp(command, "machine") == 0) report_machine();
    if (strcmp(command, "first") == 0) be_first(arguments + 3);
    if (strcmp(command, "orphan-group") == 0) orphan_group();
    if (strcmp(command, "continue-the-first") == 0) for (;;) kill(1, SIGCONT);
    if (strcmp(command, "be-stopped") == 0) be_stopped(atoi(arguments[3]));
    if (strcmp(command, "world") == 0) {
        report_descriptors();
        report_identity();
        report_privileges();
        report_surroundings();
        report_inherited();
        report_files();
        say_text("executed", (const char *)getauxval(AT_EXECFN));
        if (count > 3) say_text("argument3", arguments[3]);
        for (int i = 3; i < count; i++) report_place(arguments[i]);
    }
    say_text("said", command);
    fflush(out);
    if (strcmp(command, "stay") == 0 || strcmp(command, "inherited") == 0) for (;;) pause();
    return 0;
}
