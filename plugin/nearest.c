#include "plugin/nearest.h"

#include "runtime/nearest.h"

#include <string.h>

const char *kesco_nearest(const char *word, const char *const *words, size_t count) {
    const char *nearest = NULL;
    size_t most = strlen(word) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t far = kesco_distance(word, strlen(word), words[i], strlen(words[i]));
        if (far < most) {
            most = far;
            nearest = words[i];
        }
    }
    return nearest;
}
