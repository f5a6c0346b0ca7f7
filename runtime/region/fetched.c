#include "runtime/region/fetched.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    LONGEST_REST = 64, /* uses */
    TIMED = 16,        /* fetches of which one is timed, once */
    FIRST = 2,         /* have been, of those behind the first */
    SLACK = 10,        /* nanoseconds beyond twice what a fetch of nothing takes: it was one, too */
};

/* Asking takes as long as fetching some MiB. */
#define LARGE ((uint64_t)64 << 20)

static void forget_events(struct kesco_fetched *fetched) {
    memset(fetched->marks, 0, sizeof fetched->marks);
    fetched->timed = NULL;
}

static void drop_events(struct kesco_fetched *fetched) {
    int i;

    for (i = 0; i < KESCO_FETCHED_MARKS; i++)
        if (fetched->marks[i] != NULL)
            cudaEventDestroy(fetched->marks[i]);
    forget_events(fetched);
}

/* The device was reset: its events went with that. */
static bool is_gone(const struct kesco_fetched *fetched) {
    bool gone;

    return kesco_witness_ask(&fetched->witness, &gone) != cudaSuccess || gone;
}

static void rest(struct kesco_fetched_entry *entry) {
    entry->rest = entry->idle >= 6 ? LONGEST_REST : UINT32_C(1) << entry->idle;
    entry->idle++;
}

/* In nanoseconds, how long the fetch took that ends with the mark. */
static cudaError_t duration_of(const struct kesco_fetched *fetched, int mark, double *duration) {
    float milliseconds = 0;
    const cudaError_t error =
        cudaEventElapsedTime(&milliseconds, fetched->marks[mark - 1], fetched->marks[mark]);

    *duration = (double)milliseconds * 1e6;
    return error;
}

/* Looks at the fetches that were timed. They may be on their way still. */
static void look(struct kesco_fetched *fetched) {
    double first, second;
    cudaError_t error;

    if (is_gone(fetched)) {
        forget_events(fetched);
        return;
    }
    error = duration_of(fetched, 2, &second);
    if (error == cudaErrorNotReady)
        return;
    if (error == cudaSuccess && duration_of(fetched, 1, &first) == cudaSuccess) {
        if (first <= 2 * second + SLACK)
            rest(fetched->timed);
        else
            fetched->timed->idle = 0;
    }
    drop_events(fetched);
}

/* NULL: nothing is known. */
static struct kesco_fetched_entry *entry_of(struct kesco_fetched *fetched, const void *pointer) {
    uint32_t i;

    for (i = 0; i < KESCO_FETCHED_MOST; i++)
        if (fetched->entries[i].pointer == pointer)
            return &fetched->entries[i];
    return NULL;
}

/* In place of the oldest one. */
static struct kesco_fetched_entry *make_entry(struct kesco_fetched *fetched, const void *pointer) {
    struct kesco_fetched_entry *entry = &fetched->entries[fetched->made++ % KESCO_FETCHED_MOST];

    if (fetched->timed == entry) {
        if (is_gone(fetched))
            forget_events(fetched);
        else
            drop_events(fetched);
    }
    *entry = (struct kesco_fetched_entry){.pointer = pointer};
    return entry;
}

static bool take_rest(struct kesco_fetched_entry *entry) {
    if (entry == NULL || entry->rest == 0)
        return false;
    entry->rest--;
    return true;
}

void kesco_fetched_open(struct kesco_fetched *fetched) {
    fetched->has_timed = false;
}

bool kesco_fetched_rests(struct kesco_fetched *fetched, const void *pointer) {
    return pointer == NULL || take_rest(entry_of(fetched, pointer));
}

struct kesco_fetched_entry *kesco_fetched_find(struct kesco_fetched *fetched, const void *pointer) {
    struct kesco_fetched_entry *entry = entry_of(fetched, pointer);

    if (entry == NULL)
        return make_entry(fetched, pointer);
    if (fetched->timed == entry)
        look(fetched);
    return take_rest(entry) ? NULL : entry;
}

void kesco_fetched_refuse(struct kesco_fetched_entry *entry) {
    entry->rest = LONGEST_REST;
}

bool kesco_fetched_has_room(struct kesco_fetched_entry *entry, uint64_t size) {
    size_t left, all;

    if (size < LARGE || (cudaMemGetInfo(&left, &all) == cudaSuccess && size <= left))
        return true;
    rest(entry);
    return false;
}

/* True if it is time for it. What was timed of another pointer's may have come to its end. */
static bool is_to_be_timed(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry) {
    const uint32_t least = entry->timed == 0 ? 1 : entry->timed < FIRST ? 0 : TIMED - 1;

    if ((entry->fetches++ < least && entry->idle == 0) || fetched->has_timed)
        return false;
    if (fetched->timed != NULL)
        look(fetched);
    return fetched->timed == NULL;
}

/* Timing needs a stream that tells a device that was reset from others. */
static bool find_witness(struct kesco_fetched *fetched, cudaStream_t stream) {
    bool gone;

    if (fetched->witness.stream != NULL && kesco_witness_ask(&fetched->witness, &gone) == cudaSuccess &&
        !gone)
        return true;
    return kesco_witness_choose(&fetched->witness, stream) == cudaSuccess;
}

/* All or none. */
static bool make_events(struct kesco_fetched *fetched) {
    int i;

    for (i = 0; i < KESCO_FETCHED_MARKS; i++)
        if (cudaEventCreate(&fetched->marks[i]) != cudaSuccess) {
            fetched->marks[i] = NULL;
            drop_events(fetched);
            return false;
        }
    return true;
}

bool kesco_fetched_begin(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry,
                         cudaStream_t stream) {
    if (!is_to_be_timed(fetched, entry) || !find_witness(fetched, stream) || !make_events(fetched))
        return false;
    fetched->timed = entry;
    fetched->has_timed = true;
    entry->timed++;
    entry->fetches = 0;
    kesco_fetched_mark(fetched, 0, stream);
    return fetched->timed != NULL;
}

void kesco_fetched_mark(struct kesco_fetched *fetched, uint32_t fetches, cudaStream_t stream) {
    if (fetched->timed != NULL && cudaEventRecord(fetched->marks[fetches], stream) != cudaSuccess)
        drop_events(fetched);
}
