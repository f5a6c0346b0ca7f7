#include "runtime/watch/json.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many bytes the character has that the text begins with (The Unicode Standard, table 3-7, "Well-Formed
 * UTF-8 Byte Sequences"). 0: it begins with none.
 */
static size_t measure_character(const unsigned char *text) {
    static const struct {
        unsigned char first, last; /* of the first byte */
        unsigned char second_first, second_last;
        unsigned char size;
    } forms[] = {
        {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    size_t form = 0, i;

    while (form < sizeof forms / sizeof *forms && (text[0] < forms[form].first || text[0] > forms[form].last))
        form++;
    if (form == sizeof forms / sizeof *forms)
        return 0;
    if (forms[form].size > 1 && (text[1] < forms[form].second_first || text[1] > forms[form].second_last))
        return 0;
    for (i = 2; i < forms[form].size; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return forms[form].size;
}

static void print_character(FILE *file, const unsigned char *text, size_t size) {
    if (size == 0)
        fputs("\\ufffd", file);
    else if (text[0] < 0x20)
        fprintf(file, "\\u%04x", text[0]);
    else if (text[0] == '"' || text[0] == '\\')
        fprintf(file, "\\%c", text[0]);
    else
        fprintf(file, "%.*s", (int)size, (const char *)text);
}

static void print_characters(FILE *file, const char *text) {
    const unsigned char *rest = (const unsigned char *)text;
    size_t size;

    for (; *rest != '\0'; rest += size != 0 ? size : 1) {
        size = measure_character(rest);
        print_character(file, rest, size);
    }
}

void kesco_json_print_texts(FILE *file, const char *first, const char *second) {
    putc('"', file);
    print_characters(file, first);
    print_characters(file, second);
    putc('"', file);
}

void kesco_json_print_text(FILE *file, const char *text) {
    kesco_json_print_texts(file, text, "");
}

/* Whatever the locale, the point is a point. */
void kesco_json_print_number(FILE *file, double number) {
    const uint64_t thousandths = (uint64_t)(number * 1000 + 0.5);

    fprintf(file, "%" PRIu64 ".%03" PRIu64, thousandths / 1000, thousandths % 1000);
}
