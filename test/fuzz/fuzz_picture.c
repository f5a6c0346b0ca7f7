/*
 * libFuzzer: bytes as a PNG file. The bytes are the header's and the chunks' contents; their framing,
 * checksums and compression are put around them, because libpng looks no further where these are wrong. A
 * picture that can be read must come back the same when it is written and read again.
 */
#include "samples/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER_SIZE = 5, MOST_BYTES = 4096 };

static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static void require(int holds) {
    if (!holds)
        abort();
}

static void write_number(FILE *file, uint32_t number) {
    const uint8_t bytes[] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8),
                             (uint8_t)number};

    require(fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes);
}

static void write_chunk(FILE *file, const char *type, const uint8_t *data, size_t size) {
    uLong sum = crc32(crc32(0, (const Bytef *)type, 4), data, (uInt)size);

    write_number(file, (uint32_t)size);
    require(fwrite(type, 1, 4, file) == 4);
    require(size == 0 || fwrite(data, 1, size, file) == size);
    write_number(file, (uint32_t)sum);
}

static void write_header(FILE *file, const uint8_t *data) {
    const uint8_t header[] = {0, 0, 0, data[0], 0, 0, 0, data[1], data[2], data[3], 0, 0, data[4] & 1};

    write_chunk(file, "IHDR", header, sizeof header);
}

/* Small chunks before the pixels: each a byte for its type, one for its size, and its content. */
static size_t write_chunks(FILE *file, const uint8_t *data, size_t size) {
    static const char *const types[] = {"PLTE", "tRNS", "gAMA", "sRGB", "bKGD", "cHRM", "sBIT", "zzZz"};
    size_t at = 0;

    while (at + 2 < size && data[at] < 8) {
        size_t length = data[at + 1] < size - at - 2 ? data[at + 1] : size - at - 2;
        write_chunk(file, types[data[at]], data + at + 2, length);
        at += 2 + length;
    }
    return at;
}

static void write_png(FILE *file, const uint8_t *data, size_t size) {
    uint8_t packed[MOST_BYTES + 64];
    uLongf length = sizeof packed;
    size_t at;

    require(fwrite(signature, 1, sizeof signature, file) == sizeof signature);
    write_header(file, data);
    at = HEADER_SIZE + write_chunks(file, data + HEADER_SIZE, size - HEADER_SIZE);
    require(compress2(packed, &length, data + at, size - at, 1) == Z_OK);
    write_chunk(file, "IDAT", packed, length);
    write_chunk(file, "IEND", packed, 0);
}

static void check_again(const struct picture *picture, const char *path) {
    char error[PICTURE_ERROR_SIZE];
    struct picture again;

    require(picture_write(picture, path, error) == 0);
    require(picture_read(&again, path, error) == 0);
    require(again.width == picture->width && again.height == picture->height &&
            again.channels == picture->channels);
    require(memcmp(again.pixels, picture->pixels, picture_values(picture)) == 0);
    picture_destroy(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[] = "/tmp/kesco-fuzz-XXXXXX", error[PICTURE_ERROR_SIZE];
    struct picture picture;
    FILE *file;

    if (size <= HEADER_SIZE || size > MOST_BYTES)
        return 0;
    file = fdopen(mkstemp(path), "w");
    require(file != NULL);
    write_png(file, data, size);
    require(fclose(file) == 0);
    if (picture_read(&picture, path, error) == 0)
        check_again(&picture, path);
    picture_destroy(&picture);
    unlink(path);
    return 0;
}
