/*
 * libFuzzer: bytes as a device image with summaries in it. The first byte chooses: the bytes as they are; as
 * the lines behind a header that is right, so that more than the header is put to the test; the same as PTX.
 * What is read must be fit to be written, and read back.
 */
#include "plugin/summary/summary_text.h"
#include "test/summary/make_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

static void make_image(struct image *image, uint8_t choice, const uint8_t *data, size_t size) {
    struct image text = {0};

    if (choice % 3 == 0) {
        image_add(image, data, size);
        return;
    }
    image_add_lines(&text, (const char *)data, size);
    if (choice % 3 == 1)
        image_add(image, text.bytes, text.size);
    else
        image_add_ptx(image, text.bytes, text.size);
    image_free(&text);
}

static void check_set(const struct kesco_summaries *set) {
    struct kesco_summaries again = {0};
    char *text, *text_again;
    size_t length, length_again, found;
    const char *problem;

    require(kesco_summary_text_write(set, &text, &length) == 0);
    require(kesco_summary_text_read(&again, text, length, &found, &problem) == 0 && found == 1);
    require(kesco_summary_text_write(&again, &text_again, &length_again) == 0);
    require(length == length_again && memcmp(text, text_again, length) == 0);
    kesco_summaries_free(&again);
    free(text);
    free(text_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct kesco_summaries set = {0};
    struct image image = {0};
    const char *problem = NULL;
    size_t found;

    if (size < 1)
        return 0;
    make_image(&image, *data, data + 1, size - 1);
    switch (kesco_summary_text_read(&set, image.bytes, image.size, &found, &problem)) {
    case 0:
        require((*data % 3 == 0 || found == 1) && (found > 0 || set.count == 0));
        check_set(&set);
        break;
    case -EBADMSG:
        require(found > 0 && problem != NULL && *problem != '\0' && set.count == 0);
        break;
    default:
        abort();
    }
    kesco_summaries_free(&set);
    image_free(&image);
    return 0;
}
