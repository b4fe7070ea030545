#include "proc.h"

#include "syscalls.h"
#include "text.h"
#include "warden.h"

#define NAME_LARGEST 64

void proc_prepare(void) { warden.proc = (int)CALL(NR_openat, AT_FDCWD, "/proc", O_PATH | O_DIRECTORY | O_CLOEXEC); }

static long open_file(const char *name, int flags) {
    return warden.proc < 0 ? warden.proc : CALL(NR_openat, warden.proc, name, flags | O_CLOEXEC);
}

long proc_open(const char *name) { return open_file(name, O_RDONLY); }

long proc_read(const char *name, char *text, uint64_t size) {
    long file = open_file(name, O_RDONLY);
    if (file < 0) return file;
    long length = CALL(NR_read, file, text, size - 1);
    CALL(NR_close, file);
    if (length >= 0) text[length] = 0;
    return length;
}

long proc_write(const char *name, const char *text, uint64_t length) {
    long file = open_file(name, O_WRONLY);
    if (file < 0) return file;
    long written = CALL(NR_write, file, text, length);
    CALL(NR_close, file);
    return written < 0 ? written : 0;
}

static void name_of(int process, const char *name, char path[NAME_LARGEST]) {
    char *end = path;
    text_append_number(&end, (uint64_t)process, 10);
    text_append(&end, name);
}

long proc_write_of(int process, const char *name, const char *text, uint64_t length) {
    char path[NAME_LARGEST];
    name_of(process, name, path);
    return proc_write(path, text, length);
}

long proc_open_of(int process, const char *name) {
    char path[NAME_LARGEST];
    name_of(process, name, path);
    return proc_open(path);
}
