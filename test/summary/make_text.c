#include "test/summary/make_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t fnv1a(const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) {
        hash ^= byte[i];
        hash *= 1099511628211u;
    }
    return hash;
}

void image_add(struct image *image, const void *bytes, size_t size) {
    image->bytes = realloc(image->bytes, image->size + size + 1);
    if (!image->bytes)
        abort();
    memcpy(image->bytes + image->size, bytes, size);
    image->size += size;
    image->bytes[image->size] = 0;
}

void image_add_text(struct image *image, const char *text) {
    image_add(image, text, strlen(text));
}

void image_add_lines(struct image *image, const char *lines, size_t size) {
    char header[80];
    snprintf(header, sizeof(header), "\177KESCO-SUMMARY 1 %zu %016" PRIx64 "\n", size, fnv1a(lines, size));
    image_add_text(image, header);
    image_add(image, lines, size);
}

void image_add_ptx(struct image *image, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    image_add_text(image, ".visible .global .align 1 .b8 x[999] = {");
    for (size_t i = 0; i < size; i++) {
        char number[8];
        snprintf(number, sizeof(number), "%s%u", i ? ", " : "", byte[i]);
        image_add_text(image, number);
    }
    image_add_text(image, "};\n");
}

void image_free(struct image *image) {
    free(image->bytes);
    *image = (struct image){0};
}
