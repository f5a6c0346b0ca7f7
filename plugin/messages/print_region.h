/*
 * What was found of a region, for people: its ops, objects and guards (show=regions).
 */
#ifndef KESCO_MESSAGES_PRINT_REGION_H
#define KESCO_MESSAGES_PRINT_REGION_H

#include "plugin/region/region.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the lines of the function's region `number`, which the caller frees. NULL without memory. */
char *kesco_print_region(const struct kesco_op_region *region, unsigned number);

#ifdef __cplusplus
}
#endif

#endif
