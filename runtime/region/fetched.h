/*
 * Which managed memory is worth a fetch, by what fetches of it have saved so far. Where the host touches
 * memory between its uses on the device, each fetch saves faults; where nobody does, a fetch is a call for
 * nothing. CUDA does not say where pages are, but how long the call takes does, on the host (fetch_calls.h):
 * memory of which nothing was to be moved, twice where something was before, rests.
 *
 * Where calls do not tell, now and then a fetch is timed on its stream. Of large memory it is made twice: the
 * second one has nothing to move, and where the first one took about as long, it had nothing either. What
 * small memory takes is less than what the host takes to ask for it. There the op is timed with a fetch
 * before it and, the next time, without: where it faults, that takes far longer. As that may be the case, it
 * comes ever less often. Memory of which nothing was to be moved rests, ever longer, before it is fetched
 * again; what kernels write before anyone reads it is taken to rest from the start.
 *
 * That something was moved is no proof that an op needs it: a flag that kernels hardly ever write, or a table
 * of which they read little, comes in vain, and goes back where the host uses it. So what may be a
 * flag, or may be used anywhere, is timed by its op, too, once it was found to be moved: with a fetch, and
 * without.
 *
 * Nor is memory fetched for which the device has no room: what is there would have to leave, and may be
 * needed next.
 */
#ifndef KESCO_RUNTIME_REGION_FETCHED_H
#define KESCO_RUNTIME_REGION_FETCHED_H

#include "runtime/region/allocation.h"
#include "runtime/region/fetch_calls.h"
#include "runtime/region/fetch_clock.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>

enum { KESCO_FETCHED_MOST = 64 }; /* of more pointers, the next one has what is known of the oldest */

/* Whether ops take longer without what is fetched of an entry. */
enum kesco_fetched_proof {
    KESCO_FETCHED_UNDOUBTED,
    KESCO_FETCHED_DOUBTED,
    KESCO_FETCHED_WANTED, /* that, and it is moved */
    KESCO_FETCHED_PROVED,
};

struct kesco_fetched_entry {
    const void *pointer; /* as the program hands it over; NULL: the entry is empty */
    uint32_t fetches;    /* since one was timed last */
    uint32_t sure;       /* timed in a row, that saved something */
    uint32_t idle;       /* timed in a row, that saved nothing, or likely to */
    uint32_t rest;       /* uses that it is not fetched for */
    bool is_managed;     /* when it was asked for, in the beginning */
    bool is_small;       /* when it was fetched last */
    uint64_t size;       /* then */
    double nothing;      /* nanoseconds that a fetch took that had nothing to move; 0: not known */
    double nothing_call; /* the same of a call for it, on the host, where it is large */
    bool is_told;        /* calls told, the last time, or have not been asked yet */
    enum kesco_fetched_proof proof;
};

/* What is being timed, of one entry. */
enum kesco_fetched_trial {
    KESCO_FETCHED_LARGE,   /* fetches */
    KESCO_FETCHED_WITH,    /* an op with a fetch before it */
    KESCO_FETCHED_WAITS,   /* nothing: the next op is that without */
    KESCO_FETCHED_WITHOUT, /* an op without one */
};

struct kesco_fetched {
    struct kesco_fetched_entry *timed; /* whose fetch is being timed; NULL: none */
    enum kesco_fetched_trial trial;    /* then */
    double with;                       /* nanoseconds that the op took with a fetch */
    struct kesco_fetch_clock clock;
    struct kesco_fetch_calls calls;
    struct kesco_fetched_entry *told; /* whose calls tell; NULL: nothing is fetched, or they do not */
    uint64_t room;                    /* bytes that may be fetched before CUDA is asked for more */
    uint32_t uses;                    /* that were fetched for, or could have been, since a trial began */
    uint32_t patience;                /* times that the trial was found not to have ended */
    uint32_t made;                    /* entries so far */
    bool has_asked; /* CUDA, which may have left an error; to be cleared by who takes it back */
    struct kesco_fetched_entry entries[KESCO_FETCHED_MOST];
};

/* True if the memory that `pointer` leads to, which an op uses next, is known to rest: it is not to be
 * fetched. */
bool kesco_fetched_rests(struct kesco_fetched *fetched, const void *pointer);

/*
 * What is known of it, where it is not; NULL: it is not to be fetched. `is_overwritten`: the op writes there
 * and reads nothing. This and the next ones may make, destroy and ask events, and leave an error of CUDA's,
 * to be taken back; has_asked says so of all but marks and ends of ops.
 */
struct kesco_fetched_entry *kesco_fetched_find(struct kesco_fetched *fetched, const void *pointer,
                                               bool is_overwritten);

/* It is never worth a fetch: long, it is not asked for again. */
void kesco_fetched_refuse(struct kesco_fetched_entry *entry);

/* True if the device has room for so many bytes more, as far as is known: CUDA is asked once that many have
 * been fetched that half of what it had may be taken. */
bool kesco_fetched_has_room(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry, uint64_t size);

/* True if its op is to be timed, so that the fetch has to come right before it. */
bool kesco_fetched_wants_proof(const struct kesco_fetched_entry *entry);

/* A fetch that may be made. */
struct kesco_fetched_ask {
    uint64_t size;       /* bytes */
    bool is_vague;       /* of which the op may use any, or few */
    bool is_overwritten; /* which the op may write, or not, and does not read */
    bool op_is_next;     /* right after it, and then kesco_fetched_end_op, where the clock still runs */
};

/* Before the fetch on `stream`: how often it is to be made, with kesco_fetched_mark right after each. */
uint32_t kesco_fetched_begin(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry,
                             const struct kesco_fetched_ask *ask, cudaStream_t stream);
void kesco_fetched_mark(struct kesco_fetched *fetched);
void kesco_fetched_end_op(struct kesco_fetched *fetched);

/* What is being timed is not any more. */
void kesco_fetched_give_up(struct kesco_fetched *fetched);

#endif
