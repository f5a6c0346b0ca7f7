/*
 * Ranges of bytes for people.
 */
#ifndef KESCO_MESSAGES_DESCRIBE_RANGE_H
#define KESCO_MESSAGES_DESCRIBE_RANGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What people call arguments. */
struct kesco_range_names {
    /* The integer at `offset` of a parameter; the caller frees it. NULL without memory. */
    char *(*name)(const void *context, uint32_t parameter, uint32_t offset);
    const void *context;
};

/*
 * The valid range `text` (plugin/summary/range.h) as "[0 .. 4*n bytes)", without its conditions, with " and "
 * between parts; "" for what nobody would read. The caller frees it. NULL without memory.
 */
char *kesco_describe_range(const char *text, const struct kesco_range_names *names);

#ifdef __cplusplus
}
#endif

#endif
