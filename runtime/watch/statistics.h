/*
 * What regions did, summed up over all threads of the process, for KESCO_STATS=1, and whether KESCO_ONLY
 * leaves them serial. A region is known by its function, file and line, so that it stays the same one where
 * its module is unloaded and loaded again. A process that was forked counts from 0.
 */
#ifndef KESCO_RUNTIME_WATCH_STATISTICS_H
#define KESCO_RUNTIME_WATCH_STATISTICS_H

#include "runtime/kesco_abi.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { KESCO_STATISTICS_REASONS = 8 };

/* Runs that were serial, from the start or from some op on, or that ended, for one reason. */
struct kesco_statistics_reason {
    _Atomic(char *) text; /* NULL: not in use, nor are those after it */
    atomic_ullong runs;
};

/* Of one region. */
/* Where a region is. */
struct kesco_statistics_place {
    char *function;
    char *file;
    uint32_t line;
};

struct kesco_statistics_counts {
    atomic_ullong entries; /* runs, without those that are still open */
    atomic_ullong ops;
    atomic_ullong guard_failures;
    atomic_ullong serial; /* runs that were serial */
    atomic_ullong graphs; /* launches of graphs, and the ops that were in them */
    atomic_ullong graph_ops;
    atomic_ullong placed; /* ops that the run placed, and those of them that came after others in flight */
    atomic_ullong ordered;
};

struct kesco_statistics {
    struct kesco_statistics_place place;
    bool excluded;          /* KESCO_ONLY does not name its function */
    atomic_uint lanes;      /* most that it was opened with */
    atomic_uint lanes_used; /* most that one run put ops on */
    struct kesco_statistics_counts counts;
    struct kesco_statistics_reason reasons[KESCO_STATISTICS_REASONS]; /* to be serial */
    struct kesco_statistics_reason ends[KESCO_STATISTICS_REASONS];    /* what came next, where that is told */
};

/* One run of a region, from its opening to its close. */
struct kesco_run {
    uint32_t lanes;
    const uint64_t *ops; /* by lane */
    uint64_t origin_ops; /* on the origin that is none of the lanes */
    uint64_t graphs;     /* launches of graphs, and the ops that were in them */
    uint64_t graph_ops;
    uint64_t placed; /* ops that the run placed, and those of them that came after others in flight */
    uint64_t ordered;
    const char *serial; /* why it was serial in the end; NULL: it was not */
    uint32_t guard_failures;
    const char *end; /* before what it ended, if it went through calls; else NULL */
};

/* The names of the region for people, also where they are unknown. */
const char *kesco_statistics_function(const struct kesco_region *region);
const char *kesco_statistics_file(const struct kesco_region *region);

/*
 * What is kept of the region, which is made at the first call; the region's memory remembers it, so that
 * later calls cost next to nothing. NULL: there is no memory. Threads may call this and the next at once.
 */
struct kesco_statistics *kesco_statistics_find(const struct kesco_region *region);

/* Counts a run of the region. */
void kesco_statistics_add(struct kesco_statistics *statistics, const struct kesco_run *run);

/* Tells of each name of KESCO_ONLY that no region's function had so far, with the nearest that one had. */
void kesco_statistics_check_only(FILE *file);

/* Writes a table of what was counted so far, in one piece; nothing, and false, where there is none. */
bool kesco_statistics_print(FILE *file);

#endif
