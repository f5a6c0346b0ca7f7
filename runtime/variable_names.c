#include "runtime/variable_names.h"

#include "runtime/nearest.h"

#include <stdio.h>
#include <string.h>

extern char **environ; /* by POSIX, whoever uses it declares it */

static void check_name(const char *program, const char *name, size_t size, const char *const *known,
                       size_t count) {
    enum { NEAR = 2 };
    const char *nearest = kesco_nearest_within(NEAR, name, size, known, count);

    if (nearest != NULL && (strlen(nearest) != size || strncmp(nearest, name, size) != 0))
        fprintf(stderr, "%s: %.*s is ignored: did you mean %s?\n", program, (int)size, name, nearest);
}

void kesco_tell_near_variables(const char *program, const char *prefix, const char *const *known,
                               size_t count) {
    char **variable;

    for (variable = environ; variable != NULL && *variable != NULL; variable++)
        if (strncmp(*variable, prefix, strlen(prefix)) == 0)
            check_name(program, *variable, strcspn(*variable, "="), known, count);
}
