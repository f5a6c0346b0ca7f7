/* What the files that write a program of stages share. */
#ifndef KESCO_TEST_FUZZ_STAGES_TEXT_H
#define KESCO_TEST_FUZZ_STAGES_TEXT_H

#include "test/fuzz/stages.h"

/* The text of a function. */
struct text_of {
    const struct stages *program;
    const struct stage *stage;
    unsigned index;           /* of the stage */
    const char *const *names; /* of its buffers */
    unsigned buffer_count;
};

/* True if a function's unit has the per-thread default stream. */
bool is_per_thread(const struct text_of *text);

/* stages_step.c: a function's steps, each a statement to the writer but for the heads and ends of loops. */
void write_steps(struct generator *g, const struct text_of *text);

#endif
