// The file whose contents are read in the scenes about files: each page begins with a word of its own.
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { page = 4096, piece = 1 << 18 };

static const uint64_t page_step = 0x9E3779B97F4A7C15u;

static uint64_t word(uint64_t number) { return (number + 1) * page_step; }

uint64_t bench_file_sum(uint64_t bytes) {
    uint64_t sum = 0;
    for (uint64_t number = 0; number * page + sizeof sum <= bytes; number++) sum += word(number);
    return sum;
}

uint64_t bench_pages_sum(const void *bytes, size_t size) {
    uint64_t sum = 0, first;
    for (size_t at = 0; at + sizeof first <= size; at += page) {
        memcpy(&first, (const char *)bytes + at, sizeof first);
        sum += first;
    }
    return sum;
}

static bool fill(int file, uint64_t bytes) {
    static char room[piece];
    for (uint64_t at = 0; at < bytes;) {
        for (size_t offset = 0; offset < piece; offset += page) {
            uint64_t first = word((at + offset) / page);
            memcpy(room + offset, &first, sizeof first);
        }
        uint64_t left = bytes - at;
        ssize_t count = pwrite(file, room, left < piece ? (size_t)left : piece, (off_t)at);
        // Pieces begin at pages, so a short write would shift the words.
        if (count <= 0 || (count < piece && (uint64_t)count < left)) return false;
        at += (uint64_t)count;
    }
    return true;
}

// Reads the whole file, and compares its sum.
static bool is_whole(int file, uint64_t bytes) {
    static char room[piece];
    uint64_t sum = 0, at = 0;
    for (ssize_t count; (count = pread(file, room, piece, (off_t)at)) > 0; at += (uint64_t)count)
        sum += bench_pages_sum(room, (size_t)count);
    return at == bytes && sum == bench_file_sum(bytes);
}

bool bench_file_ready(const bench_plan *plan) {
    struct stat found;
    int file = plan->file ? open(plan->file, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;
    bool done = file >= 0 && !fstat(file, &found);
    // Written pages would be written to the disk while others read them.
    if (done && (uint64_t)found.st_size != plan->bytes)
        done = !ftruncate(file, 0) && fill(file, plan->bytes) && !fsync(file);
    done = done && is_whole(file, plan->bytes);
    if (!done) fprintf(stderr, "%s: %s: %s\n", plan->contender, plan->file ? plan->file : "no file", strerror(errno));
    if (file >= 0) close(file);
    return done;
}
