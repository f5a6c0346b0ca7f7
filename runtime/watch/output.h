/*
 * The files that the environment asks the runtime to write when the program ends.
 */
#ifndef KESCO_RUNTIME_WATCH_OUTPUT_H
#define KESCO_RUNTIME_WATCH_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Writes all of a file. False: not all of it could be written, and errno says why. */
typedef bool kesco_output_print(FILE *file);

/* For the end of a kesco_output_print: what was written has reached the file. */
bool kesco_output_is_written(FILE *file);

/*
 * Writes the file `path`, the value of the environment's `variable`, anew, or leaves it as it is: where it is
 * a regular file or none, what is written appears under its name when it is complete. Tells stderr, in one
 * line, if it cannot be written.
 */
void kesco_output_write(const char *variable, const char *path, kesco_output_print *print);

#endif
