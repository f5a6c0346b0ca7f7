/*
 * Pictures in and out of PNG files, for the samples: 8 bits a channel, grey or RGB.
 *
 * Functions return 0 or a negative errno; with the latter `error` holds one line for people that names the
 * file. -EINVAL means that the file is no usable PNG. Nothing is printed and nothing exits.
 */
#ifndef KESCO_SAMPLES_PICTURE_H
#define KESCO_SAMPLES_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PICTURE_ERROR_SIZE 512

struct picture {
    uint32_t width;  /* pixels a row, at least 1 */
    uint32_t height; /* rows, at least 1 */
    int channels;    /* 1 grey, 3 RGB */
    uint8_t *pixels; /* height x width x channels, rows top to bottom, channels interleaved, sRGB; owned */
};

/* Values in `pixels`. */
size_t picture_values(const struct picture *picture);

/* Makes a black picture. -ENOMEM when there is no memory for it, -EINVAL for sizes or channels that are not
 * allowed. */
int picture_create(struct picture *picture, uint32_t width, uint32_t height, int channels);

/*
 * Reads any PNG. 16-bit and low-bit values become 8-bit ones, palettes become RGB, and what is transparent
 * is laid over white. On failure `picture` is empty.
 */
int picture_read(struct picture *picture, const char *path, char error[PICTURE_ERROR_SIZE]);

/* Whether picture_write could open `path`; leaves the file, or that there is none, as it was. */
int picture_can_write(const char *path, char error[PICTURE_ERROR_SIZE]);

/* Writes a PNG. A regular file that could not be written whole is removed. */
int picture_write(const struct picture *picture, const char *path, char error[PICTURE_ERROR_SIZE]);

/* Frees the pixels and leaves an empty picture; an empty one is fine. */
void picture_destroy(struct picture *picture);

#ifdef __cplusplus
}
#endif

#endif
