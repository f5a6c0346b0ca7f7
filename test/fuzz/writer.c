#include "test/fuzz/writer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct text {
    struct text *next;
    char text[501];
};

bool writer_keep_is_valid(const char *keep) {
    char *end;

    while (*keep != '\0') {
        if (!isdigit((unsigned char)*keep))
            return false;
        strtoul(keep, &end, 10);
        if (*end == '-') {
            if (!isdigit((unsigned char)end[1]))
                return false;
            strtoul(end + 1, &end, 10);
        }
        if (*end != ',' && *end != '\0')
            return false;
        keep = *end == ',' ? end + 1 : end;
    }
    return true;
}

static bool is_kept(const char *keep, unsigned number) {
    unsigned long first, last;
    char *end;

    if (keep == NULL)
        return true;
    while (*keep != '\0') {
        first = last = strtoul(keep, &end, 10);
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (number >= first && number <= last)
            return true;
        keep = *end == ',' ? end + 1 : end;
    }
    return false;
}

bool writer_begin(struct writer *writer) {
    unsigned number = writer->next++;
    bool kept = is_kept(writer->keep, number);

    if (!kept)
        writer->mute++;
    if (writer->mute == 0) {
        writer->numbered = true;
        writer->number = number;
    }
    return kept;
}

void writer_end(struct writer *writer, bool kept) {
    if (!kept)
        writer->mute--;
}

void writer_line(struct writer *writer, const char *format, ...) {
    char line[1024];
    va_list arguments;
    size_t length;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    length = strlen(line);
    if (line[0] == '}')
        writer->indent--;
    if (writer->mute == 0) {
        fprintf(writer->out, "%*s%s", 4 * (int)writer->indent, "", line);
        if (writer->numbered)
            fprintf(writer->out, " // %u", writer->number);
        fputc('\n', writer->out);
        writer->numbered = false;
    }
    if (length > 0 && line[length - 1] == '{')
        writer->indent++;
}

const char *writer_text(struct writer *writer, const char *format, ...) {
    struct text *text = malloc(sizeof *text);
    va_list arguments;

    if (text == NULL) {
        fputs("fuzz_program: out of memory\n", stderr);
        exit(1);
    }
    text->next = writer->texts;
    writer->texts = text;
    va_start(arguments, format);
    vsnprintf(text->text, sizeof text->text, format, arguments);
    va_end(arguments);
    return text->text;
}

void writer_free_texts(struct writer *writer) {
    struct text *next;

    for (struct text *text = writer->texts; text != NULL; text = next) {
        next = text->next;
        free(text);
    }
    writer->texts = NULL;
}
