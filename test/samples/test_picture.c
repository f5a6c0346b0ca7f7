/* samples/picture: PNG files of every kind in and out, and a clear error for what is none. */
#define _POSIX_C_SOURCE 200809L

#include "samples/picture.h"
#include "test/cmocka.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/kesco-picture-XXXXXX";
static char path[sizeof(folder) + 16]; /* the file that each test reads or writes */
static char error[PICTURE_ERROR_SIZE];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/a.png", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

static int remove_file(void **state) {
    (void)state;
    remove(path);
    return 0;
}

static void write_bytes(const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* One pixel, in any of libpng's formats. */
static void write_pixel(png_uint_32 format, const void *pixel, const void *colours) {
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = 1, .height = 1, .format = format, .colormap_entries = 1};
    assert_true(png_image_write_to_file(&image, path, 0, pixel, 0, colours));
}

static void expect_pixel(int channels, uint8_t red, uint8_t green, uint8_t blue) {
    struct picture picture;
    const uint8_t expected[] = {red, green, blue};
    assert_int_equal(picture_read(&picture, path, error), 0);
    assert_int_equal(picture.width, 1);
    assert_int_equal(picture.height, 1);
    assert_int_equal(picture.channels, channels);
    assert_memory_equal(picture.pixels, expected, (size_t)channels);
    picture_destroy(&picture);
}

static void expect_unreadable(const char *file, int code, const char *why) {
    struct picture picture;
    assert_int_equal(picture_read(&picture, file, error), code);
    assert_non_null(strstr(error, file));
    assert_non_null(strstr(error, why));
    assert_null(picture.pixels);
}

static void comes_back_as_written(uint32_t width, uint32_t height, int channels) {
    struct picture written, read;
    assert_int_equal(picture_create(&written, width, height, channels), 0);
    for (size_t i = 0; i < picture_values(&written); i++)
        written.pixels[i] = (uint8_t)(i * 7);
    assert_int_equal(picture_write(&written, path, error), 0);
    assert_int_equal(picture_read(&read, path, error), 0);
    assert_int_equal(read.width, width);
    assert_int_equal(read.height, height);
    assert_int_equal(read.channels, channels);
    assert_memory_equal(read.pixels, written.pixels, picture_values(&written));
    picture_destroy(&read);
    picture_destroy(&written);
}

static void any_size_comes_back_as_written(void **state) {
    (void)state;
    comes_back_as_written(1, 1, 1);
    comes_back_as_written(1, 1, 3);
    comes_back_as_written(61, 47, 1);
    comes_back_as_written(17, 3, 3);
    comes_back_as_written(1, 300, 3);
}

static void sixteen_bits_become_eight(void **state) {
    (void)state;
    const uint16_t grey = 65535, colour[] = {65535, 0, 65535};
    write_pixel(PNG_FORMAT_LINEAR_Y, &grey, NULL);
    expect_pixel(1, 255, 0, 0);
    write_pixel(PNG_FORMAT_LINEAR_RGB, colour, NULL);
    expect_pixel(3, 255, 0, 255);
}

static void a_palette_becomes_rgb(void **state) {
    (void)state;
    const uint8_t index = 0, colours[] = {10, 20, 30};
    write_pixel(PNG_FORMAT_RGB_COLORMAP, &index, colours);
    expect_pixel(3, 10, 20, 30);
}

static void transparency_shows_white(void **state) {
    (void)state;
    const uint8_t transparent[] = {10, 20, 30, 0}, opaque[] = {10, 20, 30, 255}, grey[] = {10, 0};
    write_pixel(PNG_FORMAT_RGBA, transparent, NULL);
    expect_pixel(3, 255, 255, 255);
    write_pixel(PNG_FORMAT_RGBA, opaque, NULL);
    expect_pixel(3, 10, 20, 30);
    write_pixel(PNG_FORMAT_GA, grey, NULL);
    expect_pixel(1, 255, 0, 0);
}

static void names_what_is_no_png(void **state) {
    (void)state;
    expect_unreadable(path, -ENOENT, "No such file");
    expect_unreadable(folder, -EISDIR, "directory");
    write_bytes("", 0);
    expect_unreadable(path, -EINVAL, "the file is empty");
    write_bytes("P6", 2);
    expect_unreadable(path, -EINVAL, "not a PNG file");
    write_bytes("This is a text file, not a picture.\n", 36);
    expect_unreadable(path, -EINVAL, "not a PNG file");
}

/* Every length that a cut can leave, up to the end of the pixels' chunk. */
static void a_truncated_png_is_damaged(void **state) {
    (void)state;
    struct picture picture;
    assert_int_equal(picture_create(&picture, 5, 4, 3), 0);
    assert_int_equal(picture_write(&picture, path, error), 0);
    picture_destroy(&picture);
    struct stat status;
    const size_t trailer = 12 + 12; /* the Adler sum and CRC of the pixels, and the end chunk */
    assert_int_equal(stat(path, &status), 0);
    for (size_t size = (size_t)status.st_size - trailer; size >= 8; size--) {
        assert_int_equal(truncate(path, (off_t)size), 0);
        expect_unreadable(path, -EINVAL, "damaged or cut short");
    }
}

static void cannot_create_impossible_pictures(void **state) {
    (void)state;
    struct picture picture;
    assert_int_equal(picture_create(&picture, 0, 1, 1), -EINVAL);
    assert_int_equal(picture_create(&picture, 1, 0, 1), -EINVAL);
    assert_int_equal(picture_create(&picture, 1, 1, 2), -EINVAL);
    assert_int_equal(picture_create(&picture, UINT32_MAX, UINT32_MAX, 3), -ENOMEM);
    picture_destroy(&picture);
    picture_destroy(&picture);
}

static void probing_leaves_no_trace(void **state) {
    (void)state;
    struct stat status;
    assert_int_equal(picture_can_write(path, error), 0);
    assert_int_equal(access(path, F_OK), -1);
    write_bytes("kept", 4);
    assert_int_equal(picture_can_write(path, error), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 4);
}

static void names_an_output_that_cannot_be_written(void **state) {
    (void)state;
    static const char missing[] = "/tmp/kesco-no-such-folder/a.png";
    struct picture picture;
    assert_int_equal(picture_can_write(missing, error), -ENOENT);
    assert_non_null(strstr(error, missing));
    assert_int_equal(picture_can_write(folder, error), -EISDIR);

    assert_int_equal(picture_create(&picture, 64, 64, 3), 0);
    assert_int_equal(picture_write(&picture, missing, error), -ENOENT);
    assert_non_null(strstr(error, missing));
    assert_int_equal(picture_write(&picture, "/dev/full", error), -ENOSPC);
    assert_non_null(strstr(error, "/dev/full"));
    assert_int_equal(access("/dev/full", F_OK), 0);
    picture_destroy(&picture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(any_size_comes_back_as_written, remove_file),
        cmocka_unit_test_teardown(sixteen_bits_become_eight, remove_file),
        cmocka_unit_test_teardown(a_palette_becomes_rgb, remove_file),
        cmocka_unit_test_teardown(transparency_shows_white, remove_file),
        cmocka_unit_test_teardown(names_what_is_no_png, remove_file),
        cmocka_unit_test_teardown(a_truncated_png_is_damaged, remove_file),
        cmocka_unit_test(cannot_create_impossible_pictures),
        cmocka_unit_test_teardown(probing_leaves_no_trace, remove_file),
        cmocka_unit_test(names_an_output_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
