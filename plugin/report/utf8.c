#include "plugin/report/utf8.h"

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
