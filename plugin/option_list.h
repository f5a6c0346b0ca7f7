/*
 * The plugin's options, -fplugin-arg-kesco-NAME[=VALUE], as messages, help and completion list them. What
 * they do is in options.h.
 */
#ifndef KESCO_OPTION_LIST_H
#define KESCO_OPTION_LIST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kesco_option {
    const char *name;
    const char *value; /* "FILE", or all that is allowed as "on|off"; NULL where it takes none */
    const char *help;  /* what it does, in lines */
};

extern const struct kesco_option kesco_option_list[];
extern const size_t kesco_option_count;

#ifdef __cplusplus
}
#endif

#endif
