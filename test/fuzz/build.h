/* How a program of several units is built: the file `build` in its folder. */
#ifndef KESCO_TEST_FUZZ_BUILD_H
#define KESCO_TEST_FUZZ_BUILD_H

#include "test/fuzz/random.h"
#include "test/fuzz/writer.h"

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

/*
 * Its lines are "link KIND", with KIND objects, archive, shared, full or thin, and for each unit
 * "unit NAME kesco|plain LEVEL [FLAG]".
 */
void write_build(struct writer *writer, const struct build *build);

/* Opens a file of the program; without a folder, one that goes. False, with errno set, if that fails. */
bool begin_file(struct writer *writer, const char *folder, const char *name);
bool end_file(struct writer *writer);

#endif
