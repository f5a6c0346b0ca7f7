#include "plugin/report/writer.h"

#include "plugin/report/utf8.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>

void kesco_put(struct kesco_writer *writer, const char *format, ...) {
    va_list arguments;
    if (writer->err)
        return;
    va_start(arguments, format);
    if (vfprintf(writer->out, format, arguments) < 0)
        writer->err = -EIO;
    va_end(arguments);
}

void kesco_put_json(struct kesco_writer *writer, const char *text) {
    if (writer->err)
        return;
    json_t *string = json_string(text);
    if (!string) {
        char *repaired = kesco_utf8_repair(text);
        if (repaired)
            string = json_string(repaired);
        free(repaired);
    }
    if (!string)
        writer->err = -ENOMEM;
    else if (json_dumpf(string, writer->out, JSON_ENCODE_ANY))
        writer->err = ferror(writer->out) ? -EIO : -ENOMEM;
    json_decref(string);
}

/* What stands for a character in a format; NULL where it stands for itself. */
typedef const char *escape_of(char character);

static const char *xml_escape(char character) {
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

/* Graphviz takes entities of HTML in strings for the characters that they name. */
static const char *dot_escape(char character) {
    switch (character) {
    case '&':
        return "&amp;";
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    default:
        return NULL;
    }
}

/* How often Graphviz undoes escapes in a tooltip differs from release to release, so another stroke stands
 * in. */
static const char *tooltip_escape(char character) {
    return character == '\\' ? "\xE2\x88\x96" : dot_escape(character);
}

static void put_escaped(struct kesco_writer *writer, const char *text, size_t cells, escape_of *escape) {
    if (writer->err)
        return;
    char *line = kesco_utf8_line(text, cells);
    if (!line)
        writer->err = -ENOMEM;
    for (const char *next = line; next && *next; next++) {
        const char *escaped = escape(*next);
        if (escaped)
            kesco_put(writer, "%s", escaped);
        else
            kesco_put(writer, "%c", *next);
    }
    free(line);
}

void kesco_put_xml(struct kesco_writer *writer, const char *text, size_t cells) {
    put_escaped(writer, text, cells, xml_escape);
}

void kesco_put_dot(struct kesco_writer *writer, const char *text, size_t cells) {
    put_escaped(writer, text, cells, dot_escape);
}

void kesco_put_dot_tooltip(struct kesco_writer *writer, const char *text, size_t cells) {
    put_escaped(writer, text, cells, tooltip_escape);
}

int kesco_writer_finish(struct kesco_writer *writer) {
    if (!writer->err && fflush(writer->out) == EOF)
        writer->err = -EIO;
    return writer->err;
}
