#define _POSIX_C_SOURCE 200809L

#include "samples/picture.h"

#include <errno.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIGNATURE_SIZE 8

static int fail(char error[PICTURE_ERROR_SIZE], int code, const char *what, const char *path,
                const char *why) {
    snprintf(error, PICTURE_ERROR_SIZE, "cannot %s '%s': %s", what, path, why);
    return code;
}

static int fail_errno(char error[PICTURE_ERROR_SIZE], const char *what, const char *path) {
    int code = errno ? errno : EIO;
    return fail(error, -code, what, path, strerror(code));
}

size_t picture_values(const struct picture *picture) {
    return (size_t)picture->width * picture->height * (size_t)picture->channels;
}

int picture_create(struct picture *picture, uint32_t width, uint32_t height, int channels) {
    *picture = (struct picture){0};
    if (width == 0 || height == 0 || (channels != 1 && channels != 3))
        return -EINVAL;
    if (width > SIZE_MAX / height / (size_t)channels)
        return -ENOMEM;
    uint8_t *pixels = calloc((size_t)width * height, (size_t)channels);
    if (!pixels)
        return -ENOMEM;
    *picture = (struct picture){.width = width, .height = height, .channels = channels, .pixels = pixels};
    return 0;
}

void picture_destroy(struct picture *picture) {
    free(picture->pixels);
    *picture = (struct picture){0};
}

/* Looks at the first bytes, so that what is no PNG at all is called that; leaves `file` at its start. */
static int check_signature(FILE *file, const char *path, char error[PICTURE_ERROR_SIZE]) {
    png_byte signature[SIGNATURE_SIZE];
    errno = 0;
    size_t got = fread(signature, 1, sizeof(signature), file);
    if (ferror(file))
        return fail_errno(error, "read", path);
    if (got == 0)
        return fail(error, -EINVAL, "read", path, "the file is empty");
    if (got < sizeof(signature) || png_sig_cmp(signature, 0, sizeof(signature)))
        return fail(error, -EINVAL, "read", path, "not a PNG file");
    if (fseek(file, 0, SEEK_SET))
        return fail_errno(error, "read", path);
    return 0;
}

static int read_pixels(struct picture *picture, png_image *image, FILE *file, const char *path,
                       char error[PICTURE_ERROR_SIZE]) {
    static const png_color white = {255, 255, 255};
    char why[sizeof(image->message) + 32];
    if (!png_image_begin_read_from_stdio(image, file))
        goto damaged;

    bool colour = image->format & PNG_FORMAT_FLAG_COLOR;
    image->format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    /* Without this, libpng takes 16-bit values that name no gamma for linear light. */
    image->flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    int code = picture_create(picture, image->width, image->height, colour ? 3 : 1);
    if (code)
        return fail(error, code, "read", path, "not enough memory for its pixels");
    if (!png_image_finish_read(image, &white, picture->pixels, 0, NULL))
        goto damaged;
    return 0;

damaged:
    snprintf(why, sizeof(why), "damaged or cut short PNG (%s)", image->message);
    return fail(error, -EINVAL, "read", path, why);
}

int picture_read(struct picture *picture, const char *path, char error[PICTURE_ERROR_SIZE]) {
    *picture = (struct picture){0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail_errno(error, "read", path);
    int code = check_signature(file, path, error);
    if (code == 0) {
        png_image image = {.version = PNG_IMAGE_VERSION};
        code = read_pixels(picture, &image, file, path, error);
        png_image_free(&image);
    }
    fclose(file);
    if (code)
        picture_destroy(picture);
    return code;
}

int picture_can_write(const char *path, char error[PICTURE_ERROR_SIZE]) {
    bool existed = access(path, F_OK) == 0;
    FILE *file = fopen(path, "ab");
    if (!file)
        return fail_errno(error, "write", path);
    fclose(file);
    if (!existed)
        remove(path);
    return 0;
}

/* A device such as /dev/full stays. */
static void remove_regular(const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
        remove(path);
}

int picture_write(const struct picture *picture, const char *path, char error[PICTURE_ERROR_SIZE]) {
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = picture->width,
                       .height = picture->height,
                       .format = picture->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY};
    FILE *file = fopen(path, "wb");
    if (!file)
        return fail_errno(error, "write", path);
    errno = 0;
    bool written = png_image_write_to_stdio(&image, file, 0, picture->pixels, 0, NULL);
    int code = 0;
    if (!written)
        code = fail(error, errno ? -errno : -EIO, "write", path, errno ? strerror(errno) : image.message);
    png_image_free(&image);
    if (fclose(file) && code == 0)
        code = fail_errno(error, "write", path);
    if (code)
        remove_regular(path);
    return code;
}
