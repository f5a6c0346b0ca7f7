/*
 * The remarks on a region and its plan, as text: what was done, and why the rest stays serial. Where they are
 * shown, and who asked for them, LLVM knows (remarks.h).
 */
#ifndef KESCO_MESSAGES_REGION_REMARKS_H
#define KESCO_MESSAGES_REGION_REMARKS_H

#include "plugin/plan/scheduled_region.h"

#ifdef __cplusplus
extern "C" {
#endif

enum kesco_remark_kind {
    KESCO_REMARK_PASSED,   /* what was done */
    KESCO_REMARK_MISSED,   /* what was not */
    KESCO_REMARK_ANALYSIS, /* what explains */
};

/* In a text, a value with a name, by which tools find it. */
#define KESCO_VALUE_BEGIN "\1"
#define KESCO_VALUE_NAMED "\2"
#define KESCO_VALUE_END "\3"
#define KESCO_VALUE(name, format) KESCO_VALUE_BEGIN name KESCO_VALUE_NAMED format KESCO_VALUE_END

struct kesco_remark {
    enum kesco_remark_kind kind;
    const char *name;
    uint32_t op;      /* the region's, at which it is told */
    const char *text; /* with values */
    const char *more; /* that follows, of others that have the same text; NULL for none */
    const char *once; /* all remarks with this are told once; empty: all with this text, NULL: and place */
};

/* Whom they are given to, and on what. */
struct kesco_region_remarks {
    const struct kesco_op_region *region;
    const struct kesco_scheduled_region *scheduled;
    struct kesco_arena *memory; /* of texts, which the caller frees when all is told */
    const char *traps;          /* the name of the object that all kernels that may trap write */
    void (*tell)(void *to, const struct kesco_remark *remark);
    void *to;
};

/* Tells what is done with the region, but for its waits. -ENOMEM. */
int kesco_tell_plan(const struct kesco_region_remarks *to);

/* Tells why the region, or some of its ops, stay serial. Returns whether there was something, or -ENOMEM. */
int kesco_tell_serial(const struct kesco_region_remarks *to);

#ifdef __cplusplus
}
#endif

#endif
