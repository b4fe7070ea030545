// Functions that both codecs use.
#ifndef C_PICTURE_SHARED_H
#define C_PICTURE_SHARED_H

#include "CPicture.h"

// Records are {u32 kind, u32 size, bytes}, one after another. They are in this machine's byte order, because the codec
// that wrote them also reads them. Each codec defines its own values of `kind`.
#define PICTURE_RECORDS_MOST (4u << 20)

int picture_fail(char error[PICTURE_ERROR_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
// Allocates zeroed pixels for a picture, if its size is within the limits. Returns 0, or -1 with a line of text in
// `error`.
int picture_allocate(struct picture *picture, const struct picture_limits *limits, char error[PICTURE_ERROR_SIZE]);
// Checks a picture's width and height, as the file's header states them, against the limits.
int picture_check_size(uint64_t width, uint64_t height, const struct picture_limits *limits,
                       char error[PICTURE_ERROR_SIZE]);
// Adds a record. If the records would exceed PICTURE_RECORDS_MOST, the record is omitted.
void picture_keep(struct picture *picture, uint32_t kind, const uint8_t *bytes, size_t size);
// Returns the record at *place, and moves *place to the next record. Returns null at the end.
const uint8_t *picture_next_record(const struct picture *picture, size_t *place, uint32_t *kind, uint32_t *size);

// Bytes to be written to a descriptor, with a limit.
struct picture_output {
    int descriptor;
    uint64_t left;          // bytes that may still be written
};
// Writes bytes. Returns 0 or an errno. The errno is EFBIG if the bytes exceed the limit.
int picture_write(struct picture_output *output, const uint8_t *bytes, size_t size);

#endif
