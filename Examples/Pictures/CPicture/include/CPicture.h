// Decodes and encodes pictures through libpng and libjpeg-turbo. Both libraries leave their functions by longjmp if a
// file is bad. So all code between a setjmp and its longjmp stays in C. Swift gets a result and one line of text.
#ifndef C_PICTURE_H
#define C_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#define PICTURE_ERROR_SIZE 200

// Pixels with 8 bits per channel, row by row without gaps.
struct picture {
    uint32_t width;
    uint32_t height;
    uint32_t channels;      // 3: red, green, blue; 4: also alpha
    uint8_t *pixels;        // width * height * channels bytes
    uint8_t *records;       // other facts of the file (colour profile, orientation), see CPictureShared.h
    size_t records_size;
};

// The largest size that a header may ask for. It is checked before memory is allocated.
struct picture_limits {
    uint32_t side;          // most pixels in a row or a column
    uint64_t pixels;        // most pixels in all
};

// Each of these functions returns 0, or -1 with a line of text in `error`. The caller owns the filled picture and
// frees it with picture_free.
int picture_decode_png(const uint8_t *bytes, size_t size, const struct picture_limits *limits,
                       struct picture *picture, char error[PICTURE_ERROR_SIZE]);
int picture_decode_jpeg(const uint8_t *bytes, size_t size, const struct picture_limits *limits,
                        struct picture *picture, char error[PICTURE_ERROR_SIZE]);
// Writes the file from the descriptor's offset on. More than `most` bytes are an error.
int picture_encode_png(const struct picture *picture, int descriptor, uint64_t most, char error[PICTURE_ERROR_SIZE]);
int picture_encode_jpeg(const struct picture *picture, int quality, int descriptor, uint64_t most,
                        char error[PICTURE_ERROR_SIZE]);
void picture_free(struct picture *picture);

#endif
