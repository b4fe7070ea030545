#include "tmpfs.h"

#include "syscalls.h"
#include "text.h"

static long set_number(int context, const char *key, uint64_t number, unsigned base) {
    char text[TEXT_NUMBER + 4], *end = text;
    if (base == 8) text_append(&end, "0");
    text_append_number(&end, number, base);
    return CALL(NR_fsconfig, context, FSCONFIG_SET_STRING, key, text, 0);
}

static long configure(int context, uint64_t size, uint64_t inodes, uint32_t mode) {
    long result = set_number(context, "size", size, 10);
    if (result >= 0) result = set_number(context, "nr_inodes", inodes, 10);
    if (result >= 0) result = set_number(context, "mode", mode, 8);
    return result < 0 ? result : CALL(NR_fsconfig, context, FSCONFIG_CMD_CREATE, 0, 0, 0);
}

long tmpfs_make(uint64_t size, uint64_t inodes, uint32_t mode, uint64_t attributes) {
    long context = CALL(NR_fsopen, "tmpfs", FSOPEN_CLOEXEC);
    if (context < 0) return context;
    long result = configure((int)context, size, inodes, mode);
    if (result >= 0) result = CALL(NR_fsmount, context, FSMOUNT_CLOEXEC, attributes);
    CALL(NR_close, context);
    return result;
}
