// "COMMAND [NUMBER]": takes resources that the kernel keeps on behalf of a program and that most limits do not count.
// The program is static.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_in_a_message = 253, pairs = 40 };

static void sleep_for(int seconds) {
    struct timespec rest = {seconds, 0};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
}

// Takes read-only addresses. The kernel makes one page of its tables for each 2 MiB of them. The program itself gets no
// memory.
static int take_page_tables(long gibibytes) {
    const size_t gibibyte = (size_t)1 << 30, step = (size_t)2 << 20;
    volatile char seen = 0;
    long count = 0;
    for (; count < gibibytes; count++) {
        const volatile char *place = mmap(0, gibibyte, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (place == MAP_FAILED) break;
        for (size_t offset = 0; offset < gibibyte; offset += step) seen += place[offset];
    }
    printf("gibibytes=%ld\n", count);
    fflush(stdout);
    sleep_for(60);
    return seen;
}

// The first thread ends; another takes memory of its own and stays.
static void *take_memory(void *bytes) {
    size_t count = (size_t)bytes;
    char *place = mmap(0, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) exit(3);
    memset(place, 1, count);
    sleep_for(60);
    exit(0);
}

static int leave_the_first_thread(long mebibytes) {
    pthread_t other;
    if (pthread_create(&other, 0, take_memory, (void *)((size_t)mebibytes << 20)) != 0) return 2;
    pthread_exit(0);
}

// Children use the processors, each for a short time, and the program does not wait for them.
static int burn(long children) {
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        for (long i = 0; i < children; i++) {
            if (fork() != 0) continue;
            time_t end = time(0) + 2;
            while (time(0) < end) {}
            _exit(0);
        }
        sleep_for(1);
    }
}

// Sends descriptors in messages that no program receives.
static int send_descriptors(void) {
    int copies[most_in_a_message];
    long sent = 0;
    for (int i = 0; i < most_in_a_message; i++) copies[i] = 1;
    for (int i = 0; i < pairs; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) break;
        for (;;) {
            char room[CMSG_SPACE(sizeof copies)], byte = 0;
            struct iovec piece = {&byte, 1};
            struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
            struct cmsghdr *control = CMSG_FIRSTHDR(&message);
            control->cmsg_level = SOL_SOCKET;
            control->cmsg_type = SCM_RIGHTS;
            control->cmsg_len = CMSG_LEN(sizeof copies);
            memcpy(CMSG_DATA(control), copies, sizeof copies);
            if (sendmsg(ends[0], &message, MSG_DONTWAIT) < 0) break;
            sent += most_in_a_message;
        }
    }
    printf("%ld\n", sent);
    return 0;
}

static int fill(const char *path) {
    static char piece[1 << 16];
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    if (file < 0) return 2;
    while (write(file, piece, sizeof piece) > 0) {
        struct timespec rest = {0, 1000000};
        nanosleep(&rest, 0);
    }
    printf("full\n");
    fflush(stdout);
    sleep_for(60);
    return 0;
}

enum { pieces = 8, piece_size = 1 << 20, processes = 4 };

// Makes a file of a directory with a name that no other process of the program uses.
static int make(const char *directory, long number) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%d-%ld", directory, (int)getpid(), number);
    return open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
}

static int write_pieces(int file) {
    static char piece[piece_size];
    for (int i = 0; i < pieces; i++)
        if (write(file, piece, sizeof piece) < 0) return -1;
    return 0;
}

static int write_by_mapping(int file) {
    const size_t size = (size_t)pieces * piece_size;
    if (ftruncate(file, (off_t)size) < 0) return -1;
    volatile char *place = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (place == MAP_FAILED) return -1;
    for (size_t offset = 0; offset < size; offset += 4096) place[offset] = 1;
    return munmap((void *)place, size);
}

// Writes a file, then makes it empty, so that much is written and little is used.
static int write_in_vain(int file) {
    for (int i = 0; i < 8; i++)
        if (write_pieces(file) < 0 || ftruncate(file, 0) < 0 || lseek(file, 0, SEEK_SET) < 0) return -1;
    return write_pieces(file);
}

static int allocate(int file, int mode) {
    off_t size = (off_t)pieces * piece_size;
    return fallocate(file, mode, 0, size) == 0 || errno == EOPNOTSUPP ? 0 : -1;
}

// Fills one file after another as fast as it can in one way.
static int fill_fast(const char *way, const char *directory) {
    if (strcmp(way, "processes") == 0)
        for (int i = 1; i < processes; i++)
            if (fork() == 0) break;
    for (long number = 0;; number++) {
        int file = make(directory, number), done = -1;
        if (file < 0) return 2;
        if (strcmp(way, "mapping") == 0) done = write_by_mapping(file);
        if (strcmp(way, "in-vain") == 0) done = write_in_vain(file);
        if (strcmp(way, "allocate") == 0) done = allocate(file, 0);
        if (strcmp(way, "beyond-the-end") == 0) done = allocate(file, FALLOC_FL_KEEP_SIZE);
        if (strcmp(way, "write") == 0 || strcmp(way, "processes") == 0) done = write_pieces(file);
        if (done < 0) return 3;
        close(file);
    }
}

int main(int given, char **words) {
    if (given < 2) return 64;
    const char *command = words[1];
    long number = given > 2 ? atol(words[2]) : 0;
    if (strcmp(command, "page-tables") == 0) return take_page_tables(number);
    if (strcmp(command, "first-thread") == 0) return leave_the_first_thread(number);
    if (strcmp(command, "burn") == 0) return burn(number);
    if (strcmp(command, "descriptors") == 0) return send_descriptors();
    if (strcmp(command, "fill") == 0 && given > 2) return fill(words[2]);
    if (strcmp(command, "fill-fast") == 0 && given > 3) return fill_fast(words[2], words[3]);
    return 64;
}
