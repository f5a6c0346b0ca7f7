#include "runtime/region/fetched.h"

#include "runtime/call.h"

#include <stddef.h>
#include <stdint.h>

enum {
    LONGEST_REST = 2048, /* uses */
    LEAST_REST = 4,
    LONGEST_INHERITED = 256,
    SOON = 2,               /* fetches of an entry until one is made twice, */
    MANY = 8,               /* or the next one, where there are so many entries to tell for; */
    CERTAIN = 4,            /* calls in a row that moved something, from which on */
    LOOKS = 8,              /* every so many-th tells; */
    FIRST = 4,              /* fetches until one is timed, */
    TIMED = 16,             /* and from then on; twice as many of what is small, each time, */
    MOST_DOUBLINGS = 8,     /* but no more than that */
    SPACING = 8,            /* uses of any entries from one timed fetch to the next, */
    SPACING_OF_FAULTS = 64, /* where one of both ops may fault */
    PATIENCE = 16,          /* of these, for the same entry to come again */
    DISPROVED = 2,          /* times that saved nothing, of what is moved in vain, which costs more */
    SLACK = 10,             /* nanoseconds beyond twice what a fetch of nothing takes: it was one, too */
};

/* Less than that comes over in the time that asking for it takes, or hardly more. */
#define SMALL ((uint64_t)512 << 10)

/* What is larger, in bytes, and only written is an output, most likely, which is written each time. */
enum { LARGEST_FLAG = 4096 };

static void rest(struct kesco_fetched_entry *entry) {
    entry->rest = entry->idle >= 5 ? LONGEST_REST : (uint32_t)LEAST_REST << 2 * entry->idle;
    entry->idle++;
    entry->sure = 0;
}

static void settle(struct kesco_fetched_entry *entry, bool has_saved) {
    if (!has_saved) {
        rest(entry);
        return;
    }
    entry->idle = 0;
    entry->sure++;
    if (entry->proof == KESCO_FETCHED_DOUBTED)
        entry->proof = KESCO_FETCHED_WANTED;
}

static void settle_large(struct kesco_fetched *fetched, const double *durations) {
    struct kesco_fetched_entry *entry = fetched->timed;
    const double nothing = fetched->clock.spans == 2 ? durations[1] : durations[0];

    if (entry->nothing <= 0 || nothing < entry->nothing)
        entry->nothing = nothing;
    settle(entry, durations[0] > 2 * entry->nothing + SLACK);
    fetched->timed = NULL;
}

/* Where there are many, what is proved of one holds for all of its size. */
static void prove(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry) {
    uint32_t i;

    for (i = 0; i < KESCO_FETCHED_MOST; i++)
        if (&fetched->entries[i] == entry ||
            (fetched->made >= MANY && fetched->entries[i].size == entry->size &&
             fetched->entries[i].idle == 0))
            fetched->entries[i].proof = KESCO_FETCHED_PROVED;
}

static void settle_by_op(struct kesco_fetched *fetched, bool has_saved) {
    struct kesco_fetched_entry *entry = fetched->timed;

    if (has_saved)
        prove(fetched, entry);
    else if (entry->proof == KESCO_FETCHED_WANTED && entry->idle < DISPROVED)
        entry->idle = DISPROVED;
    settle(entry, has_saved);
}

/* Looks at what was timed. It may be on its way still. */
static void look(struct kesco_fetched *fetched) {
    double durations[KESCO_FETCH_SPANS];
    enum kesco_fetch_reading reading;
    enum cudaStreamCaptureMode mode;

    if (fetched->trial == KESCO_FETCHED_WAITS)
        return;
    fetched->has_asked = true;
    mode = kesco_call_relax();
    reading = kesco_fetch_clock_read(&fetched->clock, durations);
    kesco_call_unrelax(mode);
    if (reading == KESCO_FETCH_PENDING)
        return;
    if (reading == KESCO_FETCH_FAILED) {
        fetched->timed = NULL;
    } else if (fetched->trial == KESCO_FETCHED_LARGE) {
        settle_large(fetched, durations);
    } else if (fetched->trial == KESCO_FETCHED_WITH) {
        fetched->with = durations[0];
        fetched->trial = KESCO_FETCHED_WAITS;
    } else {
        settle_by_op(fetched, durations[0] > fetched->with);
        fetched->timed = NULL;
    }
}

/* NULL: nothing is known. */
static struct kesco_fetched_entry *entry_of(struct kesco_fetched *fetched, const void *pointer) {
    uint32_t i;

    for (i = 0; i < KESCO_FETCHED_MOST; i++)
        if (fetched->entries[i].pointer == pointer)
            return &fetched->entries[i];
    return NULL;
}

/* Where there are too many pointers to know all of them, as in a loop over the layers of a network, what was
 * found of one is what the next one begins with, in its place: else all of them would be new each time. */
static struct kesco_fetched_entry inherit(const struct kesco_fetched_entry *from, const void *pointer) {
    struct kesco_fetched_entry entry = *from;

    entry.pointer = pointer;
    entry.is_managed = false;
    entry.nothing = 0;
    if (entry.rest > LONGEST_INHERITED)
        entry.rest = LONGEST_INHERITED;
    return entry;
}

/* In place of the oldest one. */
static struct kesco_fetched_entry *make_entry(struct kesco_fetched *fetched, const void *pointer,
                                              bool is_idle) {
    struct kesco_fetched_entry *entry = &fetched->entries[fetched->made++ % KESCO_FETCHED_MOST];

    if (entry->idle > 0 || entry->sure > 0 || entry->is_managed) {
        *entry = inherit(entry, pointer);
        return entry;
    }
    if (fetched->timed == entry)
        fetched->timed = NULL;
    *entry = (struct kesco_fetched_entry){.pointer = pointer, .is_told = true};
    if (is_idle)
        rest(entry);
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

/* What is small is judged first, so that it is not fetched in vain for long. */
static uint32_t spacing_of(const struct kesco_fetched_entry *entry) {
    if (entry->proof == KESCO_FETCHED_WANTED)
        return 0;
    if (!entry->is_small)
        return SPACING;
    return entry->sure == 0 && entry->idle == 0 ? 0 : SPACING_OF_FAULTS;
}

/* True if a trial of the entry may begin at this use. One before it may have come to its end. */
static bool is_time(struct kesco_fetched *fetched, const struct kesco_fetched_entry *entry) {
    const uint32_t spacing = spacing_of(entry);

    if (fetched->timed == NULL)
        return fetched->uses >= spacing;
    if (fetched->uses < (spacing > SPACING ? spacing : SPACING))
        return false;
    fetched->uses = 0;
    look(fetched);
    if (fetched->timed != NULL && ++fetched->patience >= PATIENCE)
        fetched->timed = NULL;
    return fetched->timed == NULL;
}

struct kesco_fetched_entry *kesco_fetched_find(struct kesco_fetched *fetched, const void *pointer,
                                               bool is_overwritten) {
    struct kesco_fetched_entry *entry = entry_of(fetched, pointer);

    fetched->uses++;
    if (entry == NULL)
        entry = make_entry(fetched, pointer, is_overwritten);
    if (fetched->timed == entry)
        look(fetched);
    if (take_rest(entry))
        return NULL;
    /* What has been idle is fetched to be timed. */
    return entry->idle > 0 && !entry->is_told && fetched->timed != entry && !is_time(fetched, entry) ? NULL
                                                                                                     : entry;
}

void kesco_fetched_refuse(struct kesco_fetched_entry *entry) {
    *entry = (struct kesco_fetched_entry){.pointer = entry->pointer, .rest = LONGEST_REST, .is_told = true};
}

/* Asks CUDA. Others may take memory until it is asked again, so half of it is left to them. */
static bool find_room(struct kesco_fetched *fetched, uint64_t size) {
    const enum cudaStreamCaptureMode mode = kesco_call_relax();
    size_t left, all;
    const bool is_known = cudaMemGetInfo(&left, &all) == cudaSuccess;

    fetched->has_asked = true;
    kesco_call_unrelax(mode);
    if (!is_known || size > left)
        return false;
    fetched->room = left / 2 > size ? left / 2 - size : 0;
    return true;
}

bool kesco_fetched_has_room(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry, uint64_t size) {
    if (size <= fetched->room) {
        fetched->room -= size;
        return true;
    }
    if (find_room(fetched, size))
        return true;
    fetched->room = 0;
    entry->rest = LEAST_REST;
    return false;
}

static bool is_to_be_timed(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry) {
    const uint32_t doublings = !entry->is_small               ? 0
                               : entry->sure > MOST_DOUBLINGS ? MOST_DOUBLINGS
                                                              : entry->sure;
    const uint32_t least = entry->sure == 0 ? FIRST : (uint32_t)TIMED << doublings;

    return (++entry->fetches >= least || entry->idle > 0) && is_time(fetched, entry);
}

/* Begins what is to be timed next; false if nothing can be. */
static bool begin(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry,
                  enum kesco_fetched_trial trial, cudaStream_t stream) {
    const uint32_t spans = trial == KESCO_FETCHED_LARGE && entry->nothing <= 0 ? 2 : 1;
    const enum cudaStreamCaptureMode mode = kesco_call_relax();

    fetched->has_asked = true;
    fetched->timed = kesco_fetch_clock_begin(&fetched->clock, spans, stream) ? entry : NULL;
    kesco_call_unrelax(mode);
    fetched->trial = trial;
    fetched->uses = fetched->patience = entry->fetches = 0;
    return fetched->timed != NULL;
}

/* How often it is fetched where calls do not tell. */
static uint32_t begin_trial(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry, bool op_is_next,
                            cudaStream_t stream) {
    if (fetched->timed == entry && fetched->trial == KESCO_FETCHED_WAITS) {
        if (op_is_next && begin(fetched, entry, KESCO_FETCHED_WITHOUT, stream))
            return 0;
    } else if ((!entry->is_small || op_is_next) && is_to_be_timed(fetched, entry) &&
               begin(fetched, entry, entry->is_small ? KESCO_FETCHED_WITH : KESCO_FETCHED_LARGE, stream)) {
        return entry->is_small ? 1 : fetched->clock.spans;
    }
    return entry->idle > 0 ? 0 : 1;
}

/* Its calls tell: it is not to be timed on the stream, too. */
static void leave_trial(struct kesco_fetched *fetched, const struct kesco_fetched_entry *entry) {
    if (fetched->timed != entry)
        return;
    fetched->timed = NULL;
    kesco_fetch_clock_stop(&fetched->clock);
}

static uint32_t soon(const struct kesco_fetched *fetched) {
    return fetched->made < MANY ? SOON : 0;
}

/* What a call takes that has nothing to move is found out for memory that goes on to be fetched; and once
 * more where it decides, for it may have been measured badly. */
static uint32_t calls_for(const struct kesco_fetched *fetched, struct kesco_fetched_entry *entry) {
    if (entry->idle > 0)
        return kesco_fetch_calls_are_sure(&fetched->calls) ? 1 : 2;
    return !kesco_fetch_calls_know(&fetched->calls) && ++entry->fetches > soon(fetched) ? 2 : 1;
}

/* True if what the fetch does is to be found out. Entries take turns. */
static bool looks(const struct kesco_fetched *fetched, struct kesco_fetched_entry *entry) {
    if (!entry->is_told || entry->sure < CERTAIN)
        return true;
    return (++entry->fetches + (uint32_t)(entry - fetched->entries)) % LOOKS == 0;
}

/* What a call takes that has nothing to move follows from the size. */
static double nothing_call_of(const struct kesco_fetched *fetched, uint64_t size) {
    uint32_t i;

    for (i = 0; i < KESCO_FETCHED_MOST; i++)
        if (fetched->entries[i].size == size && fetched->entries[i].nothing_call > 0)
            return fetched->entries[i].nothing_call;
    return 0;
}

/* True while a single call tells nothing, for it is not known what one takes that has nothing to move. */
static bool is_too_soon(const struct kesco_fetched *fetched, struct kesco_fetched_entry *entry) {
    const double nothing = entry->is_small ? fetched->calls.nothing : entry->nothing_call;
    const bool is_new = entry->is_told && entry->idle == 0 && entry->sure == 0 && fetched->timed != entry;

    if (nothing > 0 || !is_new || entry->fetches >= soon(fetched))
        return false;
    entry->fetches++;
    return true;
}

/* A call that takes its time tells in any case. Where the last one did not, or was not believed, it has to be
 * known what the stream has to do. */
static bool asks_stream(const struct kesco_fetched_entry *entry) {
    return entry->sure == 0 || !entry->is_told;
}

bool kesco_fetched_wants_proof(const struct kesco_fetched_entry *entry) {
    return entry->proof == KESCO_FETCHED_WANTED;
}

/* How often it is fetched while it is in doubt whether ops need that. Until its turn comes, what is only
 * written is not. */
static uint32_t begin_proof(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry,
                            const struct kesco_fetched_ask *ask, cudaStream_t stream) {
    const bool has_begun = fetched->timed == entry && fetched->trial == KESCO_FETCHED_WAITS;

    if (ask->op_is_next && has_begun && begin(fetched, entry, KESCO_FETCHED_WITHOUT, stream))
        return 0;
    if (ask->op_is_next && fetched->timed != entry && is_time(fetched, entry) &&
        begin(fetched, entry, KESCO_FETCHED_WITH, stream))
        return 1;
    return ask->is_overwritten || entry->idle > 0 ? 0 : 1;
}

static bool is_doubtful(const struct kesco_fetched_ask *ask) {
    return ask->is_vague || (ask->is_overwritten && ask->size <= LARGEST_FLAG);
}

static void note_size(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry,
                      const struct kesco_fetched_ask *ask) {
    entry->is_small = ask->size < SMALL;
    if (is_doubtful(ask) && entry->proof == KESCO_FETCHED_UNDOUBTED)
        entry->proof = KESCO_FETCHED_DOUBTED;
    if (entry->size != ask->size)
        entry->nothing_call = 0;
    entry->size = ask->size;
    if (!entry->is_small && entry->nothing_call <= 0)
        entry->nothing_call = nothing_call_of(fetched, ask->size);
}

uint32_t kesco_fetched_begin(struct kesco_fetched *fetched, struct kesco_fetched_entry *entry,
                             const struct kesco_fetched_ask *ask, cudaStream_t stream) {
    const bool asks = asks_stream(entry);
    uint32_t count;

    note_size(fetched, entry, ask);
    fetched->told = NULL;
    kesco_fetch_calls_start(&fetched->calls, 0);
    if (kesco_fetched_wants_proof(entry))
        return begin_proof(fetched, entry, ask, stream);
    if (!looks(fetched, entry) || is_too_soon(fetched, entry))
        return 1;
    entry->is_told =
        kesco_fetch_calls_begin(&fetched->calls, entry->is_small ? NULL : &entry->nothing_call, stream, asks);
    fetched->has_asked |= asks;
    fetched->told = entry;
    if (entry->is_told) {
        leave_trial(fetched, entry);
        count = calls_for(fetched, entry);
    } else {
        count = begin_trial(fetched, entry, ask->op_is_next, stream);
        if (count == 1 && fetched->timed != entry && fetched->made >= MANY &&
            !kesco_fetch_calls_know(&fetched->calls))
            count = 2; /* that shows whether calls tell on busy streams, too */
    }
    if (count > 0)
        kesco_fetch_calls_start(&fetched->calls, count);
    return count;
}

/* Where something had to be moved before, one fetch for nothing does not count. */
static void settle_by_calls(struct kesco_fetched_entry *entry, enum kesco_fetch_verdict verdict) {
    if (entry == NULL || !entry->is_told || verdict == KESCO_FETCH_UNKNOWN)
        return;
    if (verdict == KESCO_FETCH_NOTHING && entry->sure > 0)
        entry->sure = 0;
    else
        settle(entry, verdict == KESCO_FETCH_MOVED);
    if (entry->sure < CERTAIN)
        entry->fetches = 0;
}

void kesco_fetched_mark(struct kesco_fetched *fetched) {
    settle_by_calls(fetched->told, kesco_fetch_calls_mark(&fetched->calls));
    if (fetched->timed == NULL || fetched->trial != KESCO_FETCHED_LARGE)
        return;
    kesco_fetch_clock_mark(&fetched->clock);
    kesco_fetch_calls_restart(&fetched->calls);
}

void kesco_fetched_end_op(struct kesco_fetched *fetched) {
    kesco_fetch_clock_mark(&fetched->clock);
}

void kesco_fetched_give_up(struct kesco_fetched *fetched) {
    fetched->timed = NULL;
    kesco_fetch_clock_stop(&fetched->clock);
}
