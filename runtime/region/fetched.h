/*
 * Which managed memory is worth a fetch, by what fetches of it have moved so far. Where the host touches
 * memory between its uses on the device, each fetch moves it, and saves the faults; where nobody does, a
 * fetch is a call for nothing. CUDA does not say where pages are, so now and then a fetch is made twice and
 * timed on its stream: the second one has nothing to move, and where the first one took about as long, it had
 * nothing either. That costs several calls, so one fetch is timed while a region is open. Memory of which
 * nothing was to be moved rests, ever longer, before it is fetched again. Nor is memory fetched for which the
 * device has no room: what is there would have to leave, and may be needed next.
 */
#ifndef KESCO_RUNTIME_REGION_FETCHED_H
#define KESCO_RUNTIME_REGION_FETCHED_H

#include "runtime/region/allocation.h"
#include "runtime/region/witness.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>

enum {
    KESCO_FETCHED_MOST = 64, /* of more pointers, the oldest is forgotten */
    KESCO_FETCHED_MARKS = 3,
};

struct kesco_fetched_entry {
    const void *pointer; /* as the program hands it over; NULL: the entry is empty */
    uint32_t fetches;    /* since one was timed last */
    uint32_t timed;      /* of them so far */
    uint32_t idle;       /* timed in a row, that moved nothing */
    uint32_t rest;       /* uses that it is not fetched for */
};

struct kesco_fetched {
    struct kesco_fetched_entry *timed;      /* whose fetch is being timed; NULL: none */
    cudaEvent_t marks[KESCO_FETCHED_MARKS]; /* then: around its two fetches */
    bool has_timed;                         /* since the region was opened */
    struct kesco_witness witness;           /* of their device */
    uint32_t made;                          /* entries so far */
    struct kesco_fetched_entry entries[KESCO_FETCHED_MOST];
};

/* A region is opened. */
void kesco_fetched_open(struct kesco_fetched *fetched);

/* True if the memory behind `pointer`, which an op uses next, is known to rest: it is not to be fetched. */
bool kesco_fetched_rests(struct kesco_fetched *fetched, const void *pointer);

/*
 * What is known of it, where it is not; NULL: it is not to be fetched. This and the next ones may make,
 * destroy and ask events, and leave an error of CUDA's, to be taken back.
 */
struct kesco_fetched_entry *kesco_fetched_find(struct kesco_fetched *fetched, const void *pointer);

/* It is never worth a fetch: long, it is not asked for again. */
void kesco_fetched_refuse(struct kesco_fetched_entry *entry);

/* True if the device has room for so many bytes; asked only of what is large. */
bool kesco_fetched_has_room(struct kesco_fetched_entry *entry, uint64_t size);

/*
 * Before a fetch on `stream`; true: it is timed, so that it is to be made twice, with kesco_fetched_mark
 * behind each of the two.
 */
bool kesco_fetched_begin(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry,
                         cudaStream_t stream);
void kesco_fetched_mark(struct kesco_fetched *fetched, uint32_t fetches, cudaStream_t stream);

#endif
