/* What the program asked for, counted; VGPU_STATS=FILE receives it as JSON at exit. */
#ifndef KESCO_TEST_VGPU_STATS_H
#define KESCO_TEST_VGPU_STATS_H

#include "test/vgpu/api_list.h"
#include "test/vgpu/op.h"

#include <stdint.h>

/* What was issued. */
struct stats_issued {
    uint64_t launches;       /* kernels, but for those of graphs */
    uint64_t graph_launches; /* of executable graphs */
    uint64_t graph_kernels;  /* kernels issued by those */
    uint64_t copies;         /* memsets are not counted */
    uint64_t streams;        /* created by the program, in total */
    uint64_t event_records;  /* cudaEventRecord and its kin, that succeeded */
    uint64_t event_waits;    /* cudaStreamWaitEvent, that succeeded */
    uint64_t syncs;          /* cudaDeviceSynchronize, cudaStreamSynchronize, cudaEventSynchronize */
};

/* What CUDA's rules and what data order. */
struct stats_order {
    uint64_t races;         /* races reported */
    uint64_t ordered_chain; /* launches of the longest chain that CUDA's rules order (chain.h) */
    uint64_t data_chain;    /* and of the longest in which each needs what the one before did */
};

struct stats_moved {
    uint64_t bytes_to_device; /* bytes that copies brought from the host to a device */
    uint64_t bytes_to_host;   /* and the other way */
    uint64_t page_faults;     /* on managed memory that lived elsewhere, in virtual time */
    uint64_t evicted_bytes;   /* that had to leave full devices for that */
    uint64_t migrated_bytes;  /* bytes of managed memory that faults and prefetches brought elsewhere */
};

struct stats_times {
    double virtual_time_us; /* when all work was done and the host had ended (timeline.h) */
    double timed_us;        /* virtual time that cudaEventElapsedTime has told, summed up */
    double timed_bound_us;  /* what no schedule takes less for the same (bound.h) */
};

/* What was held against access summaries (summary_check.h). */
struct stats_summaries {
    uint64_t summaries_checked;  /* kernels run whose accesses were held against a summary */
    uint64_t summary_violations; /* what was found that a summary does not have, or wrong with summaries */
    uint64_t ranges_exact;       /* ranges of launches' pointers of which both ends were accessed, */
    uint64_t ranges_wider;       /* of which not both were, */
    uint64_t ranges_whole;       /* and pointers that have none */
};

struct stats {
    struct stats_issued issued;
    struct stats_order order;
    struct stats_moved moved;
    struct stats_times times;
    struct stats_summaries held;
    uint64_t calls[API_COUNT]; /* calls of each API function, failed ones included */
};
extern struct stats stats;

/* Counts an op that a stream received. */
void stats_count_op(const struct op *op);

/* Writes the JSON object to VGPU_STATS's file, if there is one: the fields above; "calls" has the API
 * functions that were called. */
void stats_write(void);

#endif
