#define _GNU_SOURCE
#include "test/vgpu/driver/packed_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The section that clang's -fembed-offload-object makes. */
static const char section[] = ".llvm.offloading";

static bool file_has(FILE *file, const char *text) {
    char buffer[1 << 16];
    size_t kept = 0, length = strlen(text), size;
    while ((size = kept + fread(buffer + kept, 1, sizeof(buffer) - kept, file)) > kept) {
        if (memmem(buffer, size, text, length))
            return true;
        kept = size < length - 1 ? size : length - 1;
        memmove(buffer, buffer + size - kept, kept);
    }
    return false;
}

static bool has_section(const char *path) {
    FILE *file = fopen(path, "rb");
    bool has = file && file_has(file, section);
    if (file)
        fclose(file);
    return has;
}

/* The object or archive that a linker's argument stands for, given the folders to look in. NULL: none. */
static const char *object_of(const struct command_line *line, size_t i, const struct words *folders) {
    const char *text = line->inputs[i].text;
    bool is_library = strncmp(text, "-l", 2) == 0;
    if (!is_library)
        return text[0] == '-' ? NULL : text;
    text = text[2] ? text + 2 : i + 1 < line->input_count ? line->inputs[i + 1].text : "";
    for (size_t folder = 0; folder < folders->count; folder++) {
        const char *path = join(join(join(folders->items[folder], "/lib"), text), ".a");
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

/* -L folder, in one argument or two. */
static void add_folder(struct words *folders, const struct command_line *line, size_t i) {
    const char *text = line->inputs[i].text;
    if (strcmp(text, "-L") == 0 && i + 1 < line->input_count)
        words_add(folders, line->inputs[i + 1].text);
    else if (strncmp(text, "-L", 2) == 0 && text[2])
        words_add(folders, text + 2);
}

struct words packed_objects(const struct command_line *line) {
    struct words folders = {0}, packed = {0};
    words_add(&packed, "--link");
    for (size_t i = 0; i < line->input_count; i++)
        add_folder(&folders, line, i);
    for (size_t i = 0; i < line->input_count; i++) {
        const char *object = object_of(line, i, &folders);
        bool is_new = object && has_section(object);
        for (size_t other = 1; is_new && other < packed.count; other++)
            is_new = strcmp(packed.items[other], object) != 0;
        if (is_new)
            words_add(&packed, object);
    }
    words_free(&folders);
    return packed;
}
