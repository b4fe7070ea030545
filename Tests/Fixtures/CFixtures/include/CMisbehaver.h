// The calls of the misbehaving extension. They go directly to the kernel, so that exactly these calls are tried. A
// function returns the result of its call or -errno, unless its own comment or type says otherwise.
#ifndef C_MISBEHAVER_H
#define C_MISBEHAVER_H

#include <stddef.h>
#include <stdint.h>

int misbehave_open(const char *path);
int misbehave_socket(int domain, int type);
int misbehave_fork(void);
int misbehave_execute(const char *path);
// Takes memory and writes every page of it. Returns 0 or -errno.
int misbehave_take_memory(size_t size);
// Fills a memory file and keeps it open without a mapping. Returns 0 or -errno.
int misbehave_fill_nameless_file(size_t size);
// Writes bytes to an open file.
long misbehave_write(int descriptor, const void *bytes, size_t size);
void misbehave_write_through_null(void);

// Maps the extension's region of the channel from its descriptor. Returns null on failure.
uint8_t *misbehave_map_region(int descriptor, size_t *size);
// Sends a message with a descriptor that the host did not request. The descriptor refers to memory that its creator
// can still change.
int misbehave_hand_over(int control, const void *bytes, size_t size);
// Wakes the threads that sleep on a word of the region.
int misbehave_wake(uint8_t *word);

#endif
