#define _GNU_SOURCE
#include "test/vgpu/driver/places.h"

#include "test/vgpu/driver/command_line.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How the parts lie to this program, and the runtime to the parts. */
struct layout {
    const char *parts;
    const char *runtime;
};

static const struct layout layouts[] = {
    {"", "../../runtime/libkesco_rt.a"},           /* the build folder */
    {VGPU_PARTS_FROM_BIN "/", "../libkesco_rt.a"}, /* installed */
};
enum { LAYOUTS = sizeof(layouts) / sizeof(layouts[0]) };

/* The folder of this program, with a slash, or a null pointer after a message. */
static char *find_home(void) {
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length < 0) {
        fprintf(stderr, "vgpu-clang++: cannot read '/proc/self/exe': %s\n", strerror(errno));
        return NULL;
    }
    path[length] = 0;
    strrchr(path, '/')[1] = 0;
    return join(path, "");
}

/* The folder without "..", as programs are to name it; a null pointer if libvgpu.so is not there. */
static char *folder_of_parts(const char *folder) {
    char path[PATH_MAX];
    if (access(join(folder, "libvgpu.so"), R_OK) || !realpath(folder, path))
        return NULL;
    return join(path, "/");
}

static const char *folder_with(const char *file, const char *folder) {
    return access(join(join(folder, "/"), file), R_OK) ? NULL : folder;
}

static int find_parts(struct places *places) {
    const char *home = find_home();
    if (!home)
        return 1;
    for (size_t i = 0; i < LAYOUTS; i++) {
        places->parts = folder_of_parts(join(home, layouts[i].parts));
        if (!places->parts)
            continue;
        char *runtime = join(places->parts, layouts[i].runtime);
        places->runtime = access(runtime, R_OK) ? NULL : runtime;
        places->include = folder_with("kesco.h", join(places->parts, VGPU_INCLUDE_FROM_PARTS));
        return 0;
    }
    fprintf(stderr, "vgpu-clang++: libvgpu.so is missing: it is neither in '%s' nor in '%s%s'\n", home, home,
            VGPU_PARTS_FROM_BIN);
    return 1;
}

/* The path of a program of that name, as a shell would find it, or a null pointer. */
static char *find_program(const char *name) {
    const char *at = getenv("PATH");
    if (strchr(name, '/'))
        return access(name, X_OK) ? NULL : join(name, "");
    while (at && *at) {
        const size_t length = strcspn(at, ":");
        char path[PATH_MAX];
        const int written = snprintf(path, sizeof(path), "%.*s/%s", (int)length, at, name);
        if (length && written < (int)sizeof(path) && access(path, X_OK) == 0)
            return join(path, "");
        at += length + (at[length] == ':');
    }
    return NULL;
}

/* The clang that this was built with comes first: another of its name may be a script that runs this program.
 */
static int find_clang(struct places *places) {
    const char *asked = getenv("VGPU_CLANG");
    if (asked && *asked) {
        places->clang = find_program(asked);
        if (!places->clang)
            fprintf(stderr, "vgpu-clang++: the compiler '%s' of VGPU_CLANG is missing\n", asked);
        return !places->clang;
    }
    places->clang = find_program(CLANG_PATH);
    if (!places->clang)
        places->clang = find_program(CLANG_NAME);
    if (!places->clang)
        fprintf(stderr, "vgpu-clang++: the compiler '%s' is missing; VGPU_CLANG says where it is\n",
                CLANG_NAME);
    return !places->clang;
}

int places_find(struct places *places) {
    *places = (struct places){0};
    return find_parts(places) || find_clang(places);
}
