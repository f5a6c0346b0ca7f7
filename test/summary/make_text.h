/* Texts of summaries made by hand, right and wrong: an image grows by what is appended to it. */
#ifndef KESCO_TEST_SUMMARY_MAKE_TEXT_H
#define KESCO_TEST_SUMMARY_MAKE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct image {
    char *bytes; /* with a zero behind them */
    size_t size;
};

/* FNV-1a, 64 bits. */
uint64_t fnv1a(const void *bytes, size_t size);

void image_add(struct image *image, const void *bytes, size_t size);
void image_add_text(struct image *image, const char *text);

/* The lines behind the header that version 1 has for them. */
void image_add_lines(struct image *image, const char *lines, size_t size);

/* The bytes as PTX has them: a variable with numbers. */
void image_add_ptx(struct image *image, const void *bytes, size_t size);

void image_free(struct image *image);

#endif
