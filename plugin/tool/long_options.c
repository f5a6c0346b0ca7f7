#include "plugin/tool/long_options.h"

#include "runtime/nearest.h"

#include <stdio.h>
#include <string.h>

#define MOST_OPTIONS 32

void kesco_say_known_options(const char *program, const struct option *options, const char *argument) {
    const char *names[MOST_OPTIONS] = {NULL}, *nearest;
    size_t count = 0;
    for (; count < MOST_OPTIONS && options[count].name; count++)
        names[count] = options[count].name;
    const char *word = argument + strspn(argument, "-");
    const size_t size = strcspn(word, "=");
    nearest = kesco_nearest(word, size, names, count);
    fprintf(stderr, "%s: ", program);
    if (nearest && (strlen(nearest) != size || strncmp(nearest, word, size) != 0))
        fprintf(stderr, "did you mean --%s? ", nearest);
    fprintf(stderr, "known options: ");
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s--%s", i ? ", " : "", names[i]);
    fputc('\n', stderr);
}
