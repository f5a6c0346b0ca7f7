/* Names of environment variables that are nearly those of a program's own. */
#ifndef KESCO_RUNTIME_VARIABLE_NAMES_H
#define KESCO_RUNTIME_VARIABLE_NAMES_H

#include <stddef.h>

/*
 * Tells on stderr, for `program`, of each variable of the environment whose name begins with `prefix`, is
 * none of the `count` that are known, and differs from one of them by two characters at most.
 */
void kesco_tell_near_variables(const char *program, const char *prefix, const char *const *known,
                               size_t count);

#endif
