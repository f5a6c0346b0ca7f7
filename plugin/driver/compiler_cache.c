#define _XOPEN_SOURCE 700 /* readlink */

#include "plugin/driver/compiler_cache.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The front end's parent is the compiler's driver; between that and ccache may be scripts. */
enum { GENERATIONS = 4 };

static bool is_ccache(long process) {
    char link[64], path[PATH_MAX];
    const char *name;
    ssize_t length;

    snprintf(link, sizeof link, "/proc/%ld/exe", process);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    name = strrchr(path, '/');
    return name != NULL && strcmp(name, "/ccache") == 0;
}

/* 0: there is none, or it is not to be found out. */
static long parent_of(long process) {
    char path[64], line[256];
    long parent = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/status", process);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (parent == 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "PPid:", 5) == 0)
            parent = strtol(line + 5, NULL, 10);
    fclose(file);
    return parent;
}

bool kesco_runs_under_ccache(void) {
    long process = getppid();
    int i;

    for (i = 0; i < GENERATIONS && process > 1; i++) {
        if (is_ccache(process))
            return true;
        process = parent_of(process);
    }
    return false;
}

bool kesco_ccache_compares(const char *path) {
    const char *files = getenv("CCACHE_EXTRAFILES");
    const size_t length = strlen(path);

    while (files != NULL && *files != '\0') {
        const size_t here = strcspn(files, ":");

        if (here == length && strncmp(files, path, length) == 0)
            return true;
        files += here + (files[here] == ':');
    }
    return false;
}

bool kesco_ccache_compiles_always(void) {
    return getenv("CCACHE_RECACHE") != NULL;
}
