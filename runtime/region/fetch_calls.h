/*
 * What the calls that fetch tell by the host's time that they take. A driver looks where the pages are before
 * it moves any: on an H100 a call takes 5 microseconds where all of up to 2 MiB is there, from 15 on where
 * something has to come, and each MiB adds 0.8 or 12.7 (doc/results.md). What a call takes that has nothing
 * to move is found out by asking once more, right after one.
 *
 * That is so where the stream has nothing else to do. A driver may leave the work for later where it has: so
 * what short calls mean there counts only once one there has taken as long as those that move something.
 */
#ifndef KESCO_RUNTIME_REGION_FETCH_CALLS_H
#define KESCO_RUNTIME_REGION_FETCH_CALLS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

enum kesco_fetch_verdict { KESCO_FETCH_UNKNOWN, KESCO_FETCH_MOVED, KESCO_FETCH_NOTHING };

struct kesco_fetch_calls {
    double nothing;   /* nanoseconds of a call for small memory that had nothing to move; 0: not known */
    double *of_large; /* the same of what is being fetched, where it is large; NULL: it is small */
    uint64_t begin;   /* of the call, on the host's clock */
    double first;     /* nanoseconds of the first call */
    uint32_t asked;   /* calls that are to come */
    uint32_t made;
    uint32_t seconds;  /* calls for small memory, right after another one, that had nothing to move */
    bool is_busy;      /* the stream had something to do */
    bool was_busy;     /* since the host waited last, some stream did: none is asked any more */
    bool tells_busily; /* a call on a busy stream has taken its time */
};

/* The host has waited, or does not know what streams have to do. */
void kesco_fetch_calls_clear(struct kesco_fetch_calls *calls);

/* Before fetches on `stream`: true if their calls will tell. `asks`: the stream is asked whether it has
 * something to do; else it is taken to have nothing, as long as none had. `of_large` outlives the calls.
 * Leaves an error of CUDA's, to be taken back. */
bool kesco_fetch_calls_begin(struct kesco_fetch_calls *calls, double *of_large, cudaStream_t stream,
                             bool asks);

/* True if it is known what a call takes that has nothing to move; else there have to be two. */
bool kesco_fetch_calls_know(const struct kesco_fetch_calls *calls);

/* True if it has been measured so often that one call tells as much as two. */
bool kesco_fetch_calls_are_sure(const struct kesco_fetch_calls *calls);

/* So many calls come next. */
void kesco_fetch_calls_start(struct kesco_fetch_calls *calls, uint32_t count);

/* One has been made. After the last one: what the first one did. */
enum kesco_fetch_verdict kesco_fetch_calls_mark(struct kesco_fetch_calls *calls);

/* The next one begins now. */
void kesco_fetch_calls_restart(struct kesco_fetch_calls *calls);

#endif
