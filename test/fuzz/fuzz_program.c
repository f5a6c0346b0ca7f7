/*
 * fuzz_program SEED [--size N] [--hidden] [--keep LIST] [--count]
 * fuzz_program SEED --places [--size N] [--keep LIST] [--count]
 * fuzz_program SEED --ranges [--size N] [--keep LIST] [--count]
 * fuzz_program SEED --stages FOLDER [--keep LIST] [--count]
 * fuzz_program SEED --classes FOLDER [--keep LIST] [--count]
 *
 * Prints a random CUDA program, the same for the same arguments: kernels, annotated and not, and N
 * functions (default 6) that launch them in ways that try to make KeSCo compute something else than the
 * serial program does. Run serially, the program has no race and one output.
 *
 * The second form prints a program of N functions with loops over places (test/fuzz/places.h).
 * The third form prints a program of N kernels that compute where they access (test/fuzz/index_kernels.h).
 * The fourth form writes a program of several stages and units into FOLDER, which is there: unit_0.cu and
 * others, stages.h, and how they are built, in the file build (test/fuzz/stages.h).
 * The last form writes a program of classes there (test/fuzz/classes.h).
 *
 * --hidden        among the kernels are some whose code reaches variables in ways that are hard to see
 * --keep LIST     leave out all statements but those with the numbers in LIST, such as 0-4,7,9-12; nothing
 * else changes. The number of a statement stands behind it as a comment.
 * --count         print only how many statements there are
 */
#include "test/fuzz/classes.h"
#include "test/fuzz/index_kernels.h"
#include "test/fuzz/places.h"
#include "test/fuzz/stages.h"

#include <stdlib.h>
#include <string.h>

static int usage(void) {
    fputs("usage: fuzz_program SEED [--size N] [--hidden] [--keep LIST] [--count]\n"
          "       fuzz_program SEED --places [--size N] [--keep LIST] [--count]\n"
          "       fuzz_program SEED --ranges [--size N] [--keep LIST] [--count]\n"
          "       fuzz_program SEED --stages FOLDER [--keep LIST] [--count]\n"
          "       fuzz_program SEED --classes FOLDER [--keep LIST] [--count]\n",
          stderr);
    return 2;
}

static bool read_number(const char *text, unsigned long long *number) {
    char *end;

    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0';
}

static bool write_one_program(struct generator *g, unsigned size,
                              void (*write)(struct generator *g, unsigned size), bool count) {
    g->writer.out = count ? tmpfile() : stdout;
    if (g->writer.out == NULL)
        return false;
    write(g, size);
    return true;
}

static bool write_program_of_stages(struct generator *g, const char *folder) {
    static struct stages program;
    unsigned tries = 8;
    bool in_order;

    do { /* few cannot be put in order: they grow too large, or their threads disagree */
        program = (struct stages){.stage_count = 0};
        choose_stages(g, &program);
        in_order = order_stages(&g->random, &program);
    } while (!in_order && --tries > 0);
    if (!in_order) {
        fputs("fuzz_program: the stages cannot be put in order\n", stderr);
        return false;
    }
    if (write_stages(g, &program, folder))
        return true;
    perror(folder != NULL ? folder : "fuzz_program");
    return false;
}

static bool write_program_of_classes(struct generator *g, const char *folder) {
    static struct classes program;

    choose_classes(g, &program);
    if (write_classes(g, &program, folder))
        return true;
    perror(folder != NULL ? folder : "fuzz_program");
    return false;
}

int main(int argc, char **argv) {
    static struct generator g;
    unsigned long long seed, size = 6;
    const char *folder = NULL;
    bool (*write_folder)(struct generator *g, const char *folder) = NULL;
    void (*write)(struct generator *g, unsigned size) = write_program;
    bool count = false, good;

    if (argc < 2 || !read_number(argv[1], &seed))
        return usage();
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--count") == 0)
            count = true;
        else if (strcmp(argv[i], "--places") == 0)
            write = write_places;
        else if (strcmp(argv[i], "--ranges") == 0)
            write = write_index_kernels;
        else if (strcmp(argv[i], "--hidden") == 0)
            g.has.hidden = true;
        else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc && read_number(argv[i + 1], &size) &&
                 size < 1000)
            i++;
        else if ((strcmp(argv[i], "--stages") == 0 || strcmp(argv[i], "--classes") == 0) && i + 1 < argc)
            write_folder =
                strcmp(argv[i], "--stages") == 0 ? write_program_of_stages : write_program_of_classes,
            folder = argv[++i];
        else if (strcmp(argv[i], "--keep") == 0 && i + 1 < argc && writer_keep_is_valid(argv[i + 1]))
            g.writer.keep = argv[++i];
        else
            return usage();
    }
    random_seed(&g.random, seed);
    good = write_folder != NULL ? write_folder(&g, count ? NULL : folder)
                                : write_one_program(&g, (unsigned)size, write, count);
    writer_free_texts(&g.writer);
    if (count)
        printf("%u\n", g.writer.next);
    return good && fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
