// Repeats one action up to a bound that the caller chooses. The bound is just large enough to show a flood.
#include "conduct.h"
#include "syscalls.h"
#include "text.h"

#define PAGE 4096u
#define MEBIBYTE (1024u * 1024u)
#define NAME_LARGEST 256

int64_t flood_repeat(const uint64_t arguments[6]) {
    for (uint64_t done = 0; done < arguments[1]; done++) {
        long result = CALL((long)arguments[0], arguments[2], arguments[3], arguments[4], arguments[5]);
        if (result < 0) return (int64_t)done;
    }
    return (int64_t)arguments[1];
}

int64_t flood_probe(const uint64_t arguments[6]) {
    int64_t successes = 0;
    for (uint64_t done = 0; done < arguments[1]; done++) {
        if (CALL((long)arguments[0], arguments[2], arguments[3], arguments[4], arguments[5]) >= 0) successes++;
    }
    return successes;
}

int64_t flood_scan(const uint64_t arguments[6]) {
    int64_t found = 0;
    for (uint64_t value = arguments[1]; value < arguments[2]; value++) {
        if (CALL((long)arguments[0], value, arguments[3], arguments[4], arguments[5]) >= 0) found++;
    }
    return found;
}

int64_t flood_touch(uint64_t mebibytes) {
    for (uint64_t done = 0; done < mebibytes; done++) {
        long piece = CALL(NR_mmap, 0, MEBIBYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece < 0 && piece > -4096) return (int64_t)done;
        for (uint64_t at = 0; at < MEBIBYTE; at += PAGE) ((volatile unsigned char *)piece)[at] = 1;
    }
    return (int64_t)mebibytes;
}

int64_t flood_files(const char *directory, uint64_t most) {
    for (uint64_t done = 0; done < most; done++) {
        char name[NAME_LARGEST], *end = name;
        text_append(&end, directory);
        text_append(&end, "/");
        text_append_number(&end, done, 10);
        long file = CALL(NR_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0) return (int64_t)done;
        CALL(NR_close, file);
    }
    return (int64_t)most;
}
