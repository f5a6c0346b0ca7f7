#include "plugin/tool/long_options.h"

#include "plugin/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPTIONS 32

void kesco_say_known_options(const char *program, const struct option *options, const char *argument) {
    const char *names[MOST_OPTIONS], *nearest = NULL;
    size_t count = 0;
    for (; options[count].name && count < MOST_OPTIONS; count++)
        names[count] = options[count].name;
    const char *start = argument + strspn(argument, "-");
    char *word = strndup(start, strcspn(start, "="));
    if (word)
        nearest = kesco_nearest(word, names, count);
    fprintf(stderr, "%s: ", program);
    if (nearest && strcmp(nearest, word) != 0)
        fprintf(stderr, "did you mean --%s? ", nearest);
    fprintf(stderr, "known options: ");
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s--%s", i ? ", " : "", names[i]);
    fputc('\n', stderr);
    free(word);
}
