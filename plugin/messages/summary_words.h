/*
 * What a kernel does, as a sentence: "reads a, s.b; writes c; prints" and so on, or "touches no memory".
 */
#ifndef KESCO_MESSAGES_SUMMARY_WORDS_H
#define KESCO_MESSAGES_SUMMARY_WORDS_H

#include "plugin/messages/describe_range.h"
#include "plugin/summary/summary.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What people call what a kernel touches. The caller frees names. NULL without memory. */
struct kesco_summary_names {
    char *(*pointer)(const void *context, uint32_t parameter, uint32_t offset);
    char *(*variable)(const char *name); /* by its name in the device image */
    struct kesco_range_names integers;   /* the context is that of pointers, too */
};

/* Returns the sentence, which the caller frees. NULL without memory. */
char *kesco_summary_words(const struct kesco_summary *summary, const struct kesco_summary_names *names);

#ifdef __cplusplus
}
#endif

#endif
