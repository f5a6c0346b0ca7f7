/*
 * ratio RUNS NAME COMMAND... -- COMMAND...: what the second command costs over the first, in processor time.
 * Both run in turn, RUNS times each, so that what else the machine does meets both; the least time of each
 * counts.
 *
 * Prints "NAME: FIRST s, SECOND s, +PERCENT %". Exit status 1 if a command fails, 2 for bad usage.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

static double seconds(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Runs the command; its processor time, with all that it started, or a negative number if it fails. */
static double run(char **command) {
    struct rusage usage;
    pid_t child;
    int status;
    if (posix_spawnp(&child, command[0], NULL, NULL, command, environ) != 0 ||
        wait4(child, &status, 0, &usage) != child || status != 0)
        return -1;
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int main(int argc, char **argv) {
    const int runs = argc > 1 ? atoi(argv[1]) : 0;
    int split = 3;
    while (split < argc && strcmp(argv[split], "--") != 0)
        split++;
    if (runs < 1 || split <= 3 || split + 1 >= argc) {
        fprintf(stderr, "usage: ratio RUNS NAME COMMAND... -- COMMAND...\n");
        return 2;
    }
    argv[split] = NULL;
    char **commands[] = {argv + 3, argv + split + 1};
    double least[2] = {0, 0};
    for (int i = 0; i < 2 * runs; i++) {
        const double time = run(commands[i % 2]);
        if (time < 0) {
            fprintf(stderr, "ratio: '%s' failed\n", commands[i % 2][0]);
            return 1;
        }
        if (i < 2 || time < least[i % 2])
            least[i % 2] = time;
    }
    printf("%s: %.2f s, %.2f s, %+.1f %%\n", argv[2], least[0], least[1], 100 * (least[1] / least[0] - 1));
    return 0;
}
