/*
 * What the samples share that are benchmarks too: their options, the time of their timed part, seeded numbers
 * and a digest of the result.
 *
 *   NAME [--scale S] [--repeat N] [--times FILE] [--check]
 *
 *   --scale S     a number above 0: sizes are multiplied by it; default 1, which the virtual GPU computes in
 *                 a second or two
 *   --repeat N    runs the timed part N times, 1 to 1000000, each from the same state; default 1
 *   --times FILE  writes the milliseconds of each repetition to FILE, one a line, by CUDA events
 *   --check       compares the result with the CPU's
 *   --together FD of samples/together.c: what begins and ends the timed parts of several programs
 *
 * The timed part is the function `run`, all of whose data is on the device before and after; with managed
 * memory (samples/memory.h), also that the host waits for it and reads of the results. A variant that
 * makes streams, events or a graph for it defines HAS_SETUP before it includes the workload's header, and
 * then setup_run and teardown_run, which are not timed.
 *
 * Functions here end the program with status 1 and one line on stderr when an option, a file, memory or CUDA
 * fails.
 */
#ifndef KESCO_SAMPLES_BENCH_H
#define KESCO_SAMPLES_BENCH_H

#include "samples/check.h"
#include "samples/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define BENCH_MAX_REPEAT 1000000

/* Declares the timed part over `struct data`, and what comes before and after it. */
#ifdef HAS_SETUP
#define BENCH_PROGRAM_RUN(data)                                                                              \
    static void run(struct data *);                                                                          \
    static void setup_run(struct data *);                                                                    \
    static void teardown_run(void)
#else
#define BENCH_PROGRAM_RUN(data)                                                                              \
    static void run(struct data *);                                                                          \
    static inline void setup_run(struct data *) {                                                            \
    }                                                                                                        \
    static inline void teardown_run(void) {                                                                  \
    }                                                                                                        \
    static_assert(true, "")
#endif

struct bench {
    const char *name;       /* of the program */
    const char *arguments;  /* what else it takes, for its usage; "" for nothing */
    double scale;           /* above 0 */
    const char *scale_text; /* as it was given */
    unsigned long repeat;   /* at least 1 */
    bool check;             /* compare with the CPU */
    const char *times_path; /* of `times` */
    FILE *times;            /* NULL without --times */
    int together;           /* 0 without --together */
    cudaEvent_t start;      /* recorded before the timed part */
    cudaEvent_t stop;       /* and behind it */
};

static inline struct bench bench_create(const char *name, const char *arguments) {
    struct bench bench;
    memset(&bench, 0, sizeof bench);
    bench.name = name;
    bench.arguments = arguments;
    bench.scale = 1;
    bench.scale_text = "1";
    bench.repeat = 1;
    return bench;
}

static inline void bench_print_usage(const struct bench *bench, FILE *to) {
    fprintf(to, "usage: %s %s%s[--scale S] [--repeat N] [--times FILE] [--check]\n", bench->name,
            bench->arguments, *bench->arguments ? " " : "");
}

static inline void bench_set_scale(struct bench *bench, const char *text) {
    char *end;
    bench->scale = strtod(text, &end);
    bench->scale_text = text;
    if (end == text || *end || !(bench->scale > 0) || bench->scale > 1e12) {
        fprintf(stderr, "%s: --scale '%s' is not a number above 0 and up to 1e12\n", bench->name, text);
        exit(EXIT_FAILURE);
    }
}

static inline void bench_set_repeat(struct bench *bench, const char *text) {
    char *end;
    errno = 0;
    bench->repeat = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (bench->repeat == 0 || *end || errno || bench->repeat > BENCH_MAX_REPEAT) {
        fprintf(stderr, "%s: --repeat '%s' is not a whole number from 1 to %d\n", bench->name, text,
                BENCH_MAX_REPEAT);
        exit(EXIT_FAILURE);
    }
}

static inline void bench_set_times(struct bench *bench, const char *path) {
    if (bench->times)
        fclose(bench->times);
    bench->times_path = path;
    bench->times = fopen(path, "w");
    if (!bench->times) {
        fprintf(stderr, "%s: cannot write %s: %s\n", bench->name, path, strerror(errno));
        exit(EXIT_FAILURE);
    }
}

/* The value of the option argv[*i], which is made the current argument. */
static inline const char *bench_value(const struct bench *bench, int argc, char **argv, int *i) {
    if (*i + 1 == argc) {
        fprintf(stderr, "%s: %s needs a value\n", bench->name, argv[*i]);
        exit(EXIT_FAILURE);
    }
    return argv[++*i];
}

/* Takes argv[*i] if it is an option of all benchmarks, and its value; else returns false. */
static inline bool bench_take(struct bench *bench, int argc, char **argv, int *i) {
    const char *option = argv[*i];
    if (strcmp(option, "--help") == 0) {
        bench_print_usage(bench, stdout);
        exit(EXIT_SUCCESS);
    }
    if (strcmp(option, "--check") == 0)
        bench->check = true;
    else if (strcmp(option, "--scale") == 0)
        bench_set_scale(bench, bench_value(bench, argc, argv, i));
    else if (strcmp(option, "--repeat") == 0)
        bench_set_repeat(bench, bench_value(bench, argc, argv, i));
    else if (strcmp(option, "--times") == 0)
        bench_set_times(bench, bench_value(bench, argc, argv, i));
    else if (strcmp(option, "--together") == 0)
        bench->together = atoi(bench_value(bench, argc, argv, i));
    else
        return false;
    return true;
}

static inline void bench_reject(const struct bench *bench, const char *argument) {
    fprintf(stderr, "%s: unknown argument '%s'; --help lists what is allowed\n", bench->name, argument);
    exit(EXIT_FAILURE);
}

/* For programs that take no other options. */
static inline struct bench bench_from_options(const char *name, int argc, char **argv) {
    struct bench bench = bench_create(name, "");
    for (int i = 1; i < argc; i++)
        if (!bench_take(&bench, argc, argv, &i))
            bench_reject(&bench, argv[i]);
    return bench;
}

/* `size`, which counts `what`, times the scale, at least 1. It must not exceed `max`. */
static inline size_t bench_scaled(const struct bench *bench, size_t size, size_t max, const char *what) {
    double scaled = (double)size * bench->scale + 0.5;
    if (scaled >= (double)max + 1) {
        fprintf(stderr, "%s: --scale '%s' is too much: %.0f %s, at most %zu\n", bench->name,
                bench->scale_text, scaled, what, max);
        exit(EXIT_FAILURE);
    }
    return scaled < 1 ? 1 : (size_t)scaled;
}

/* Owned by the caller. */
static inline void *bench_alloc(const struct bench *bench, size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "%s: not enough memory for %zu times %zu bytes\n", bench->name, count, size);
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* Says that the program has come so far, to who runs it together with others. */
static inline void bench_say(const struct bench *bench) {
    if (bench->together > 0 && write(bench->together, "", 1) != 1) {
        fprintf(stderr, "%s: nobody waits at the other end of --together\n", bench->name);
        exit(EXIT_FAILURE);
    }
}

static inline void bench_await_others(const struct bench *bench) {
    char word;
    bench_say(bench);
    if (bench->together > 0 && read(bench->together, &word, 1) != 1) {
        fprintf(stderr, "%s: another program failed\n", bench->name);
        exit(EXIT_FAILURE);
    }
}

/* Before the first repetition, and behind the last one. */

static inline void bench_begin(struct bench *bench) {
    CHECK(cudaEventCreate(&bench->start));
    CHECK(cudaEventCreate(&bench->stop));
    CHECK(cudaDeviceSynchronize());
    bench_await_others(bench);
}

static inline void bench_end(struct bench *bench) {
    bench_say(bench);
    CHECK(cudaEventDestroy(bench->stop));
    CHECK(cudaEventDestroy(bench->start));
    if (bench->times && (fflush(bench->times) || ferror(bench->times) || fclose(bench->times))) {
        fprintf(stderr, "%s: cannot write %s: %s\n", bench->name, bench->times_path, strerror(errno));
        exit(EXIT_FAILURE);
    }
}

/* Before and behind the timed part. */

static inline void bench_start(struct bench *bench) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(bench->start));
}

static inline void bench_stop(struct bench *bench) {
    float milliseconds;
    CHECK(cudaEventRecord(bench->stop));
    CHECK(cudaEventSynchronize(bench->stop));
    CHECK(cudaEventElapsedTime(&milliseconds, bench->start, bench->stop));
    if (bench->times)
        fprintf(bench->times, "%.6f\n", milliseconds);
}

/* Declares run_timed, which runs and times `run` over a `struct type`. */
#define BENCH_TIMED(type)                                                                                    \
    static void run_timed(struct type *data, struct bench *bench) {                                          \
        setup_run(data);                                                                                     \
        bench_begin(bench);                                                                                  \
        for (unsigned long i = 0; i < bench->repeat; i++) {                                                  \
            memory_refill();                                                                                 \
            bench_start(bench);                                                                              \
            run(data);                                                                                       \
            memory_read_results();                                                                           \
            bench_stop(bench);                                                                               \
        }                                                                                                    \
        bench_end(bench);                                                                                    \
        memory_end();                                                                                        \
        teardown_run();                                                                                      \
    }                                                                                                        \
    static_assert(true, "")

/*
 * The program `name`. Before this, the sample defines `struct task`, whose member `data`, a `struct type`, is
 * what `run` takes:
 *
 *   void create_task(struct task *, const struct bench *)       all up to the timed part
 *   int show_task(const struct task *, const struct bench *)    prints and checks the result; the exit status
 *   void destroy_task(struct task *)
 */
#define BENCH_PROGRAM_MAIN(name, task, type)                                                                 \
    BENCH_TIMED(type);                                                                                       \
    int main(int argc, char **argv) {                                                                        \
        struct bench bench = bench_from_options(name, argc, argv);                                           \
        struct task all;                                                                                     \
        create_task(&all, &bench);                                                                           \
        run_timed(&all.data, &bench);                                                                        \
        int status = show_task(&all, &bench);                                                                \
        destroy_task(&all);                                                                                  \
        return status;                                                                                       \
    }                                                                                                        \
    static_assert(true, "")

/* The same, but in programs that take in several samples (BENCH_PARTS): those call a sample's functions. */
#ifdef BENCH_PARTS
#define BENCH_RUN(data) [[maybe_unused]] static void run(struct data *)
#define BENCH_MAIN(name, task, type) static_assert(true, "")
#else
#define BENCH_RUN BENCH_PROGRAM_RUN
#define BENCH_MAIN BENCH_PROGRAM_MAIN
#endif

/* The next state of a linear congruential generator (Knuth's MMIX constants); the high bits are the good
 * ones. */
static inline uint64_t bench_next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state;
}

/* In [0, 1). */
static inline double bench_random(uint64_t *state) {
    return (double)(bench_next(state) >> 11) / 9007199254740992.0;
}

/* FNV-1a (Fowler, Noll and Vo; public domain), eight bytes at a time. */

#define BENCH_DIGEST 0xcbf29ce484222325u

static inline uint64_t bench_digest(uint64_t digest, const void *data, size_t size) {
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < sizeof word ? size - i : sizeof word);
        digest = (digest ^ word) * 0x100000001b3u;
    }
    return digest;
}

#endif
