#include "plugin/kernels/nvcc_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define HOST_END ".cudafe1.cpp"

/* A file's name in its parts. */
struct name {
    const char *prefix; /* "tmpxft_00005b4b_00000000"; empty with --keep */
    const char *base;   /* "app" */
    const char *target; /* "compute_90"; empty with one architecture */
};

/* An architecture, and what is there of it. */
struct target {
    const char *name;
    bool has_source, has_ptx;
};

struct search {
    struct kesco_ptx_texts *texts;
    const char *folder;
    struct name host;
    struct target *targets;
    size_t count;
    const char *problem;
};

static int refuse(struct search *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(struct search *s, const char *format, ...) {
    enum { MOST = 4608 }; /* with a path */
    char *text = kesco_arena_alloc(&s->texts->memory, MOST);
    va_list values;
    if (!text)
        return -ENOMEM;
    va_start(values, format);
    vsnprintf(text, MOST, format, values);
    va_end(values);
    s->problem = text;
    return -EBADMSG;
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

bool kesco_is_nvcc_host(const char *file) {
    return ends_with(file, HOST_END);
}

/* Takes the name of a file apart, without `end`, with which it ends. -ENOMEM. */
static int split(struct search *s, const char *file, const char *end, struct name *name) {
    const size_t length = strlen(file) - strlen(end);
    char *copy = kesco_arena_alloc(&s->texts->memory, length + 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, file, length);
    *name = (struct name){.prefix = "", .base = copy, .target = ""};
    char *number = strncmp(copy, "tmpxft_", strlen("tmpxft_")) == 0 ? strchr(copy, '-') : NULL;
    char *after = number ? strchr(number, '_') : NULL, *target = NULL;
    if (after) {
        *number = '\0';
        name->prefix = copy;
        name->base = after + 1;
        copy = after + 1;
    }
    for (char *at = copy; (at = strstr(at, ".compute_")) != NULL; at++)
        target = at;
    if (target) {
        *target = '\0';
        name->target = target + 1;
    }
    return 0;
}

/* The architecture called `name`, which may be new; NULL without memory. */
static struct target *target_of(struct search *s, const char *name) {
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->targets[i].name, name) == 0)
            return &s->targets[i];
    if ((s->count & (s->count - 1)) == 0) { /* there is room for the next power of two */
        struct target *targets =
            kesco_arena_alloc(&s->texts->memory, (s->count > 0 ? 2 * s->count : 1) * sizeof(*targets));
        if (!targets)
            return NULL;
        if (s->count > 0)
            memcpy(targets, s->targets, s->count * sizeof(*targets));
        s->targets = targets;
    }
    s->targets[s->count] = (struct target){.name = name};
    return &s->targets[s->count++];
}

/* A folder can be opened, too, but not read, and says that it has any size. */
static int read_open(struct search *s, FILE *file, const char *path) {
    const bool is_readable = fgetc(file) != EOF || !ferror(file);
    const long size = is_readable && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0)
        return refuse(s, "'%s' cannot be read: %s", path, strerror(errno));
    char *bytes = kesco_arena_alloc(&s->texts->memory, (size_t)size);
    if (!bytes)
        return -ENOMEM;
    const size_t length = fread(bytes, 1, (size_t)size, file);
    if (ferror(file))
        return refuse(s, "'%s' cannot be read: %s", path, strerror(errno));
    return kesco_ptx_texts_add(s->texts, (struct kesco_ptx_text){bytes, length});
}

static int read_text(struct search *s, const char *file) {
    const size_t size = strlen(s->folder) + strlen(file) + 2;
    char *path = kesco_arena_alloc(&s->texts->memory, size);
    if (!path)
        return -ENOMEM;
    snprintf(path, size, "%s/%s", s->folder, file);
    FILE *opened = fopen(path, "rb");
    if (!opened)
        return refuse(s, "'%s' cannot be read: %s", path, strerror(errno));
    const int error = read_open(s, opened, path);
    (void)fclose(opened);
    return error;
}

/* Reads the file if it is PTX of the host code's source. */
static int look_at(struct search *s, const char *file) {
    static const char source[] = ".cpp1.ii", ptx[] = ".ptx";
    const bool is_source = ends_with(file, source);
    struct name name;
    if (!is_source && !ends_with(file, ptx))
        return 0;
    if (split(s, file, is_source ? source : ptx, &name))
        return -ENOMEM;
    if (strcmp(name.prefix, s->host.prefix) != 0 || strcmp(name.base, s->host.base) != 0 ||
        !*name.target != !*s->host.target)
        return 0;
    struct target *target = target_of(s, name.target);
    if (!target)
        return -ENOMEM;
    target->has_source |= is_source;
    target->has_ptx |= !is_source;
    return is_source ? 0 : read_text(s, file);
}

static int look_into_folder(struct search *s) {
    int error = 0;
    DIR *folder = opendir(s->folder);
    if (!folder)
        return refuse(s, "its folder cannot be read: %s", strerror(errno));
    errno = 0;
    for (const struct dirent *entry; !error && (entry = readdir(folder)) != NULL; errno = 0)
        error = look_at(s, entry->d_name);
    if (!error && errno != 0)
        error = refuse(s, "its folder cannot be read: %s", strerror(errno));
    closedir(folder);
    return error;
}

/* Refuses unless all architectures have their PTX, and there is one. */
static int check(struct search *s, size_t found) {
    for (size_t i = 0; i < s->count; i++)
        if (s->targets[i].has_source && !s->targets[i].has_ptx)
            return refuse(s, "there is no PTX%s%s, as with link time optimisation of device code",
                          *s->targets[i].name ? " for " : "", s->targets[i].name);
    return found > 0 ? 0 : refuse(s, "there is no PTX beside it");
}

/* Stores where the file is, "." where nothing says so, and takes its name apart. -ENOMEM. */
static int begin(struct search *s, const char *file) {
    const char *slash = strrchr(file, '/');
    char *folder = NULL;
    if (slash) {
        const size_t length = slash == file ? 1 : (size_t)(slash - file);
        folder = kesco_arena_alloc(&s->texts->memory, length + 1);
        if (!folder)
            return -ENOMEM;
        memcpy(folder, file, length);
    }
    s->folder = folder ? folder : ".";
    return split(s, slash ? slash + 1 : file, HOST_END, &s->host);
}

int kesco_nvcc_find_ptx(const char *file, struct kesco_ptx_texts *texts, const char **problem) {
    const size_t before = texts->count;
    struct search s = {.texts = texts};
    int error = begin(&s, file);
    if (!error)
        error = look_into_folder(&s);
    if (!error)
        error = check(&s, texts->count - before);
    *problem = s.problem;
    return error;
}
