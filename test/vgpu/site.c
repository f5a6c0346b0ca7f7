#define _GNU_SOURCE
#include "test/vgpu/site.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

/* True if `address` is code of this library. */
static bool is_ours(const void *address) {
    static const void *base;
    Dl_info info;
    if (!base && dladdr((const void *)(uintptr_t)site_here, &info))
        base = info.dli_fbase;
    return dladdr(address, &info) && info.dli_fbase == base;
}

struct site site_here(void) {
    void *frames[SITE_DEPTH + 12];
    struct site site = {{NULL}};
    int kept = 0;
    const int depth = backtrace(frames, (int)(sizeof(frames) / sizeof(*frames)));
    for (int i = 0; i < depth && kept < SITE_DEPTH; i++) {
        if (!is_ours(frames[i]))
            site.caller[kept++] = frames[i];
    }
    return site;
}

/* llvm-symbolizer, started when it is first asked; it ends when this process does. */
static struct {
    bool started;
    int requests;  /* a socket */
    FILE *answers; /* the same socket; NULL: the symbolizer cannot be run */
} symbolizer;

/* Starts the program with `end` as its standard input and output. */
static bool spawn_symbolizer(int end) {
    static char option[] = "--functions=none";
    const char *const programs[] = {"llvm-symbolizer", VGPU_SYMBOLIZER, VGPU_SYMBOLIZER_NAME};
    char *const arguments[] = {option, option, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int error = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs) && error; i++)
        error = posix_spawnp(&pid, programs[i], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0;
}

static void start_symbolizer(void) {
    int ends[2];
    symbolizer.started = true;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return;
    symbolizer.requests = ends[0];
    if (spawn_symbolizer(ends[1]))
        symbolizer.answers = fdopen(ends[0], "r");
    if (!symbolizer.answers)
        close(ends[0]);
    close(ends[1]);
}

/* Asks for an address; the answer's lines follow in `answers`, up to an empty one. */
static bool ask_symbolizer(const char *object, uintptr_t offset) {
    char request[SITE_TEXT + 32];
    if (!symbolizer.started)
        start_symbolizer();
    if (!symbolizer.answers)
        return false;
    const int length = snprintf(request, sizeof(request), "\"%s\" 0x%zx\n", object, (size_t)offset);
    return send(symbolizer.requests, request, (size_t)length, MSG_NOSIGNAL) == length;
}

/* What the symbolizer knows of an address. */
enum knowledge { NOTHING, CUDA_HEADER, PROGRAM };

/* Leaves "file:line" in `line`, which holds "path/file:line:column". */
static enum knowledge tidy_line(char *line) {
    line[strcspn(line, "\n")] = '\0';
    char *column = strrchr(line, ':');
    if (!column || line[0] == '?')
        return NOTHING;
    *column = '\0';
    return strstr(line, "/cuda_runtime") ? CUDA_HEADER : PROGRAM;
}

/* Of functions inlined into each other at the address, the innermost that is the program's gives `text`. */
static enum knowledge symbolize(const char *object, uintptr_t offset, char text[SITE_TEXT]) {
    char line[SITE_TEXT];
    enum knowledge best = NOTHING;
    if (!ask_symbolizer(object, offset))
        return NOTHING;
    while (fgets(line, sizeof(line), symbolizer.answers) && line[0] != '\n') {
        const enum knowledge known = tidy_line(line);
        if (known > best) {
            strcpy(text, line);
            best = known;
        }
    }
    return best;
}

/* The path of the object that `info` is about; the loader knows the program itself only as it was typed. */
static void object_path(const Dl_info *info, char path[SITE_TEXT]) {
    Dl_info program;
    const bool known = dladdr((const void *)getauxval(AT_PHDR), &program); /* the program's headers */
    ssize_t length = -1;
    if (known && program.dli_fbase == info->dli_fbase)
        length = readlink("/proc/self/exe", path, SITE_TEXT - 1);
    if (length < 0)
        length = snprintf(path, SITE_TEXT, "%s", info->dli_fname);
    path[length < SITE_TEXT ? length : SITE_TEXT - 1] = '\0';
}

/* Describes one caller; the call is just before the return address. */
static enum knowledge describe(const void *caller, char text[SITE_TEXT]) {
    char path[SITE_TEXT];
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname)
        return NOTHING;
    const Elf64_Ehdr *header = info.dli_fbase;
    const uintptr_t load = header->e_type == ET_EXEC ? 0 : (uintptr_t)info.dli_fbase;
    const uintptr_t offset = (uintptr_t)caller - 1 - load;
    object_path(&info, path);
    snprintf(text, SITE_TEXT, "%.400s+0x%zx", path, (size_t)offset);
    return symbolize(path, offset, text);
}

void site_describe(const struct site *site, char text[SITE_TEXT]) {
    strcpy(text, "unknown place");
    for (int i = 0; i < SITE_DEPTH && site->caller[i]; i++) {
        if (describe(site->caller[i], text) != CUDA_HEADER)
            return;
    }
}

/* The C++ runtime's demangler, or NULL where there is none. */
static void *find_demangler(void) {
    void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = found ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    return library ? dlsym(library, "__cxa_demangle") : found;
}

void symbol_describe(const char *symbol, char text[SITE_TEXT]) {
    char *(*demangle)(const char *, char *, size_t *, int *) = NULL;
    void *found = find_demangler();
    char *name = NULL;
    int status = -1;
    memcpy(&demangle, &found, sizeof(demangle));
    if (demangle)
        name = demangle(symbol, NULL, NULL, &status);
    snprintf(text, SITE_TEXT, "%s", status == 0 && name ? name : symbol);
    free(name);
}
