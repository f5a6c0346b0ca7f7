/*
 * Sites that outlive the code that they came with: a library that is unloaded takes its sites along.
 */
#ifndef KESCO_RUNTIME_WATCH_SITE_H
#define KESCO_RUNTIME_WATCH_SITE_H

#include "runtime/kesco_abi.h"

#include <stdbool.h>

/* Less than, equal to, or greater than 0, as `a` comes before, is the same as, or comes after `b`: in the
 * order of function, file, lines, kind, and name. A text that is NULL is an empty one. */
int kesco_site_compare(const struct kesco_site *a, const struct kesco_site *b);

/* A copy that stays, one for all sites that are the same. NULL: there is no memory. Threads may call it at
 * once. */
const struct kesco_site *kesco_site_keep(const struct kesco_site *site);

#endif
