#include "CPictureShared.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int picture_fail(char error[PICTURE_ERROR_SIZE], const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, PICTURE_ERROR_SIZE, format, arguments);
    va_end(arguments);
    return -1;
}

int picture_check_size(uint64_t width, uint64_t height, const struct picture_limits *limits,
                       char error[PICTURE_ERROR_SIZE]) {
    if (width == 0 || height == 0) return picture_fail(error, "the picture has no pixels");
    if (width > limits->side || height > limits->side || width * height > limits->pixels)
        return picture_fail(error, "the picture says it is %llu x %llu pixels, which is too large to edit",
                            (unsigned long long)width, (unsigned long long)height);
    return 0;
}

int picture_allocate(struct picture *picture, const struct picture_limits *limits, char error[PICTURE_ERROR_SIZE]) {
    if (picture_check_size(picture->width, picture->height, limits, error)) return -1;
    picture->pixels = calloc((size_t)picture->width * picture->height, picture->channels);
    return picture->pixels ? 0 : picture_fail(error, "there is not enough memory for the picture");
}

void picture_keep(struct picture *picture, uint32_t kind, const uint8_t *bytes, size_t size) {
    uint32_t header[2] = {kind, (uint32_t)size};
    if (size > PICTURE_RECORDS_MOST || picture->records_size + sizeof header + size > PICTURE_RECORDS_MOST) return;
    uint8_t *grown = realloc(picture->records, picture->records_size + sizeof header + size);
    if (!grown) return;
    memcpy(grown + picture->records_size, header, sizeof header);
    memcpy(grown + picture->records_size + sizeof header, bytes, size);
    picture->records = grown;
    picture->records_size += sizeof header + size;
}

const uint8_t *picture_next_record(const struct picture *picture, size_t *place, uint32_t *kind, uint32_t *size) {
    uint32_t header[2];
    if (*place + sizeof header > picture->records_size) return NULL;
    memcpy(header, picture->records + *place, sizeof header);
    const uint8_t *bytes = picture->records + *place + sizeof header;
    *kind = header[0];
    *size = header[1];
    *place += sizeof header + header[1];
    return bytes;
}

int picture_write(struct picture_output *output, const uint8_t *bytes, size_t size) {
    if (size > output->left) return EFBIG;
    output->left -= size;
    while (size > 0) {
        ssize_t written = write(output->descriptor, bytes, size);
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

void picture_free(struct picture *picture) {
    free(picture->pixels);
    free(picture->records);
    picture->pixels = NULL;
    picture->records = NULL;
    picture->records_size = 0;
}
