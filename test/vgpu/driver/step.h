/*
 * Steps: other programs that vgpu-clang++ runs one after another, and the folder of files that live between
 * them.
 */
#ifndef KESCO_TEST_VGPU_DRIVER_STEP_H
#define KESCO_TEST_VGPU_DRIVER_STEP_H

#include "test/vgpu/driver/command_line.h"

/* Makes the folder, and sees that it goes when the process ends, by a signal too. Returns 0, or 1 and a
 * message. */
int step_begin(void);

/* A path in the folder, different for each number and ending. */
char *step_path(size_t number, const char *ending);

/*
 * Runs words[0] with the words as its arguments, and returns its exit status, or 128 and its signal. If this
 * process is told to end meanwhile, so is the step; the folder is removed and the process ends by that
 * signal.
 */
int step_run(const struct words *words);

/* Prints the step as a shell would take it, to stderr. */
void step_print(const struct words *words);

/* Removes the folder. */
void step_end(void);

#endif
