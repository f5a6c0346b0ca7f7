#include "runtime/region/fetched.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    LONGEST_REST = 64, /* uses */
    TIMED = 16,        /* fetches of which one is timed; of the first ones, the second and third */
    SLACK = 10,        /* nanoseconds beyond twice what a fetch of nothing takes: it was one, too */
};

/* Asking takes as long as fetching some MiB. */
#define LARGE ((uint64_t)64 << 20)

static bool is_being_timed(const struct kesco_fetched_entry *entry) {
    return entry->marks[0] != NULL;
}

static void forget_events(struct kesco_fetched_entry *entry) {
    memset(entry->marks, 0, sizeof entry->marks);
}

static void drop_events(struct kesco_fetched_entry *entry) {
    int i;

    for (i = 0; i < KESCO_FETCHED_MARKS; i++)
        if (entry->marks[i] != NULL)
            cudaEventDestroy(entry->marks[i]);
    forget_events(entry);
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
static cudaError_t duration_of(const struct kesco_fetched_entry *entry, int mark, double *duration) {
    float milliseconds = 0;
    const cudaError_t error = cudaEventElapsedTime(&milliseconds, entry->marks[mark - 1], entry->marks[mark]);

    *duration = (double)milliseconds * 1e6;
    return error;
}

/* Looks at the fetches that were timed. They may be on their way still. */
static void look(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry) {
    double first, second;
    cudaError_t error;

    if (is_gone(fetched)) {
        forget_events(entry);
        return;
    }
    error = duration_of(entry, 2, &second);
    if (error == cudaErrorNotReady)
        return;
    if (error == cudaSuccess && duration_of(entry, 1, &first) == cudaSuccess) {
        if (first <= 2 * second + SLACK)
            rest(entry);
        else
            entry->idle = 0;
    }
    drop_events(entry);
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

    if (is_being_timed(entry) && !is_gone(fetched))
        drop_events(entry);
    *entry = (struct kesco_fetched_entry){.pointer = pointer};
    return entry;
}

static bool take_rest(struct kesco_fetched_entry *entry) {
    if (entry == NULL || entry->rest == 0)
        return false;
    entry->rest--;
    return true;
}

bool kesco_fetched_rests(struct kesco_fetched *fetched, const void *pointer) {
    return pointer == NULL || take_rest(entry_of(fetched, pointer));
}

struct kesco_fetched_entry *kesco_fetched_find(struct kesco_fetched *fetched, const void *pointer) {
    struct kesco_fetched_entry *entry = entry_of(fetched, pointer);

    if (entry == NULL)
        return make_entry(fetched, pointer);
    if (is_being_timed(entry))
        look(fetched, entry);
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

static bool is_timed(struct kesco_fetched_entry *entry) {
    const uint32_t number = entry->fetches++;

    return !is_being_timed(entry) &&
           (entry->idle > 0 || number == 1 || number == 2 || number % TIMED == TIMED - 1);
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
static bool make_events(struct kesco_fetched_entry *entry) {
    int i;

    for (i = 0; i < KESCO_FETCHED_MARKS; i++)
        if (cudaEventCreate(&entry->marks[i]) != cudaSuccess) {
            entry->marks[i] = NULL;
            drop_events(entry);
            return false;
        }
    return true;
}

bool kesco_fetched_begin(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry,
                         cudaStream_t stream) {
    if (!is_timed(entry) || !find_witness(fetched, stream) || !make_events(entry))
        return false;
    kesco_fetched_mark(entry, 0, stream);
    return is_being_timed(entry);
}

void kesco_fetched_mark(struct kesco_fetched_entry *entry, uint32_t fetches, cudaStream_t stream) {
    if (is_being_timed(entry) && cudaEventRecord(entry->marks[fetches], stream) != cudaSuccess)
        drop_events(entry);
}
