#include "plugin/report/page_sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TAB 8 /* cells from one stop to the next */

const struct kesco_source_text *kesco_page_source(struct kesco_page_sources *sources, const char *name,
                                                  size_t length) {
    for (size_t i = 0; i < sources->count; i++)
        if (strlen(sources->files[i]->name) == length && memcmp(sources->files[i]->name, name, length) == 0)
            return sources->files[i];
    struct kesco_source_text **files = reallocarray(sources->files, sources->count + 1, sizeof(*files));
    if (!files)
        return NULL;
    sources->files = files;
    struct kesco_source_text *file = malloc(sizeof(*file));
    if (!file || kesco_source_text_read(name, length, sources->folders, file)) {
        free(file);
        return NULL;
    }
    files[sources->count++] = file;
    sources->missing += !file->text;
    return file;
}

void kesco_page_sources_free(struct kesco_page_sources *sources) {
    for (size_t i = 0; i < sources->count; i++) {
        kesco_source_text_free(sources->files[i]);
        free(sources->files[i]);
    }
    free(sources->files);
}

void kesco_page_put_place(struct kesco_writer *writer, const struct kesco_page_sources *sources,
                          const struct kesco_source_text *source, unsigned long line) {
    if (source->link)
        kesco_put(writer, "<a href=\"%s", source->link);
    if (source->link && line)
        kesco_put(writer, "#L%lu", line);
    kesco_put(writer, source->link ? "\">" : "");
    kesco_put_xml(writer, kesco_source_title(source->name, sources->folders), KESCO_UNCUT);
    if (line)
        kesco_put(writer, ":%lu", line);
    kesco_put(writer, source->link ? "</a>" : "");
}

void kesco_page_put_line(struct kesco_writer *writer, const char *line) {
    size_t length = 0;
    char *text = malloc(strlen(line) * TAB + 1);
    if (!text) {
        writer->err = -ENOMEM;
        return;
    }
    for (; *line && *line != '\r'; line++) {
        size_t blanks = *line == '\t' ? TAB - length % TAB : 0;
        memset(text + length, ' ', blanks);
        length += blanks;
        if (*line != '\t')
            text[length++] = *line;
    }
    text[length] = '\0';
    kesco_put_xml(writer, text, KESCO_UNCUT);
    free(text);
}
