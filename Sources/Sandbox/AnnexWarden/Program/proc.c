#include "proc.h"

#include "syscalls.h"
#include "text.h"
#include "warden.h"

#define NAME_LARGEST 64

#define ENTRY_LARGEST 512


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

// The text after a label in the entry of a pidfd, or null. The entry has one line for each label.
static const char *after(const char *entry, const char *label) {
    for (; *entry != 0; entry++) {
        uint32_t length = 0;
        while (label[length] != 0 && entry[length] == label[length]) length++;
        if (label[length] == 0) return entry + length;
        while (*entry != 0 && *entry != '\n') entry++;
        if (*entry == 0) return 0;
    }
    return 0;
}

// Reads how /proc describes a process: the number that /proc gives to it, and the numbers that it has from the process
// namespace of /proc down to its own. Returns 0, or -errno.
static long describe(int process, char entry[ENTRY_LARGEST]) {
    long handle = CALL(NR_pidfd_open, process, 0);
    if (handle < 0) return handle;
    char name[NAME_LARGEST], *end = name;
    text_append(&end, "self/fdinfo/");
    text_append_number(&end, (uint64_t)handle, 10);
    long length = proc_read(name, entry, ENTRY_LARGEST);
    CALL(NR_close, handle);
    return length < 0 ? length : 0;
}

// Whether /proc belongs to an outer process namespace. In this case, /proc has other numbers for the warden's processes,
// and a number of the warden would lead to a process of another program.
static int is_outer(void) {
    char entry[ENTRY_LARGEST];
    if (describe((int)CALL(NR_getpid), entry) < 0) return 0;
    const char *numbers = after(entry, "NSpid:\t");
    while (numbers != 0 && *numbers >= '0' && *numbers <= '9') numbers++;
    return numbers != 0 && *numbers == '\t';
}

void proc_prepare(void) {
    warden.proc = (int)CALL(NR_openat, AT_FDCWD, "/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    warden.proc_is_outer = is_outer();
}

// The number of a process in /proc, or -errno.
static long listed_number(int process) {
    if (!warden.proc_is_outer) return process;
    char entry[ENTRY_LARGEST];
    long result = describe(process, entry);
    if (result < 0) return result;
    long number = 0;
    const char *digit = after(entry, "Pid:\t");
    for (; digit != 0 && *digit >= '0' && *digit <= '9'; digit++) number = number * 10 + (*digit - '0');
    return number > 0 ? number : -ESRCH;
}

static long name_of(int process, const char *name, char path[NAME_LARGEST]) {
    long number = listed_number(process);
    if (number < 0) return number;
    char *end = path;
    text_append_number(&end, (uint64_t)number, 10);
    text_append(&end, name);
    return 0;
}

long proc_write_of(int process, const char *name, const char *text, uint64_t length) {
    char path[NAME_LARGEST];
    long result = name_of(process, name, path);
    return result < 0 ? result : proc_write(path, text, length);
}

long proc_open_of(int process, const char *name) {
    char path[NAME_LARGEST];
    long result = name_of(process, name, path);
    return result < 0 ? result : proc_open(path);
}
