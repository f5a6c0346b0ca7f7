/*
 * together [--times FILE] PROGRAM [ARGUMENT...] [-- PROGRAM [ARGUMENT...]]...
 *
 * Runs benchmarks (samples/bench.h) as processes that nothing coordinates but that they begin together: each
 * gets ready, then all begin their repetitions. Prints what they print, one behind the other, and writes to
 * FILE how many milliseconds passed until the last one had done its repetitions. Exit status: 0, 1 if a
 * program cannot be run or fails, 2 wrong arguments.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16, MOST_ARGUMENTS = 64 };

struct process {
    char *arguments[MOST_ARGUMENTS + 3]; /* NULL behind the last one; with room for what is added */
    int count;                           /* of the arguments */
    char channel[16];                    /* its end's number, as it is told */
    int here;                            /* our end */
    FILE *output;
    pid_t pid;
};

static struct process processes[MOST];
static int process_count;

static int fail(const char *what) {
    fprintf(stderr, "together: %s: %s\n", what, strerror(errno));
    return EXIT_FAILURE;
}

static double now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* False if there are none, or too many. */
static bool take_programs(char **arguments, int count) {
    struct process *process = NULL;
    int i;

    for (i = 0; i < count; i++) {
        if (arguments[i] == NULL || strcmp(arguments[i], "--") == 0) {
            process = NULL;
            continue;
        }
        if (process == NULL) {
            if (process_count == MOST)
                return false;
            process = &processes[process_count++];
        }
        if (process->count == MOST_ARGUMENTS)
            return false;
        process->arguments[process->count++] = arguments[i];
    }
    return process_count > 0;
}

/* In the child: does not come back. */
static void become(struct process *process, int there) {
    static char option[] = "--together";
    int i;

    for (i = 0; i < process_count && processes[i].here > 0; i++)
        close(processes[i].here);
    snprintf(process->channel, sizeof process->channel, "%d", there);
    process->arguments[process->count] = option;
    process->arguments[process->count + 1] = process->channel;
    if (dup2(fileno(process->output), STDOUT_FILENO) >= 0)
        execv(process->arguments[0], process->arguments);
    fail(process->arguments[0]);
    _exit(EXIT_FAILURE);
}

static int start(struct process *process) {
    int ends[2];

    process->output = tmpfile();
    if (process->output == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return fail(process->arguments[0]);
    process->here = ends[0];
    process->pid = fork();
    if (process->pid == 0)
        become(process, ends[1]);
    close(ends[1]);
    return process->pid < 0 ? fail("fork") : EXIT_SUCCESS;
}

/* Waits for a word of each; false if one has none to say, because it has ended. */
static bool all_say(void) {
    char word;
    int i;

    for (i = 0; i < process_count; i++)
        if (read(processes[i].here, &word, 1) != 1)
            return false;
    return true;
}

/* All begin. The milliseconds until the last one is done; negative: one has failed. */
static double run(void) {
    double begin;
    int i;

    if (!all_say())
        return -1;
    begin = now();
    for (i = 0; i < process_count; i++)
        if (send(processes[i].here, "", 1, MSG_NOSIGNAL) != 1)
            return -1;
    return all_say() ? now() - begin : -1;
}

static void print_output(FILE *output) {
    char part[4096];
    size_t length;

    if (fseek(output, 0, SEEK_SET) != 0)
        return;
    for (;;) {
        length = fread(part, 1, sizeof part, output);
        if (length == 0)
            return;
        fwrite(part, 1, length, stdout);
    }
}

/* Those that wait for the others go on, and fail. */
static int finish(void) {
    int status = EXIT_SUCCESS, i;

    for (i = 0; i < process_count; i++) {
        int how = 0;
        close(processes[i].here);
        if (waitpid(processes[i].pid, &how, 0) < 0 || how != 0) {
            fprintf(stderr, "together: %s failed\n", processes[i].arguments[0]);
            status = EXIT_FAILURE;
        }
        print_output(processes[i].output);
    }
    return fflush(stdout) != 0 ? fail("standard output") : status;
}

static int write_time(const char *path, double milliseconds) {
    FILE *out = fopen(path, "w");
    int bad;

    if (out == NULL)
        return fail(path);
    bad = fprintf(out, "%.6f\n", milliseconds) < 0;
    return fclose(out) != 0 || bad ? fail(path) : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    const char *times = argc > 2 && strcmp(argv[1], "--times") == 0 ? argv[2] : NULL;
    const int first = times != NULL ? 3 : 1;
    double milliseconds;
    int i, status;

    if (argc <= first || *argv[first] == '-' || !take_programs(argv + first, argc - first)) {
        fputs("usage: together [--times FILE] PROGRAM [ARGUMENT...] [-- PROGRAM [ARGUMENT...]]...\n", stderr);
        return 2;
    }
    for (i = 0; i < process_count; i++)
        if (start(&processes[i]) != EXIT_SUCCESS)
            return EXIT_FAILURE;
    milliseconds = run();
    status = finish();
    if (status == EXIT_SUCCESS && milliseconds < 0)
        status = EXIT_FAILURE;
    return status == EXIT_SUCCESS && times != NULL ? write_time(times, milliseconds) : status;
}
