/*
 * What a region's openings take by the clock, with lanes and without: it corrects the governor's estimates,
 * and lanes that turn out to be slower are given up. Rows of openings count, from begin to begin (trial.h);
 * where the host waits within the serial region for all that it has issued, what was issued took no longer
 * than that; and of some openings the device itself says how long it had work (span.h), which shows what
 * kernels take that nobody could foretell, whether the host waits or not. Times are nanoseconds, but for the
 * device's of the host's monotonic clock.
 */
#ifndef KESCO_RUNTIME_REGION_CONTEST_H
#define KESCO_RUNTIME_REGION_CONTEST_H

#include "runtime/region/interval.h"
#include "runtime/region/span.h"
#include "runtime/region/trial.h"

#include <stdatomic.h>
#include <stdint.h>

enum { KESCO_SCALE = 256 }; /* estimates count as they are */

/* Openings of one kind that the device has timed. */
struct kesco_spans {
    uint32_t openings; /* of the kind so far, */
    uint32_t due;      /* and at which the next one is timed */
    uint32_t asked;    /* that were to be timed, */
    uint32_t count;    /* and of which the time is known */
    double rate;       /* what an op takes */
};

/* An opening that was timed. */
struct kesco_opening {
    uint32_t ops;  /* that it had, */
    uint64_t raw;  /* for which they were taken, unscaled, */
    uint64_t end;  /* when lanes were estimated to be done with them; 0: nobody counted, */
    uint64_t host; /* and how long it was open */
};

/* The one that is being timed, or was last. */
struct kesco_timed {
    struct kesco_span span;
    bool has_lanes;
    uint32_t since; /* openings since it ended */
    struct kesco_opening opening;
};

/* What estimates are worth. */
struct kesco_contest_known {
    bool is_guessed;    /* they have guesses in them, */
    bool is_checked;    /* and some clock has been held against them */
    bool is_timed;      /* the scale is the device's word, or that of the host's waits */
    bool is_dared;      /* lanes have been tried against them */
    bool is_idle;       /* the device has been found to be, where they had it behind */
    bool has_intervals; /* it is those that say whether lanes are slower */
    uint32_t awaited;   /* times that the host has waited for the region's ops, up to so many */
};

struct kesco_contest_openings {
    uint64_t estimated; /* for what the rows of the serial region had, unscaled, */
    uint64_t ops;       /* and how many ops that was */
    uint64_t saving;    /* what lanes are estimated to save in an opening, the most of late */
    uint32_t usual;     /* ops of the opening before */
};

struct kesco_contest {
    atomic_flag taken; /* by a thread, while it has the region open */
    uint32_t scale;    /* what estimates of ops are to be taken for, in 256ths; 0: as they are */
    uint32_t patience; /* serial intervals until one may say again that ops take longer than estimated */
    uint32_t losses;   /* lanes that were made after fences, and cost more than they saved */
    uint32_t waits;    /* of the host while it was serial, that could have been put off */
    struct kesco_contest_known known;
    struct kesco_contest_openings openings;
    struct kesco_trial trial; /* "graph" is with lanes */
    struct kesco_timed timed;
    struct kesco_spans serial, lanes; /* openings without and with lanes, as the device timed them */
    struct kesco_intervals intervals; /* from one wait of the host to the next */
};

/* The calling thread opens the region, whose contest `*place` has, NULL at first. NULL: nothing is measured.
 */
struct kesco_contest *kesco_contest_open(struct kesco_contest **place, uint64_t now);

/* It closes it. `ops` that were placed, 0 if nobody counted; they were estimated to take so long in all. */
void kesco_contest_close(struct kesco_contest *contest, uint32_t ops, uint64_t estimated, bool has_lanes);

/* What was estimated to take so long took no longer than that. True if that changes the scale much. */
bool kesco_contest_limit(struct kesco_contest *contest, uint64_t estimated, uint64_t took);

/*
 * The host has waited for all that the region had. Corrects what ops are taken for, from below by how long
 * the host waited, from above by the whole of the interval. True if that changes the scale much. The second:
 * of a region that is closed; nothing happens while a thread has it open.
 */
bool kesco_contest_note_interval(struct kesco_contest *contest, const struct kesco_interval *interval);
bool kesco_contest_note_interval_closed(struct kesco_contest *contest, const struct kesco_interval *interval);

/*
 * True if the thread's serial openings, of whatever region, were estimated to take longer than all that has
 * passed since the first of them, and nothing says what those of this region, if there were any, do take: the
 * device lags behind, or estimates are off. The second: it is to be asked whether it is idle, at some of the
 * openings. The third: it is, so it does not lag. Else timing will tell.
 */
bool kesco_contest_is_contradicted(const struct kesco_contest *contest);
bool kesco_contest_asks_for_idle(const struct kesco_contest *contest);
void kesco_contest_note_idle(struct kesco_contest *contest);

/* The thread's openings so far count no more. */
void kesco_contest_forget_openings(void);

/*
 * The device is to time the opening, whose ops all come after what `origin` has by now, if it is one of
 * those that are timed; what was timed before is read.
 */
void kesco_contest_begin_timing(struct kesco_contest *contest, cudaStream_t origin, bool has_lanes);

/*
 * The device may say what serial ops take, and has not yet. Asks for that from what `origin` has by now on,
 * where the purse allows it, until kesco_contest_end_timing; and reads it, which may be in vain.
 */
bool kesco_contest_needs_word(const struct kesco_contest *contest);
void kesco_contest_begin_word(struct kesco_contest *contest, cudaStream_t origin);
void kesco_contest_read_word(struct kesco_contest *contest);

/* True if the device has been asked, or may be though that is likely to be of no use. */
bool kesco_contest_spares_word(const struct kesco_contest *contest);

/* True if the program has run for long enough to lose that much, in nanoseconds, by asking. */
bool kesco_contest_affords_word(uint64_t loss);

bool kesco_contest_is_being_timed(const struct kesco_contest *contest);

/* The opening was like that, and all its ops are before what `origin` gets next; or, it was partly with
 * lanes, partly without. */
void kesco_contest_end_timing(struct kesco_contest *contest, cudaStream_t origin,
                              const struct kesco_opening *opening);
void kesco_contest_drop_timing(struct kesco_contest *contest);

/* True if the region's estimates have guesses in them, and no clock has been held against them. */
bool kesco_contest_is_blind(const struct kesco_contest *contest);

/* True if some clock has been held against the region's estimates. */
bool kesco_contest_is_checked(const struct kesco_contest *contest);

/* True if the host has waited for the region's ops some times, in it or right behind it. */
bool kesco_contest_is_awaited(const struct kesco_contest *contest);

/* What ops are taken for, in 256ths of what they are estimated at; and copies, which nobody has to guess. */
uint32_t kesco_contest_scale(const struct kesco_contest *contest);
uint32_t kesco_contest_copy_scale(const struct kesco_contest *contest);

/* Lanes are estimated to save so much in an opening. */
void kesco_contest_note_saving(struct kesco_contest *contest, int64_t saving);

/* What it costs to measure the region without lanes, by estimates, in nanoseconds. */
int64_t kesco_contest_price(const struct kesco_contest *contest);

/*
 * True if lanes have been measured, and what comes next is to show what it is without them. What lanes would
 * have saved meanwhile is a small part of the program's time.
 */
bool kesco_contest_wants_serial(const struct kesco_contest *contest);

/*
 * True if lanes may be tried though estimates see nothing to gain: the device has said what the region takes
 * without them and was never idle then, and they have not been tried so before. The next one says that they
 * are.
 */
bool kesco_contest_may_dare(const struct kesco_contest *contest);
void kesco_contest_dare(struct kesco_contest *contest);

/* True if lanes that were tried so are faster by the device's word, or it has not said enough yet. */
bool kesco_contest_trusts_lanes(const struct kesco_contest *contest);

/* True if lanes were found to be slower not long ago. */
bool kesco_contest_forbids(const struct kesco_contest *contest);

#endif
