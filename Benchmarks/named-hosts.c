// The programs of the measurement `named-hosts`:
//
//   named-hosts serve               accepts connections at port 82, and closes them
//   named-hosts connect NAME TIMES  connects to a name that it looked up once; prints the median time in microseconds
//   named-hosts way PID DELAY       a wire between this network and that of a process: the devices w0 and w1. Each packet
//                                   takes so many microseconds
//
// `serve` and `way` print a line when they are ready, and end when they are killed.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void ready(void) {
    puts("ready");
    fflush(stdout);
}

static void serve(void) {
    int made = socket(AF_INET6, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in6 place = {.sin6_family = AF_INET6, .sin6_port = htons(82)};
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(made, (struct sockaddr *)&place, sizeof place) < 0 || listen(made, 1024) < 0) fail("listen");
    ready();
    for (;;) {
        int taken = accept(made, NULL, NULL);
        if (taken >= 0) close(taken);
    }
}

static int ascending(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static void connect_often(const char *name, int rounds) {
    struct addrinfo wish = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
    if (getaddrinfo(name, "82", &wish, &found) != 0) fail("getaddrinfo");
    double *times = calloc((size_t)rounds, sizeof *times);
    if (!times) fail("calloc");
    // The end is a reset, so that no port stays taken.
    const struct linger none = {.l_onoff = 1, .l_linger = 0};
    for (int i = 0; i < rounds; i++) {
        int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        double begun = now();
        if (connect(made, found->ai_addr, found->ai_addrlen) < 0) fail("connect");
        times[i] = now() - begun;
        setsockopt(made, SOL_SOCKET, SO_LINGER, &none, sizeof none);
        close(made);
    }
    qsort(times, (size_t)rounds, sizeof *times, ascending);
    printf("%.1f\n", times[rounds / 2]);
}

enum { MOST_PACKETS = 1024, LONGEST_PACKET = 2048 };

// One direction of the wire: a ring of packets with the times at which they arrive.
struct direction {
    int from, to;
    unsigned first, count;
    struct {
        double due;
        ssize_t size;
        char bytes[LONGEST_PACKET];
    } packets[MOST_PACKETS];
};

static int device(const char *name) {
    int made = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    struct ifreq wish = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    strncpy(wish.ifr_name, name, sizeof wish.ifr_name - 1);
    if (made < 0 || ioctl(made, TUNSETIFF, &wish) < 0) fail(name);
    return made;
}

// Takes packets in, and lets those go that have arrived. Returns when the next one arrives.
static double carry(struct direction *way, double delay) {
    while (way->count < MOST_PACKETS) {
        unsigned last = (way->first + way->count) % MOST_PACKETS;
        ssize_t size = read(way->from, way->packets[last].bytes, LONGEST_PACKET);
        if (size <= 0) break;
        way->packets[last].size = size;
        way->packets[last].due = now() + delay;
        way->count++;
    }
    while (way->count > 0 && way->packets[way->first].due <= now()) {
        (void)!write(way->to, way->packets[way->first].bytes, (size_t)way->packets[way->first].size);
        way->first = (way->first + 1) % MOST_PACKETS;
        way->count--;
    }
    return way->count > 0 ? way->packets[way->first].due : 1e300;
}

static void be_way(const char *process, double delay) {
    static struct direction there, back;
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/ns/net", process);
    int near = device("w0"), other = open(path, O_RDONLY | O_CLOEXEC);
    if (other < 0 || setns(other, CLONE_NEWNET) < 0) fail(path);
    int far = device("w1");
    there.from = back.to = near;
    there.to = back.from = far;
    ready();
    for (;;) {
        double one = carry(&there, delay), two = carry(&back, delay);
        double rest = (one < two ? one : two) - now();
        struct pollfd watched[] = {{.fd = near, .events = POLLIN}, {.fd = far, .events = POLLIN}};
        struct timespec wait = {.tv_sec = 1};
        if (rest < 1e6) wait = (struct timespec){.tv_nsec = rest > 0 ? (long)(rest * 1e3) : 0};
        ppoll(watched, 2, &wait, NULL);
    }
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "serve") == 0) {
        serve();
    } else if (count == 4 && strcmp(words[1], "connect") == 0 && atoi(words[3]) > 0) {
        connect_often(words[2], atoi(words[3]));
    } else if (count == 4 && strcmp(words[1], "way") == 0) {
        be_way(words[2], atof(words[3]));
    } else {
        return 2;
    }
    return 0;
}
