// Usage: "COMMAND [ARGUMENT…]". An extension gets only one argument, its own name, so all of these words are in that
// name.
//
// Makes calls that are hard for the code that explains refusals. The program is static, and prints its findings as
// lines of `key=value`.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void say(const char *key, long value) { printf("%s=%ld\n", key, value); }

// The call is two functions deep, so that a backtrace has frames to show.
__attribute__((noinline)) int ask_for_a_socket(void) {
    int result = socket(AF_INET, SOCK_STREAM, 0);
    return result < 0 ? -errno : result;
}

__attribute__((noinline)) int ask_from_afar(int depth) {
    int result = depth > 0 ? ask_from_afar(depth - 1) : ask_for_a_socket();
    return result + (depth > 100);
}

// A path that has one text when it is checked and another text when it is used.
static char path[4096];
static const char *harmless, *secret;
static atomic_int done;

static void *flip(void *unused) {
    (void)unused;
    // Both texts have the same length, so that every mixture of the two is a path too.
    while (!atomic_load_explicit(&done, memory_order_relaxed)) {
        memcpy(path, secret, strlen(secret) + 1);
        memcpy(path, harmless, strlen(harmless) + 1);
    }
    return 0;
}

static int race(long rounds) {
    pthread_t other;
    if (strlen(secret) >= sizeof path || strlen(harmless) >= sizeof path) return 65;
    memcpy(path, harmless, strlen(harmless) + 1);
    if (pthread_create(&other, 0, flip, 0) != 0) return 1;
    long opened = 0, wins = 0, missing = 0;
    for (long i = 0; i < rounds; i++) {
        int file = open(path, O_RDONLY);
        if (file < 0) {
            missing++;
            continue;
        }
        char text[16] = "";
        long count = read(file, text, sizeof text);
        wins += count > 0 && memcmp(text, "secret", 6) == 0;
        opened++;
        close(file);
    }
    atomic_store(&done, 1);
    pthread_join(other, 0);
    say("opened", opened);
    say("missing", missing);
    say("wins", wins);
    return 0;
}

// Makes a call that no kernel has, again and again. Each answer is written before the next call.
static int flood(long rounds) {
    for (long i = 0; i < rounds; i++) {
        syscall(900);
        if (write(1, ".", 1) != 1) return 1;
    }
    return 0;
}

// Makes as many mappings as asked for. The kernel can join none of them with its neighbour. Then makes many kinds of
// calls that are refused.
static int crowd(long mappings, long kinds) {
    char *area = mmap(0, (size_t)mappings * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) return 1;
    for (long i = 0; i < mappings; i += 2) {
        if (mprotect(area + i * 4096, 4096, PROT_READ) != 0) return 1;
    }
    for (long i = 0; i < kinds; i++) syscall(900 + i);
    return 0;
}

static int look_for_files(long rounds) {
    char name[64];
    for (long i = 0; i < rounds; i++) {
        snprintf(name, sizeof name, "/usr/lib/annex-no-such-file-%ld", i);
        open(name, O_RDONLY);
    }
    return 0;
}

int main(int given, char **names) {
    char *arguments[16] = {0};
    int count = 1;
    for (char *word = strtok(given > 0 ? names[0] : "", " "); word && count < 16; word = strtok(0, " ")) {
        arguments[count++] = word;
    }
    if (count < 2) return 64;
    const char *command = arguments[1];
    if (strcmp(command, "deep") == 0) say("socket", ask_from_afar(3));
    if (strcmp(command, "named") == 0) {
        prctl(PR_SET_NAME, "a\033[2J\nb");
        say("socket", ask_from_afar(0));
    }
    if (strcmp(command, "hidden") == 0) {
        prctl(PR_SET_DUMPABLE, 0);
        say("socket", ask_from_afar(0));
    }
    if (strcmp(command, "flood") == 0) return flood(atol(arguments[2]));
    if (strcmp(command, "crowd") == 0 && count == 4) return crowd(atol(arguments[2]), atol(arguments[3]));
    if (strcmp(command, "search") == 0) return look_for_files(atol(arguments[2]));
    if (strcmp(command, "flip") == 0 && count == 5) {
        harmless = arguments[3];
        secret = arguments[4];
        int result = race(atol(arguments[2]));
        fflush(stdout);
        return result;
    }
    if (strcmp(command, "open") == 0) {
        for (int i = 2; i < count; i++) say(arguments[i], open(arguments[i], O_RDONLY) < 0 ? errno : 0);
    }
    if (strcmp(command, "abort") == 0) abort();
    fflush(stdout);
    return 0;
}
