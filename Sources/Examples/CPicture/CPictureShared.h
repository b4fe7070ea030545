// What both codecs use.
#ifndef C_PICTURE_SHARED_H
#define C_PICTURE_SHARED_H

#include "CPicture.h"

// Records are {u32 kind, u32 size, bytes}, one after another, in this machine's byte order: the codec that wrote them
// reads them back. `kind` is the codec's own.
#define PICTURE_RECORDS_MOST (4u << 20)

int picture_fail(char error[PICTURE_ERROR_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
// Whether a picture of this size may be decoded; allocates its pixels, zeroed.
int picture_allocate(struct picture *picture, const struct picture_limits *limits, char error[PICTURE_ERROR_SIZE]);
// Whether a header's size is within the limits.
int picture_check_size(uint64_t width, uint64_t height, const struct picture_limits *limits,
                       char error[PICTURE_ERROR_SIZE]);
// Adds a record; what does not fit the limit is left out.
void picture_keep(struct picture *picture, uint32_t kind, const uint8_t *bytes, size_t size);
// The record at *place, which moves on; null at the end.
const uint8_t *picture_next_record(const struct picture *picture, size_t *place, uint32_t *kind, uint32_t *size);

// Bytes on their way to a descriptor.
struct picture_output {
    int descriptor;
    uint64_t left;          // bytes that may still be written
};
// 0, or an errno; EFBIG beyond the limit.
int picture_write(struct picture_output *output, const uint8_t *bytes, size_t size);

#endif
