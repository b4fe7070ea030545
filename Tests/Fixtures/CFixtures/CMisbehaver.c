#define _GNU_SOURCE
#include "CMisbehaver.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int result(long value) { return value < 0 ? -errno : (int)value; }

// The flags are the simplest possible. So if the call is denied, the flags are not the reason.
int misbehave_open(const char *path) { return result(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)); }

int misbehave_socket(int domain, int type) { return result(syscall(SYS_socket, domain, type, 0)); }

int misbehave_fork(void) {
    long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) syscall(SYS_exit_group, 0);
    return result(child);
}

int misbehave_execute(const char *path) {
    char *const arguments[] = {(char *)path, NULL};
    char *const environment[] = {NULL};
    return result(syscall(SYS_execve, path, arguments, environment));
}

int misbehave_take_memory(size_t size) {
    volatile uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return -errno;
    for (size_t page = 0; page < size; page += 4096) memory[page] = 1;
    return 0;
}

int misbehave_fill_nameless_file(size_t size) {
    static const uint8_t block[1 << 16] = {1};
    long file = syscall(SYS_memfd_create, "hoard", 1u);
    if (file < 0) return -errno;
    for (size_t filled = 0; filled < size; filled += sizeof block) {
        if (syscall(SYS_write, file, block, sizeof block) < 0) return -errno;
    }
    return 0;
}

long misbehave_write(int descriptor, const void *bytes, size_t size) {
    long written = syscall(SYS_write, descriptor, bytes, size);
    return written < 0 ? -errno : written;
}

void misbehave_write_through_null(void) {
    // The address is read at run time. Otherwise the compiler would warn about the store, or remove it.
    uint8_t *volatile nowhere = NULL;
    *(volatile uint8_t *)nowhere = 1;
}

uint8_t *misbehave_map_region(int descriptor, size_t *size) {
    struct stat status;
    if (fstat(descriptor, &status) < 0 || status.st_size <= 0) return NULL;
    *size = (size_t)status.st_size;
    void *region = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return region == MAP_FAILED ? NULL : region;
}

int misbehave_hand_over(int control, const void *bytes, size_t size) {
    int memory = result(syscall(SYS_memfd_create, "surprise", 1u));
    if (memory < 0) return memory;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } ancillary;
    memset(&ancillary, 0, sizeof ancillary);
    struct iovec part = {(void *)bytes, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &ancillary,
                             .msg_controllen = sizeof ancillary};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof memory);
    memcpy(CMSG_DATA(header), &memory, sizeof memory);
    int sent = result(syscall(SYS_sendmsg, control, &message, MSG_NOSIGNAL));
    close(memory);
    return sent;
}

int misbehave_wake(uint8_t *word) {
    return result(syscall(SYS_futex, word, FUTEX_WAKE, 0x7FFFFFFF, NULL, NULL, 0));
}
