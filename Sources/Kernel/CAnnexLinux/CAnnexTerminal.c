#define _GNU_SOURCE
#include "CAnnexTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif
#ifndef TIOCGDEV
#define TIOCGDEV _IOR('T', 0x32, unsigned)
#endif

int annex_terminal_size(int terminal, int *columns, int *rows) {
    struct winsize size;
    if (ioctl(terminal, TIOCGWINSZ, &size) < 0) return -errno;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

int annex_terminal_copy_size(int from, int to) {
    struct winsize size;
    if (ioctl(from, TIOCGWINSZ, &size) < 0) return -errno;
    return ioctl(to, TIOCSWINSZ, &size) < 0 ? -errno : 0;
}

int annex_terminal_pair(int like, int *master, int *end) {
    int first = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (first < 0) return -errno;
    int second = -1;
    if (unlockpt(first) == 0) second = ioctl(first, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (second < 0) {
        int error = errno;
        close(first);
        return -error;
    }
    struct termios modes;
    if (tcgetattr(like, &modes) == 0) tcsetattr(second, TCSANOW, &modes);
    annex_terminal_copy_size(like, first);
    *master = first;
    *end = second;
    return 0;
}

int annex_same_terminal(int one, int other) {
    unsigned first = 0, second = 0;
    return ioctl(one, TIOCGDEV, &first) == 0 && ioctl(other, TIOCGDEV, &second) == 0 && first == second;
}

// Whether the kernel reports an opening that gives no access to the file (O_PATH). Kernels before 6.8 report such an
// opening.
static int reports_references(int queue, const char *path) {
    int reference = open(path, O_PATH | O_CLOEXEC);
    if (reference >= 0) close(reference);
    struct pollfd entry = {.fd = queue, .events = POLLIN};
    return poll(&entry, 1, 0) != 0;
}

int annex_watch_opening(int descriptor) {
    // This path leads to the file itself, whatever the file's own path is.
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    int queue = inotify_init1(IN_CLOEXEC);
    if (queue < 0) return -errno;
    int error = inotify_add_watch(queue, path, IN_OPEN) < 0 ? errno : 0;
    if (error == 0 && reports_references(queue, path)) error = EOPNOTSUPP;
    if (error == 0) return queue;
    close(queue);
    return -error;
}

int annex_same_description(int one, int other) {
    enum { kcmp_file = 0 };
    pid_t self = getpid();
    return syscall(SYS_kcmp, self, self, kcmp_file, (long)one, (long)other) == 0;
}

int annex_start_blocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) return -errno;
    return fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) < 0 ? -errno : 0;
}
