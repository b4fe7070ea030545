#define _GNU_SOURCE
#include "CAnnexCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_GET_SEALS 1034
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#define SYS_pidfd_open 434
#define SYS_pidfd_getfd 438
#endif
#define ANNEX_MFD_CLOEXEC 0x1u
#define ANNEX_MFD_ALLOW_SEALING 0x2u
#define ANNEX_MFD_NOEXEC_SEAL 0x8u
#define ANNEX_MFD_EXEC 0x10u
#define ANNEX_RESET_ON_FORK 0x1u

static int result(long value) { return value < 0 ? -errno : (int)value; }

int annex_memfd_create(const char *name, int executable) {
    unsigned flags = ANNEX_MFD_CLOEXEC | ANNEX_MFD_ALLOW_SEALING;
    // The sysctl vm.memfd_noexec may forbid a memory file without one of these flags. Kernels before 6.3 know neither
    // flag.
    long made = syscall(SYS_memfd_create, name, flags | (executable ? ANNEX_MFD_EXEC : ANNEX_MFD_NOEXEC_SEAL));
    if (made < 0 && errno == EINVAL) made = syscall(SYS_memfd_create, name, flags);
    return result(made);
}

void annex_buffer_lines(void) { (void)setvbuf(stdout, NULL, _IOLBF, 0); }

int annex_add_seals(int descriptor, int seals) { return result(fcntl(descriptor, F_ADD_SEALS, seals)); }

int annex_get_seals(int descriptor) { return result(fcntl(descriptor, F_GET_SEALS)); }

int annex_duplicate(int descriptor, int lowest) { return result(fcntl(descriptor, F_DUPFD_CLOEXEC, lowest)); }

int annex_pidfd_open(pid_t process) { return result(syscall(SYS_pidfd_open, process, 0)); }

int annex_pidfd_open_thread(pid_t thread) {
    int process = annex_pidfd_open(thread);
    // Only the first thread of a process has the process's number. PIDFD_THREAD (O_EXCL) exists from Linux 6.9 on.
    return process == -EINVAL || process == -ENOENT ? result(syscall(SYS_pidfd_open, thread, O_EXCL)) : process;
}

int annex_pidfd_send_signal(int pidfd, int signal) {
    return result(syscall(SYS_pidfd_send_signal, pidfd, signal, (void *)0, 0));
}

int annex_pidfd_getfd(int pidfd, int descriptor) { return result(syscall(SYS_pidfd_getfd, pidfd, descriptor, 0)); }

uint64_t annex_process_identity(int pidfd) {
    // The headers do not have PID_FS_MAGIC yet. Before this file system, all pidfds had the same inode number.
    const long magic = 0x50494446;
    struct statfs system;
    struct stat status;
    if (fstatfs(pidfd, &system) < 0 || system.f_type != magic || fstat(pidfd, &status) < 0) return 0;
    return status.st_ino;
}

int annex_compare_memory(pid_t one, pid_t other) {
    enum { kcmp_vm = 1 };
    return result(syscall(SYS_kcmp, one, other, kcmp_vm, 0, 0));
}

int annex_pipe(int *reading, int *writing, int non_blocking) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | (non_blocking ? O_NONBLOCK : 0)) < 0) return -errno;
    *reading = ends[0];
    *writing = ends[1];
    return 0;
}

int annex_socket_pair(int *one, int *other) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
    *one = ends[0];
    *other = ends[1];
    return 0;
}

const char *annex_errno_name(int number) { return strerrorname_np(number); }

const char *annex_errno_text(int number) { return strerrordesc_np(number); }

int annex_stop_blocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -errno : result(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK));
}

uint64_t annex_dirtied_bytes(void) {
    static const char name[] = "\nnr_dirtied ";
    char text[1 << 14];
    int file = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    text[count < 0 ? 0 : count] = 0;
    const char *line = strstr(text, name);
    return line ? strtoull(line + sizeof name - 1, 0, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

int annex_has_capabilities(const char *path) {
    ssize_t size = lgetxattr(path, "security.capability", 0, 0);
    if (size >= 0) return size > 0;
    return errno == ENODATA || errno == ENOTSUP ? 0 : -errno;
}

int annex_shorten_turns(int nice) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
        uint32_t least_use, most_use;
    } turns = {.size = sizeof turns};
    if (syscall(SYS_sched_getattr, 0, &turns, sizeof turns, 0) < 0) return -errno;
    if (turns.policy != SCHED_OTHER) return 0;
    turns.runtime = 100000;  // nanoseconds, the least that the kernel accepts
    int shortened = result(syscall(SYS_sched_setattr, 0, &turns, 0));
    if (nice >= turns.nice) return shortened;
    turns.nice = nice;
    // Threads and processes that this thread starts get the usual nice value.
    turns.flags |= ANNEX_RESET_ON_FORK;
    return syscall(SYS_sched_setattr, 0, &turns, 0) < 0 ? shortened : 0;
}
