// Objects that the kernel keeps for a program in addition to its memory. Each function creates as many objects as it
// can. The objects remain until the program ends.
#include "conduct.h"
#include "syscalls.h"
#include "text.h"

#define GIBIBYTE (1024u * 1024u * 1024u)
#define TABLE_SPAN (2u * 1024u * 1024u)
#define LOCK_READ 0
#define SEEK_SET 0
#define SOCK_STREAM 1
#define F_SETPIPE_SZ 1031
#define F_GETPIPE_SZ 1032
#define RIGHTS_LARGEST 253u
#define HALVES_LARGEST 512u
#define NAME_LARGEST 256
#define SIG_BLOCK 0
#define SIGNAL_REAL_TIME 34
#define SIGNAL_QUEUED (-1)

#if defined(__x86_64__)
enum { NR_rt_sigqueueinfo = 129, NR_newfstatat = 262, NR_eventfd2 = 290 };
#else
enum { NR_eventfd2 = 19, NR_newfstatat = 79, NR_rt_sigqueueinfo = 138 };
#endif

struct file_lock {
    int16_t type, whence;
    int64_t start, length;
    int32_t process;
};

// Sets locks of one byte each, with gaps between them so that the kernel cannot join them. The locks are set from the
// highest place downwards. So each new lock comes first in the kernel's list, and the kernel need not search the list.
// All locks lie above the first `above` places.
int64_t object_locks_above(uint64_t above, uint64_t file, uint64_t command, uint64_t most) {
    for (uint64_t done = 0; done < most; done++) {
        const struct file_lock lock = {LOCK_READ, SEEK_SET, (int64_t)(2 * (above + most - done)), 1, 0};
        long result = CALL(NR_fcntl, file, command, &lock);
        if (result < 0) return done > 0 ? (int64_t)done : result;
    }
    return (int64_t)most;
}

int64_t object_locks(uint64_t file, uint64_t command, uint64_t most) {
    return object_locks_above(0, file, command, most);
}

// Reads addresses that have no memory behind them. For each read, the kernel makes one page table.
int64_t object_tables(uint64_t gibibytes) {
    int64_t tables = 0;
    for (uint64_t done = 0; done < gibibytes; done++) {
        long piece = CALL(NR_mmap, 0, GIBIBYTE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (piece < 0 && piece > -4096) return tables > 0 ? tables : piece;
        for (uint64_t at = 0; at < GIBIBYTE; at += TABLE_SPAN, tables++) (void)((volatile unsigned char *)piece)[at];
    }
    return tables;
}

// Sends copies of one descriptor in one message. The socket's other end never reads.
static long send_copies(int socket, int descriptor) {
    static struct {
        struct control_header header;
        int32_t copies[RIGHTS_LARGEST];
    } control;
    char byte = 0;
    struct buffer buffer = {&byte, 1};
    control.header = (struct control_header){sizeof control.header + sizeof control.copies, SOL_SOCKET, SCM_RIGHTS};
    for (unsigned i = 0; i < RIGHTS_LARGEST; i++) control.copies[i] = descriptor;
    const struct message message = {0, 0, &buffer, 1, &control, control.header.length, 0};
    return CALL(NR_sendmsg, socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int64_t object_flights(uint64_t pairs, uint64_t descriptor) {
    int64_t flights = 0;
    for (uint64_t done = 0; done < pairs; done++) {
        int ends[2];
        long result = CALL(NR_socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        if (result < 0) return flights > 0 ? flights : result;
        while ((result = send_copies(ends[0], (int)descriptor)) >= 0) flights += RIGHTS_LARGEST;
        if (flights == 0) return result;
    }
    return flights;
}

int64_t object_watches(uint64_t half) {
    static int queues[HALVES_LARGEST];
    int64_t watches = 0;
    uint64_t count = 0;
    if (half > HALVES_LARGEST) half = HALVES_LARGEST;
    for (; count < half; count++) {
        long queue = CALL(NR_epoll_create1, 0);
        if (queue < 0) break;
        queues[count] = (int)queue;
    }
    for (;;) {
        long counter = CALL(NR_eventfd2, 0, 0);
        if (counter < 0) return watches > 0 ? watches : counter;
        for (uint64_t i = 0; i < count; i++) {
            const struct epoll_entry entry = {EPOLLIN, 0};
            if (CALL(NR_epoll_ctl, queues[i], EPOLL_CTL_ADD, counter, &entry) < 0) return watches;
            watches++;
        }
    }
}

// Counts pages by the size that the kernel reports for each pipe.
int64_t object_pipes(uint64_t most, uint64_t bytes) {
    int64_t pages = 0;
    for (uint64_t done = 0; done < most; done++) {
        int ends[2];
        long result = CALL(NR_pipe2, ends, 0);
        if (result < 0) return pages > 0 ? pages : result;
        result = CALL(NR_fcntl, ends[0], F_SETPIPE_SZ, bytes);
        if (result < 0) result = CALL(NR_fcntl, ends[0], F_GETPIPE_SZ);
        if (result < 0) return pages > 0 ? pages : result;
        pages += result / 4096;
    }
    return pages;
}

int64_t object_signals(uint64_t most) {
    const uint64_t blocked = 1ull << (SIGNAL_REAL_TIME - 1);
    const struct signal_information queued = {.number = SIGNAL_REAL_TIME, .code = SIGNAL_QUEUED};
    CALL(NR_rt_sigprocmask, SIG_BLOCK, &blocked, 0, SIGNAL_SET_SIZE);
    long self = CALL(NR_getpid);
    for (uint64_t done = 0; done < most; done++) {
        long result = CALL(NR_rt_sigqueueinfo, self, SIGNAL_REAL_TIME, &queued);
        if (result < 0) return done > 0 ? (int64_t)done : result;
    }
    return (int64_t)most;
}

// Counts the KiB that wait in sockets whose other ends never read.
int64_t object_buffers(uint64_t pairs) {
    static unsigned char piece[16384];
    int64_t kibibytes = 0;
    for (uint64_t done = 0; done < pairs; done++) {
        int ends[2];
        long result = CALL(NR_socketpair, AF_UNIX, SOCK_STREAM | O_NONBLOCK, 0, ends);
        if (result < 0) return kibibytes > 0 ? kibibytes : result;
        for (int end = 0; end < 2; end++) {
            while ((result = CALL(NR_write, ends[end], piece, sizeof piece)) > 0) kibibytes += result / 1024;
        }
    }
    return kibibytes;
}

// Looks up names that do not exist, because the kernel may remember each of them. Returns the number of lookups.
int64_t object_lookups(const char *beginning, uint64_t most) {
    static unsigned char status[256];
    for (uint64_t done = 0; done < most; done++) {
        char name[NAME_LARGEST], *end = name;
        text_append(&end, beginning);
        text_append_number(&end, done, 10);
        long result = CALL(NR_newfstatat, AT_FDCWD, name, status, 0);
        if (result != -ENOENT) return done > 0 ? (int64_t)done : result;
    }
    return (int64_t)most;
}
