// System calls that Swift's import of Glibc lacks. Each function returns the result or -errno. So errno cannot be
// overwritten before Swift reads it.
#ifndef C_ANNEX_CALLS_H
#define C_ANNEX_CALLS_H

#include <stdint.h>
#include <sys/types.h>

#define ANNEX_SEAL_SEAL 0x0001
#define ANNEX_SEAL_SHRINK 0x0002
#define ANNEX_SEAL_GROW 0x0004
#define ANNEX_SEAL_WRITE 0x0008
#define ANNEX_SEAL_FUTURE_WRITE 0x0010

int annex_memfd_create(const char *name, int executable);
int annex_add_seals(int descriptor, int seals);
int annex_get_seals(int descriptor);
int annex_duplicate(int descriptor, int lowest);
// Makes reads and writes through this open file description non-blocking. Returns 0 or -errno.
int annex_stop_blocking(int descriptor);
// Makes a pipe. Both ends are close-on-exec.
int annex_pipe(int *reading, int *writing, int non_blocking);
int annex_socket_pair(int *one, int *other);
// The name and the text of an errno, for example "ENOENT" and "No such file or directory". Null if the C library has
// none.
const char *annex_errno_name(int number);
const char *annex_errno_text(int number);
// From now on, each line that the program prints leaves the process at once, even if the output is a pipe.
void annex_buffer_lines(void);
int annex_pidfd_open(pid_t process);
// Opens a process, or a thread of a process, where the kernel can (Linux 6.9).
int annex_pidfd_open_thread(pid_t thread);
int annex_pidfd_send_signal(int pidfd, int signal);
int annex_pidfd_getfd(int pidfd, int descriptor);
// The number of a process that the kernel gives no other process. Returns 0 before Linux 6.9.
uint64_t annex_process_identity(int pidfd);
// Compares the address spaces of two processes. Returns 0 if they are the same. Otherwise the result is 1 (before) or
// 2 (after), in an order that the kernel chooses. Returns -errno if one process is gone, or if the caller is not
// allowed to inspect it.
int annex_compare_memory(pid_t one, pid_t other);
// The bytes in memory that the files of the machine got and that were not on a disk yet, since the machine's start
// (nr_dirtied). Returns 0 if the kernel does not report it.
uint64_t annex_dirtied_bytes(void);
// Whether a file gives capabilities to everyone who executes it. Returns -errno if this is unknown.
int annex_has_capabilities(const char *path);
// Asks the scheduler for short turns of the calling thread, so that the thread runs soon after it wakes, and for a lower
// nice value if this process may lower it (CAP_SYS_NICE, RLIMIT_NICE). A thread with a real-time policy is left as it is.
// Returns 0 or -errno.
int annex_shorten_turns(int nice);

#endif
