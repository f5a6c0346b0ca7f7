#include "plugin/report/source_text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES (16L << 20) /* of a file */

/* Puts the path, every byte that URLs give a meaning as %XX. */
static void put_escaped(FILE *out, const char *path) {
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("/-._~+", *path))
            fputc(*path, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*path);
}

/* The way from one absolute folder to an absolute path, which the caller frees; NULL without memory. */
static char *link_from(const char *folder, const char *path) {
    char *text = NULL;
    size_t size, common = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; folder[i] == path[i] && path[i]; i++)
        if (path[i] == '/')
            common = i + 1;
    size_t length = strlen(folder);
    if (strncmp(folder, path, length) == 0 && path[length] == '/')
        common = length + 1;
    for (const char *rest = folder + common; common <= length && *rest; rest += strcspn(rest, "/")) {
        rest += *rest == '/';
        if (*rest)
            fputs("../", out);
    }
    put_escaped(out, path + common);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* The plain file's content, which the caller frees; NULL where there is none. */
static char *content_of(const char *path) {
    struct stat state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = stat(path, &state) == 0 && S_ISREG(state.st_mode) && state.st_size <= MOST_BYTES
                     ? fopen(path, "r")
                     : NULL;
    if (!file)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static int split_lines(struct kesco_source_text *source) {
    size_t most = 1;
    for (const char *next = source->text; *next; next++)
        most += *next == '\n';
    source->lines = calloc(most, sizeof(*source->lines));
    if (!source->lines)
        return -ENOMEM;
    for (char *next = source->text; next && *next;) {
        source->lines[source->count++] = next;
        next = strchr(next, '\n');
        if (next)
            *next++ = '\0';
    }
    return 0;
}

/* The absolute path of the file, without links in it; NULL where there is none. */
static char *find(const char *name, const char *root) {
    char path[PATH_MAX];
    int length =
        snprintf(path, sizeof(path), "%s%s%s", *name == '/' ? "" : root, *name == '/' ? "" : "/", name);
    return length < (int)sizeof(path) ? realpath(path, NULL) : NULL;
}

int kesco_source_text_read(const char *name, size_t length, const struct kesco_source_folders *folders,
                           struct kesco_source_text *source) {
    *source = (struct kesco_source_text){.name = strndup(name, length)};
    if (!source->name)
        return -ENOMEM;
    char *path = find(source->name, folders->root);
    source->text = path ? content_of(path) : NULL;
    int err = 0;
    if (source->text) {
        source->link = link_from(folders->page, path);
        err = source->link ? split_lines(source) : -ENOMEM;
    }
    free(path);
    if (err)
        kesco_source_text_free(source);
    return err;
}

const char *kesco_source_title(const char *name, const struct kesco_source_folders *folders) {
    size_t length = strlen(folders->root);
    return strncmp(name, folders->root, length) == 0 && name[length] == '/' ? name + length + 1 : name;
}

void kesco_source_text_free(struct kesco_source_text *source) {
    free(source->name);
    free(source->link);
    free(source->text);
    free(source->lines);
    *source = (struct kesco_source_text){0};
}
