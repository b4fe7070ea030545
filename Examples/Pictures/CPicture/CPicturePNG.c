#include "CPictureShared.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

// All values that must survive a longjmp are stored here, and never in a register of the function that calls setjmp.
struct png_work {
    png_structp png;
    png_infop info;
    png_infop end;
    char *error;
    const uint8_t *input;
    size_t input_left;
    png_bytep *rows;
    struct picture_output output;
    uint8_t buffer[64 << 10];
    size_t buffered;
};

// Chunks that describe how to show the pixels. The decoder copies them without interpreting them.
static const char kept_chunks[] = "iCCP\0gAMA\0cHRM\0sRGB\0pHYs\0eXIf";

static void on_error(png_structp png, png_const_charp message) {
    struct png_work *work = png_get_error_ptr(png);
    if (!work->error[0]) picture_fail(work->error, "the PNG file is broken: %s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void on_read(png_structp png, png_bytep bytes, size_t size) {
    struct png_work *work = png_get_io_ptr(png);
    if (size > work->input_left) {
        picture_fail(work->error, "the PNG file ends in the middle");
        png_error(png, "");
    }
    memcpy(bytes, work->input, size);
    work->input += size;
    work->input_left -= size;
}

static void send_buffer(png_structp png, struct png_work *work) {
    int failure = picture_write(&work->output, work->buffer, work->buffered);
    work->buffered = 0;
    if (failure) {
        picture_fail(work->error, "the edited picture could not be written: %s", strerror(failure));
        png_error(png, "");
    }
}

static void on_write(png_structp png, png_bytep bytes, size_t size) {
    struct png_work *work = png_get_io_ptr(png);
    while (size > 0) {
        size_t part = sizeof work->buffer - work->buffered;
        if (part > size) part = size;
        memcpy(work->buffer + work->buffered, bytes, part);
        work->buffered += part;
        bytes += part;
        size -= part;
        if (work->buffered == sizeof work->buffer) send_buffer(png, work);
    }
}

static void on_flush(png_structp png) { send_buffer(png, png_get_io_ptr(png)); }

static int make_rows(struct png_work *work, const struct picture *picture) {
    work->rows = calloc(picture->height, sizeof *work->rows);
    if (!work->rows) return picture_fail(work->error, "there is not enough memory for the picture");
    for (uint32_t row = 0; row < picture->height; row++)
        work->rows[row] = picture->pixels + (size_t)row * picture->width * picture->channels;
    return 0;
}

static void keep_chunks(struct png_work *work, struct picture *picture) {
    png_unknown_chunkp chunks;
    int count = png_get_unknown_chunks(work->png, work->info, &chunks);
    for (int index = 0; index < count; index++) {
        uint32_t kind;
        memcpy(&kind, chunks[index].name, sizeof kind);
        picture_keep(picture, kind, chunks[index].data, chunks[index].size);
    }
}

// Decodes any PNG to 8-bit RGB, with alpha if the file has it.
static void decode_steps(struct png_work *work, const struct picture_limits *limits, struct picture *picture) {
    png_structp png = work->png;
    png_set_read_fn(png, work, on_read);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png, PICTURE_RECORDS_MOST);
    png_set_chunk_cache_max(png, 64);
    // Texts and other chunks are not even unpacked, because a few bytes of them could become megabytes.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, (png_const_bytep)kept_chunks, 6);
    png_read_info(png, work->info);
    if (picture_check_size(png_get_image_width(png, work->info), png_get_image_height(png, work->info), limits,
                           work->error))
        png_error(png, "");
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, work->info);
    picture->width = png_get_image_width(png, work->info);
    picture->height = png_get_image_height(png, work->info);
    picture->channels = png_get_channels(png, work->info);
    if (png_get_bit_depth(png, work->info) != 8 || picture->channels < 3 || picture->channels > 4)
        png_error(png, "unexpected layout of pixels");
    if (picture_allocate(picture, limits, work->error) || make_rows(work, picture)) png_error(png, "");
    png_read_image(png, work->rows);
    png_read_end(png, work->end);
    keep_chunks(work, picture);
}

int picture_decode_png(const uint8_t *bytes, size_t size, const struct picture_limits *limits,
                       struct picture *picture, char error[PICTURE_ERROR_SIZE]) {
    int result = -1;
    memset(picture, 0, sizeof *picture);
    error[0] = 0;
    struct png_work *work = calloc(1, sizeof *work);
    if (!work) return picture_fail(error, "there is not enough memory");
    work->error = error;
    work->input = bytes;
    work->input_left = size;
    work->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, work, on_error, on_warning);
    work->info = work->png ? png_create_info_struct(work->png) : NULL;
    work->end = work->info ? png_create_info_struct(work->png) : NULL;
    if (!work->end) {
        picture_fail(error, "there is not enough memory");
    } else if (!setjmp(png_jmpbuf(work->png))) {
        decode_steps(work, limits, picture);
        result = 0;
    }
    png_destroy_read_struct(&work->png, &work->info, &work->end);
    free(work->rows);
    free(work);
    if (result) picture_free(picture);
    return result;
}

static void write_chunks(struct png_work *work, const struct picture *picture) {
    size_t place = 0;
    uint32_t kind;
    uint32_t size;
    const uint8_t *bytes;
    while ((bytes = picture_next_record(picture, &place, &kind, &size))) {
        png_byte name[5] = {0};
        memcpy(name, &kind, sizeof kind);
        png_write_chunk(work->png, name, bytes, size);
    }
}

static void encode_steps(struct png_work *work, const struct picture *picture) {
    png_structp png = work->png;
    int kind = picture->channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB;
    png_set_write_fn(png, work, on_write, on_flush);
    // This level takes half the time of the usual level, and the file is only a few per cent larger.
    png_set_compression_level(png, 4);
    png_set_IHDR(png, work->info, picture->width, picture->height, 8, kind, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (make_rows(work, picture)) png_error(png, "");
    png_write_info(png, work->info);
    write_chunks(work, picture);
    png_write_image(png, work->rows);
    png_write_end(png, work->info);
    send_buffer(png, work);
}

int picture_encode_png(const struct picture *picture, int descriptor, uint64_t most, char error[PICTURE_ERROR_SIZE]) {
    int result = -1;
    error[0] = 0;
    struct png_work *work = calloc(1, sizeof *work);
    if (!work) return picture_fail(error, "there is not enough memory");
    work->error = error;
    work->output.descriptor = descriptor;
    work->output.left = most;
    work->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, work, on_error, on_warning);
    work->info = work->png ? png_create_info_struct(work->png) : NULL;
    if (!work->info) {
        picture_fail(error, "there is not enough memory");
    } else if (!setjmp(png_jmpbuf(work->png))) {
        encode_steps(work, picture);
        result = 0;
    }
    png_destroy_write_struct(&work->png, &work->info);
    free(work->rows);
    free(work);
    return result;
}
