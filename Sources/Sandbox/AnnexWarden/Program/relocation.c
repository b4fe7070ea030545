#include "relocation.h"

#include "stack.h"
#include "syscalls.h"

#define PT_DYNAMIC 2
#define PT_GNU_RELRO 0x6474e552
#define DT_RELA 7
#define DT_RELASZ 8
#if defined(__x86_64__)
#define R_RELATIVE 8
#else
#define R_RELATIVE 1027
#endif
#define ENOEXEC 8
#define LEAST_PAGE 4096

struct file_header {
    unsigned char identity[16];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, segments, sections;
    uint32_t flags;
    uint16_t size, segment_size, segment_count;
};
struct segment {
    uint32_t type, flags;
    uint64_t offset, address, physical, file_size, memory_size, alignment;
};
struct dynamic {
    int64_t tag;
    uint64_t value;
};
struct relocation {
    uint64_t place, kind;
    int64_t addend;
};

// The linker's symbol for the beginning of the program in memory.
extern const struct file_header __ehdr_start __attribute__((visibility("hidden")));

static const struct segment *find(uint64_t base, uint32_t type) {
    const struct segment *segments = (const struct segment *)(base + __ehdr_start.segments);
    for (uint16_t i = 0; i < __ehdr_start.segment_count; i++) {
        if (segments[i].type == type) return &segments[i];
    }
    return 0;
}

static uint64_t value_of(const struct dynamic *entries, int64_t tag) {
    for (; entries->tag != 0; entries++) {
        if (entries->tag == tag) return entries->value;
    }
    return 0;
}

static uint64_t page_size(const uint64_t *stack) {
    const uint64_t *entry = stack_auxiliary(stack, AT_PAGE_SIZE);
    return entry == 0 ? LEAST_PAGE : *entry;
}

// This function uses no table of addresses, and calls no function that could need one.
long relocation_finish(const uint64_t *stack) {
    uint64_t base = (uint64_t)(uintptr_t)&__ehdr_start;
    const struct segment *dynamic = find(base, PT_DYNAMIC), *guarded = find(base, PT_GNU_RELRO);
    if (dynamic == 0) return 0;
    const struct dynamic *entries = (const struct dynamic *)(base + dynamic->address);
    const struct relocation *list = (const struct relocation *)(base + value_of(entries, DT_RELA));
    uint64_t count = value_of(entries, DT_RELASZ) / sizeof *list;
    for (uint64_t i = 0; i < count; i++) {
        if (list[i].kind != R_RELATIVE) return -ENOEXEC;
        *(uint64_t *)(base + list[i].place) = base + (uint64_t)list[i].addend;
    }
    if (guarded == 0) return 0;
    // Only whole pages can be protected, and their size depends on the machine. The linker put nothing else into these
    // pages.
    uint64_t begin = base + guarded->address, outside = begin % page_size(stack);
    return CALL(NR_mprotect, begin - outside, guarded->memory_size + outside, PROT_READ);
}
