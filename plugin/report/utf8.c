#include "plugin/report/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char replacement[] = "\xEF\xBF\xBD";

/* Bytes of the well-formed character that the text starts with; 0 for none. The text's end is no character.
 */
static size_t character_length(const unsigned char *text) {
    unsigned char low = 0x80, high = 0xBF;
    size_t length;
    if (text[0] < 0x80)
        return text[0] != 0;
    if (text[0] >= 0xC2 && text[0] <= 0xDF)
        length = 2;
    else if (text[0] >= 0xE0 && text[0] <= 0xEF)
        length = 3;
    else if (text[0] >= 0xF0 && text[0] <= 0xF4)
        length = 4;
    else
        return 0;
    /* the second byte rules out overlong forms, surrogates and what lies beyond U+10FFFF */
    if (text[0] == 0xE0)
        low = 0xA0;
    if (text[0] == 0xED)
        high = 0x9F;
    if (text[0] == 0xF0)
        low = 0x90;
    if (text[0] == 0xF4)
        high = 0x8F;
    for (size_t i = 1; i < length; i++) {
        if (text[i] < low || text[i] > high)
            return 0;
        low = 0x80;
        high = 0xBF;
    }
    return length;
}

char *kesco_utf8_repair(const char *text) {
    char *repaired = malloc(strlen(text) * (sizeof(replacement) - 1) + 1), *end = repaired;
    if (!repaired)
        return NULL;
    while (*text) {
        size_t length = character_length((const unsigned char *)text);
        const char *from = length ? text : replacement;
        size_t copied = length ? length : sizeof(replacement) - 1;
        memcpy(end, from, copied);
        end += copied;
        text += length ? length : 1;
    }
    *end = '\0';
    return repaired;
}

/* From U+1100 on, where the first wide letters are, each character is taken to fill two cells. */
static size_t character_cells(const unsigned char *character) {
    return character[0] > 0xE1 || (character[0] == 0xE1 && character[1] >= 0x84) ? 2 : 1;
}

size_t kesco_utf8_cells(const char *text) {
    size_t cells = 0;
    for (size_t length; (length = character_length((const unsigned char *)text)) > 0; text += length)
        cells += character_cells((const unsigned char *)text);
    return cells;
}

static bool is_unfit(const unsigned char *character) {
    return character[0] < 0x20 || character[0] == 0x7F || (character[0] == 0xC2 && character[1] < 0xA0) ||
           (character[0] == 0xEF && character[1] == 0xBF && character[2] >= 0xBE);
}

/* Copies what fits of `text` to `line`. */
static void fill_line(const char *text, size_t cells, char *line) {
    bool whole = kesco_utf8_cells(text) <= cells;
    size_t left = whole ? SIZE_MAX : cells;
    for (size_t length; (length = character_length((const unsigned char *)text)) > 0; text += length) {
        const unsigned char *character = (const unsigned char *)text;
        bool unfit = is_unfit(character);
        const char *from = unfit ? replacement : text;
        size_t width = character_cells((const unsigned char *)from);
        if (width >= left)
            break;
        left -= width;
        size_t copied = unfit ? sizeof(replacement) - 1 : length;
        memcpy(line, from, copied);
        line += copied;
    }
    strcpy(line, whole ? "" : "\xE2\x80\xA6");
}

char *kesco_utf8_line(const char *text, size_t cells) {
    char *repaired = kesco_utf8_repair(text);
    char *line = repaired ? malloc((strlen(repaired) + 1) * (sizeof(replacement) - 1) + 1) : NULL;
    if (line)
        fill_line(repaired, cells, line);
    free(repaired);
    return line;
}
