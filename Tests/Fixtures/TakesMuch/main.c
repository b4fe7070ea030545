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

int main(int given, char **words) {
    if (given < 2) return 64;
    const char *command = words[1];
    long number = given > 2 ? atol(words[2]) : 0;
    if (strcmp(command, "page-tables") == 0) return take_page_tables(number);
    if (strcmp(command, "first-thread") == 0) return leave_the_first_thread(number);
    if (strcmp(command, "burn") == 0) return burn(number);
    if (strcmp(command, "descriptors") == 0) return send_descriptors();
    if (strcmp(command, "fill") == 0 && given > 2) return fill(words[2]);
    return 64;
}
