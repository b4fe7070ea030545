#include "CPictureShared.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

// The most scans of a file. A file with more scans is an attempt to keep the decoder busy.
#define MOST_SCANS 200
// The most memory of the codec. A progressive file needs all its coefficients in memory at once.
#define MOST_CODEC_MEMORY (256l << 20)

struct jpeg_work {
    struct jpeg_error_mgr errors;   // must be first: libjpeg hands back a pointer to it
    jmp_buf bail;
    char *error;
    struct jpeg_progress_mgr progress;
    struct jpeg_destination_mgr destination;
    struct picture_output output;
    uint8_t buffer[64 << 10];
};

static void give_up(j_common_ptr codec) {
    struct jpeg_work *work = (struct jpeg_work *)codec->err;
    longjmp(work->bail, 1);
}

static void on_error(j_common_ptr codec) {
    struct jpeg_work *work = (struct jpeg_work *)codec->err;
    char text[JMSG_LENGTH_MAX];
    if (codec->err->msg_code == JERR_INPUT_EMPTY || codec->err->msg_code == JERR_INPUT_EOF) {
        picture_fail(work->error, "the JPEG file ends in the middle");
    } else if (!work->error[0]) {
        codec->err->format_message(codec, text);
        picture_fail(work->error, "the JPEG file is broken: %s", text);
    }
    give_up(codec);
}

// If a file is damaged, libjpeg continues and fills the rest of the picture with grey. A user should get an error
// instead.
static void on_message(j_common_ptr codec, int level) {
    struct jpeg_work *work = (struct jpeg_work *)codec->err;
    char text[JMSG_LENGTH_MAX];
    int code = codec->err->msg_code;
    if (level >= 0 || code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR) return;
    if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER) {
        picture_fail(work->error, "the JPEG file ends in the middle");
    } else {
        codec->err->format_message(codec, text);
        picture_fail(work->error, "the JPEG file is broken: %s", text);
    }
    give_up(codec);
}

static void on_progress(j_common_ptr codec) {
    struct jpeg_work *work = (struct jpeg_work *)codec->err;
    if (!codec->is_decompressor || ((j_decompress_ptr)codec)->input_scan_number <= MOST_SCANS) return;
    picture_fail(work->error, "the JPEG file has more than %d scans", MOST_SCANS);
    give_up(codec);
}

static void prepare(struct jpeg_work *work, char error[PICTURE_ERROR_SIZE]) {
    jpeg_std_error(&work->errors);
    work->errors.error_exit = on_error;
    work->errors.emit_message = on_message;
    work->progress.progress_monitor = on_progress;
    work->error = error;
    error[0] = 0;
}

// Converts inks (CMYK) to light (RGB). A file with the Adobe marker stores the inks inverted.
static void inks_to_rgb(const uint8_t *inks, uint8_t *row, uint32_t width, int inverted) {
    for (uint32_t column = 0; column < width; column++, inks += 4, row += 3) {
        for (int channel = 0; channel < 3; channel++) {
            unsigned light = inverted ? inks[channel] : 255u - inks[channel];
            unsigned black = inverted ? inks[3] : 255u - inks[3];
            row[channel] = (uint8_t)(light * black / 255);
        }
    }
}

static void keep_markers(struct jpeg_decompress_struct *codec, struct picture *picture) {
    for (jpeg_saved_marker_ptr marker = codec->marker_list; marker; marker = marker->next) {
        // A colour profile for inks does not describe RGB values, so it is omitted after the conversion.
        int is_profile = marker->marker == JPEG_APP0 + 2;
        if (!(is_profile && codec->out_color_space == JCS_CMYK))
            picture_keep(picture, (uint32_t)marker->marker, marker->data, marker->data_length);
    }
}

static void read_rows(struct jpeg_decompress_struct *codec, struct picture *picture) {
    int is_inks = codec->out_color_space == JCS_CMYK;
    JSAMPARRAY inks = is_inks ? codec->mem->alloc_sarray((j_common_ptr)codec, JPOOL_IMAGE, codec->output_width * 4, 1)
                              : NULL;
    while (codec->output_scanline < codec->output_height) {
        uint8_t *row = picture->pixels + (size_t)codec->output_scanline * picture->width * 3;
        jpeg_read_scanlines(codec, is_inks ? inks : &row, 1);
        if (is_inks) inks_to_rgb(inks[0], row, picture->width, codec->saw_Adobe_marker);
    }
}

static void decode_steps(struct jpeg_decompress_struct *codec, const uint8_t *bytes, size_t size,
                         const struct picture_limits *limits, struct picture *picture) {
    struct jpeg_work *work = (struct jpeg_work *)codec->err;
    codec->mem->max_memory_to_use = MOST_CODEC_MEMORY;
    codec->progress = &work->progress;
    jpeg_mem_src(codec, bytes, size);
    jpeg_save_markers(codec, JPEG_APP0 + 1, 0xFFFF);    // Exif: which side is up
    jpeg_save_markers(codec, JPEG_APP0 + 2, 0xFFFF);    // colour profile
    jpeg_read_header(codec, TRUE);
    picture->width = codec->image_width;
    picture->height = codec->image_height;
    picture->channels = 3;
    if (picture_check_size(picture->width, picture->height, limits, work->error)) give_up((j_common_ptr)codec);
    int is_inks = codec->jpeg_color_space == JCS_CMYK || codec->jpeg_color_space == JCS_YCCK;
    codec->out_color_space = is_inks ? JCS_CMYK : JCS_RGB;
    if (picture_allocate(picture, limits, work->error)) give_up((j_common_ptr)codec);
    jpeg_start_decompress(codec);
    read_rows(codec, picture);
    keep_markers(codec, picture);
    jpeg_finish_decompress(codec);
}

int picture_decode_jpeg(const uint8_t *bytes, size_t size, const struct picture_limits *limits,
                        struct picture *picture, char error[PICTURE_ERROR_SIZE]) {
    int result = -1;
    memset(picture, 0, sizeof *picture);
    // Both objects are on the heap, because a longjmp leaves values in registers undefined.
    struct jpeg_work *work = calloc(1, sizeof *work);
    struct jpeg_decompress_struct *codec = calloc(1, sizeof *codec);
    if (!work || !codec) {
        picture_fail(error, "there is not enough memory");
    } else {
        prepare(work, error);
        codec->err = &work->errors;
        if (!setjmp(work->bail)) {
            jpeg_create_decompress(codec);
            decode_steps(codec, bytes, size, limits, picture);
            result = 0;
        }
        jpeg_destroy_decompress(codec);
    }
    free(codec);
    free(work);
    if (result) picture_free(picture);
    return result;
}

static void send_buffer(j_compress_ptr codec, size_t size) {
    struct jpeg_work *work = (struct jpeg_work *)codec->err;
    int failure = picture_write(&work->output, work->buffer, size);
    work->destination.next_output_byte = work->buffer;
    work->destination.free_in_buffer = sizeof work->buffer;
    if (failure) {
        picture_fail(work->error, "the edited picture could not be written: %s", strerror(failure));
        give_up((j_common_ptr)codec);
    }
}

static void on_begin(j_compress_ptr codec) { send_buffer(codec, 0); }

static boolean on_full(j_compress_ptr codec) {
    send_buffer(codec, sizeof ((struct jpeg_work *)codec->err)->buffer);
    return TRUE;
}

static void on_end(j_compress_ptr codec) {
    struct jpeg_work *work = (struct jpeg_work *)codec->err;
    send_buffer(codec, sizeof work->buffer - work->destination.free_in_buffer);
}

static void encode_steps(struct jpeg_compress_struct *codec, const struct picture *picture, int quality) {
    struct jpeg_work *work = (struct jpeg_work *)codec->err;
    work->destination.init_destination = on_begin;
    work->destination.empty_output_buffer = on_full;
    work->destination.term_destination = on_end;
    codec->dest = &work->destination;
    codec->image_width = picture->width;
    codec->image_height = picture->height;
    codec->input_components = 3;
    codec->in_color_space = JCS_RGB;
    jpeg_set_defaults(codec);
    jpeg_set_quality(codec, quality, TRUE);
    jpeg_start_compress(codec, TRUE);
    size_t place = 0;
    uint32_t kind;
    uint32_t size;
    const uint8_t *bytes;
    while ((bytes = picture_next_record(picture, &place, &kind, &size)))
        jpeg_write_marker(codec, (int)kind, bytes, size);
    while (codec->next_scanline < codec->image_height) {
        uint8_t *row = picture->pixels + (size_t)codec->next_scanline * picture->width * 3;
        jpeg_write_scanlines(codec, &row, 1);
    }
    jpeg_finish_compress(codec);
}

int picture_encode_jpeg(const struct picture *picture, int quality, int descriptor, uint64_t most,
                        char error[PICTURE_ERROR_SIZE]) {
    int result = -1;
    struct jpeg_work *work = calloc(1, sizeof *work);
    struct jpeg_compress_struct *codec = calloc(1, sizeof *codec);
    if (!work || !codec) {
        picture_fail(error, "there is not enough memory");
    } else if (picture->channels != 3) {
        picture_fail(error, "a JPEG file has no alpha");
    } else {
        prepare(work, error);
        work->output.descriptor = descriptor;
        work->output.left = most;
        codec->err = &work->errors;
        if (!setjmp(work->bail)) {
            jpeg_create_compress(codec);
            encode_steps(codec, picture, quality);
            result = 0;
        }
        jpeg_destroy_compress(codec);
    }
    free(codec);
    free(work);
    return result;
}
