/*
 * Programs of several units: their files, and how they are built, which is the file `build`. Its lines are
 * "link KIND", with KIND objects, archive, shared, full or thin, and for each unit "unit NAME kesco|plain
 * LEVEL [FLAG]".
 */
#ifndef KESCO_TEST_FUZZ_BUILD_H
#define KESCO_TEST_FUZZ_BUILD_H

#include "test/fuzz/generator.h"

enum { MOST_UNITS = 3 };

struct build_unit {
    bool plain;        /* built without KeSCo */
    bool per_thread;   /* with -fgpu-default-stream=per-thread */
    unsigned level;    /* -O */
    bool of_link_time; /* for the linker to optimise, as the program's `link` says */
};

enum build_link { LINK_OBJECTS, LINK_ARCHIVE, LINK_SHARED, LINK_FULL, LINK_THIN };

struct build {
    struct build_unit units[MOST_UNITS]; /* main is in the first */
    unsigned unit_count;
    enum build_link link;
};

/* One to three units, of which the last may be without KeSCo. */
void choose_build(struct random *random, struct build *build);

/* What a kind of programs writes, of one of which `program` has the rest, to the writer of `g`. */
struct program_parts {
    const char *header; /* its file's name */
    void (*write_header)(struct generator *g, const void *program);
    void (*write_unit)(struct generator *g, const void *program, unsigned unit);
};

/* Writes all files of a program into the folder; without one, to files that go. False, with errno set, if
 * that fails. */
bool write_program_files(struct generator *g, const struct program_parts *parts, const void *program,
                         const struct build *build, const char *folder);

#endif
