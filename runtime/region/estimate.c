/* How long ops take, as far as anybody can say before they have run (governor.h). */
#include "runtime/region/governor.h"

#include "runtime/region/contest.h"

/* What the device takes in any case, in nanoseconds. */
enum {
    KERNEL = 2000, /* a kernel that does nothing */
    COPY = 1000,   /* a copy of nothing */
};

/*
 * A device in the middle of those in use: how long a thread takes for an instruction where enough others run
 * beside it to fill the device, and how many those are; the part of that which it takes in any case, as it
 * may go on each few clocks, with several accesses on their way at a time; bytes a nanosecond of its memory,
 * and of the way to the host.
 */
enum { INSTRUCTION = 10, THREADS = 240000, ALONE = 3, MEMORY_RATE = 2000, LINK_RATE = 25 };

/* So many instructions a kernel may have without a loop. */
enum { WITHOUT_LOOPS = 2000 };

static uint64_t threads_of(uint64_t amount) {
    return amount & KESCO_AMOUNT_MOST_THREADS;
}

/* Instructions that a thread of the launch runs. */
static uint64_t work_of(const struct kesco_site *site, uint64_t amount) {
    const uint64_t told = amount >> KESCO_AMOUNT_WORK;

    return told != 0 ? told : site->work;
}

/* How much longer so many threads take than those that fill the device. */
static double pace(uint64_t threads) {
    const uint64_t least = THREADS / ALONE;

    return (double)(threads < least ? least : threads) / THREADS;
}

uint64_t kesco_governor_estimate(const struct kesco_site *site, uint64_t amount, uint64_t *share) {
    uint64_t threads;

    *share = 0;
    if (site->unit == KESCO_UNIT_NONE)
        return 0;
    if (site->unit != KESCO_UNIT_MULTIPROCESSORS)
        return COPY + amount / LINK_RATE;
    if (site->work == 0)
        return COPY + amount / MEMORY_RATE;
    threads = threads_of(amount);
    *share = threads < THREADS ? threads * 256 / THREADS : 256;
    return KERNEL + (uint64_t)((double)work_of(site, amount) * INSTRUCTION * pace(threads));
}

bool kesco_governor_is_guess(const struct kesco_site *site, uint64_t amount) {
    return site->unit == KESCO_UNIT_MULTIPROCESSORS && work_of(site, amount) > WITHOUT_LOOPS;
}

uint64_t kesco_governor_estimate_beside(const struct kesco_site *site, uint64_t amount, uint64_t duration,
                                        uint32_t scale) {
    const uint64_t threads = site->work == 0 ? 0 : threads_of(amount);
    const double told = site->work == 0 ? 1 : (double)work_of(site, amount) / site->work;
    const double beside = (double)site->beside * INSTRUCTION * pace(threads) * told * scale / KESCO_SCALE;

    return beside < (double)duration ? (uint64_t)beside : duration;
}
