/*
 * The times of ops that have a site, summed up by site over all threads of the process (profile_format.h).
 */
#ifndef KESCO_RUNTIME_WATCH_PROFILE_H
#define KESCO_RUNTIME_WATCH_PROFILE_H

#include "runtime/kesco_abi.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Takes in that the op of `site` took so long once, or if not `exact`, that long or less. The site need not
 * stay. Threads may call it at once.
 */
void kesco_profile_add(const struct kesco_site *site, double microseconds, bool exact);

/* Writes what was taken in so far. False: not all of it could be written, and errno says why. */
bool kesco_profile_print(FILE *file);

/* Writes the file `path`, as kesco_output_write does. */
void kesco_profile_write(const char *path);

#endif
