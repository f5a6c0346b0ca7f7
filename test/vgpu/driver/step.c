#define _GNU_SOURCE
#include "test/vgpu/driver/step.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;
static volatile sig_atomic_t caught; /* the signal that ends this process; 0: none */
static volatile pid_t child;         /* the running step; 0: none */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING_SIGNALS = sizeof(ending_signals) / sizeof(ending_signals[0]) };

static void catch(int number) {
    caught = number;
    if (child > 0)
        kill(child, number);
}

int step_begin(void) {
    const char *parent = getenv("TMPDIR");
    folder = join(parent && *parent ? parent : "/tmp", "/vgpu-clang-XXXXXX");
    if (!mkdtemp(folder)) {
        fprintf(stderr, "vgpu-clang++: cannot make '%s': %s\n", folder, strerror(errno));
        free(folder);
        folder = NULL;
        return 1;
    }
    for (int i = 0; i < ENDING_SIGNALS; i++) {
        struct sigaction action = {0};
        action.sa_handler = catch;
        sigaction(ending_signals[i], &action, NULL);
    }
    return 0;
}

char *step_path(size_t number, const char *ending) {
    char name[64];
    snprintf(name, sizeof(name), "/%zu%s", number, ending);
    return join(folder, name);
}

void step_end(void) {
    DIR *entries = folder ? opendir(folder) : NULL;
    if (!entries)
        return;
    for (struct dirent *entry; (entry = readdir(entries));)
        unlinkat(dirfd(entries), entry->d_name, 0);
    closedir(entries);
    rmdir(folder);
    free(folder);
    folder = NULL;
}

static void end_if_caught(void) {
    if (!caught)
        return;
    step_end();
    signal(caught, SIG_DFL);
    raise(caught);
}

void step_print(const struct words *words) {
    for (size_t i = 0; i < words->count; i++) {
        fputs(" \"", stderr);
        for (const char *at = words->items[i]; *at; at++) {
            if (*at == '"' || *at == '\\' || *at == '$' || *at == '`')
                fputc('\\', stderr);
            fputc(*at, stderr);
        }
        fputc('"', stderr);
    }
    fputc('\n', stderr);
}

static _Noreturn void become(const struct words *words) {
    for (int i = 0; i < ENDING_SIGNALS; i++)
        signal(ending_signals[i], SIG_DFL);
    execv(words->items[0], words->items);
    fprintf(stderr, "vgpu-clang++: cannot run '%s': %s\n", words->items[0], strerror(errno));
    _exit(127);
}

int step_run(const struct words *words) {
    int status = 0;
    end_if_caught();
    child = fork();
    if (child < 0) {
        fprintf(stderr, "vgpu-clang++: cannot fork: %s\n", strerror(errno));
        return 1;
    }
    if (child == 0)
        become(words);
    if (caught)
        kill(child, caught);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    child = 0;
    end_if_caught();
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
