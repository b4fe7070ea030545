// The calls that the misbehaving extension makes, straight to the kernel: what is tried is exactly what stands here.
// Each returns the call's result or -errno.
#ifndef C_MISBEHAVER_H
#define C_MISBEHAVER_H

#include <stddef.h>
#include <stdint.h>

int misbehave_open(const char *path);
int misbehave_socket(int domain, int type);
int misbehave_fork(void);
int misbehave_execute(const char *path);
// Memory of its own, every page written; 0 or -errno.
int misbehave_take_memory(size_t size);
// Fills a memory file and keeps it open, unmapped. 0 or -errno.
int misbehave_fill_nameless_file(size_t size);
// A number of bytes to an open file.
long misbehave_write(int descriptor, const void *bytes, size_t size);
void misbehave_write_through_null(void);

// The extension's region of the channel as it is mapped from its descriptor; null where that fails.
uint8_t *misbehave_map_region(int descriptor, size_t *size);
// A message with a descriptor that nobody asked for: memory that its maker can still change.
int misbehave_hand_over(int control, const void *bytes, size_t size);
// Wakes whoever sleeps on a word of the region.
int misbehave_wake(uint8_t *word);

#endif
