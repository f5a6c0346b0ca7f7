/*
 * Whether a region's lanes are worth what they cost. The region's ops, as they are issued, are placed on two
 * time lines, as one stream would run them and as the lanes would, with estimates of what each op takes
 * (struct kesco_site) and of what calls cost. A region begins on the one stream and makes no call of its own.
 * It gets lanes once what they would have saved so far comes to what it costs to make them: whoever buys only
 * then has never paid more than twice what would have been best (ski rental; Karlin et al., "Competitive
 * randomized algorithms for non-uniform problems", SODA 1990). That may be before any of its ops; what comes
 * after that op, and it, is on lanes, after all that was before. Lanes that cost more than they save are
 * given up in the same way. Estimates are corrected by the clock (contest.h), which alone makes lanes that
 * have come go where they are slower all the same. On the virtual GPU the same run takes the same decisions.
 */
#ifndef KESCO_RUNTIME_REGION_GOVERNOR_H
#define KESCO_RUNTIME_REGION_GOVERNOR_H

#include "runtime/kesco_abi.h"
#include "runtime/region/interval.h"
#include "runtime/region/outlook.h"

#include <stdbool.h>
#include <stdint.h>

#define KESCO_NO_LANE UINT32_MAX

enum { KESCO_GOVERNED_EVENTS = 64 }; /* whose times are known; others count as past */

/* What an opening had before its last fence. */
struct kesco_fenced {
    bool is_uncounted; /* nobody counted all of the ops */
    uint32_t ops;
    uint64_t raw; /* as below */
};

/* Since when the device times what is issued. */
struct kesco_governor_timing {
    uint64_t began; /* by the clock, */
    uint32_t ops;   /* after so many ops of the opening, */
    uint64_t raw;   /* which take so long; */
    uint64_t due;   /* and when all is done that was timed, as estimated, by the clock; 0: nobody asks */
};

/* Where the time lines, and the clock, were when the host had waited for all that there was. */
struct kesco_governor_waited {
    uint64_t at, host, raw, copied;
    uint32_t ops;
    uint64_t lanes; /* on which something was issued since then, a bit each; */
    bool has_lanes; /* the region has, */
    bool is_mixed;  /* and that has changed since then */
    bool may_fault; /* ops may have waited for memory that the host had meanwhile */
};

/* What a region had before a call that may let the host wait for it, and with which it is closed; or that
 * records an event, for which the host may wait. */
struct kesco_expected_wait {
    struct kesco_history *history;  /* of the region; NULL: nothing is expected */
    const void *event;              /* NULL: there is none */
    int64_t credit;                 /* that it had when it was opened */
    uint64_t opened, called;        /* when it was, and when the call began, by the clock */
    struct kesco_interval interval; /* what it had by then */
};

/* How the region is dealt with, in this opening. */
struct kesco_governor_way {
    bool measures; /* it is serial to see what that takes */
    bool doubts;   /* it has no lanes again before the device has said what ops take */
    bool turns;    /* KESCO_MODE_TURNS */
    bool forks;    /* lanes wait for the origin first, and it waits for each in the end */
    bool captured; /* into a graph of the program's: the first long op says whether it gets lanes */
};

struct kesco_governor_guard {
    bool is_guarded; /* the ops are, as far as is known, */
    bool asks;       /* and the guard is asked though the region is serial: lanes may soon come */
    bool owes;       /* lanes that a fence ended, which nobody has paid for */
};

struct kesco_governor_placed {
    uint32_t serial; /* ops that were placed before there were lanes, */
    uint32_t ops;    /* and all that were, */
    uint32_t marks;  /* and so many records and waits between them */
    uint64_t raw;    /* what they take, whatever the clock said, */
    uint64_t copied; /* and copies of that */
};

/* The op that was placed last. */
struct kesco_governor_op {
    uint64_t takes;
    uint64_t beside; /* how much of that others may take beside it */
    uint64_t called; /* when a call began that may let the host wait for it, by the clock; 0: none has */
    uint64_t
        waited; /* so long the host waited in the call that issued it, as copies to pageable memory let it */
};

/* Time lines, in nanoseconds from where they begin. */
struct kesco_governor_lines {
    uint64_t host;       /* the host's in the serial program, */
    uint64_t device;     /* the end of all ops there, */
    uint64_t lanes_host; /* the host's with lanes, */
    uint64_t lanes_all;  /* the end of all ops then, */
    uint64_t before;     /* the same without the last op, */
    uint64_t aligned;    /* what comes before all lanes, */
    uint64_t computing;  /* how long multiprocessors are taken as a whole, */
    uint64_t copying[2]; /* and until when the engines for copies are */
};

/* What has been placed since the time lines began, and what is known of it. */
struct kesco_governor_part {
    bool is_unknown;  /* an op's time is not known, so nothing else is */
    uint64_t put_off; /* with lanes: the end of what the host has put off waits for; 0: nothing */
    uint64_t opened;  /* when all this began, by the clock; 0: nothing is measured */
    struct kesco_outlook_start since; /* then, of what lanes have saved */
    struct kesco_governor_guard guard;
    struct kesco_governor_placed placed;
    struct kesco_governor_op op;
    struct kesco_governor_waited waited;
    struct kesco_governor_lines lines;
};

struct kesco_governor {
    const struct kesco_region *region;
    struct kesco_contest *contest; /* of the region, while it is open; NULL: nothing is measured */
    struct kesco_governor_way way;
    bool on_lanes;   /* some of what is issued is */
    bool counts;     /* what is issued is placed */
    uint32_t fences; /* since it last had lanes (kesco_governor_begin_anew) */
    struct kesco_fenced fenced;
    struct kesco_governor_timing timing;
    struct kesco_governor_part part;
    uint64_t events[KESCO_GOVERNED_EVENTS]; /* when an event's record is reached, */
    uint64_t lanes[KESCO_LANES_MOST];       /* and the ends of what the lanes have */
};

/* KESCO_MODE_ of the region, as the environment has it, or else the compiler. */
uint32_t kesco_governor_mode(const struct kesco_region *region);

/* True if lanes would have saved so much in the region's openings so far that they may come to pay. */
bool kesco_governor_may_pay(const struct kesco_region *region);

/* The same with what has been placed since it was opened, serial as it is. */
bool kesco_governor_is_on_the_way(const struct kesco_governor *governor);

/* The region's contest, whoever has it; NULL: there is none yet. */
struct kesco_contest *kesco_governor_contest_of(const struct kesco_region *region);

/* True if lanes may come to pay, but only if the device lags behind what the region, which is not open, has
 * issued, and it is to be asked whether it is idle. The second: it is. */
bool kesco_governor_asks_for_idle(const struct kesco_region *region);
void kesco_governor_note_idle(const struct kesco_region *region);

/* Begins with a region that is opened. Returns why it is to be serial for now, or NULL: it is to have lanes.
 */
const char *kesco_governor_open(struct kesco_governor *governor, const struct kesco_region *region);

/* The same where what it issues is captured into a graph of the program's. */
const char *kesco_governor_open_captured(struct kesco_governor *governor, const struct kesco_region *region);

/*
 * How long the op takes, in nanoseconds, about; `amount`: as __kesco1_lane has it, and known. Stores in
 * `*share` how much of the multiprocessors it takes, in 256ths.
 */
uint64_t kesco_governor_estimate(const struct kesco_site *site, uint64_t amount, uint64_t *share);

/* True if that may be off by a hundred times: it comes from loops that many threads may not go through. */
bool kesco_governor_is_guess(const struct kesco_site *site, uint64_t amount);

/*
 * How much of `duration`, which the op takes, others may take beside it, if they have as many threads and as
 * much more to do than they seem to as it has; `scale`: what estimates are to be taken for (contest.h).
 */
uint64_t kesco_governor_estimate_beside(const struct kesco_site *site, uint64_t amount, uint64_t duration,
                                        uint32_t scale);

/* The later of two times. */
static inline uint64_t kesco_later(uint64_t one, uint64_t other) {
    return one > other ? one : other;
}

/*
 * Time lines of a host and of a stream, in nanoseconds: the host issues an op that takes so long; and what is
 * issued by `host` already follows on the stream.
 */
void kesco_governor_queue(uint64_t *host, uint64_t *device, uint64_t duration);
void kesco_governor_follow(uint64_t host, uint64_t *device, uint64_t duration);

/* The end of what the lane, or the origin in its place, comes after. */
uint64_t kesco_governor_end_of(const struct kesco_governor *governor, uint32_t lane);

/* An op is next on `lane`, KESCO_LANE_ORIGIN included. `amount`: as __kesco1_lane has it. */
void kesco_governor_place(struct kesco_governor *governor, uint32_t lane, const struct kesco_site *site,
                          uint64_t amount);

/* These do nothing where nothing is placed. */
void kesco_governor_record(struct kesco_governor *governor, uint32_t event, uint32_t lane);
void kesco_governor_wait(struct kesco_governor *governor, uint32_t event, uint32_t lane);

/* All that has been placed counts no more: the time lines begin anew. */
void kesco_governor_begin(struct kesco_governor *governor, const struct kesco_region *region);

/* The op placed next is guarded: lanes are made only when the guard has let some ops pass. */
void kesco_governor_note_guard(struct kesco_governor *governor);

/* The op placed last comes after all before it, and what follows after it: its guard failed. */
void kesco_governor_note_fence(struct kesco_governor *governor);

/* A call begins that lets the host wait. */
void kesco_governor_expect_host(struct kesco_governor *governor);

/* The call that issued the op placed last has come back; it may have let the host wait. */
void kesco_governor_note_call(struct kesco_governor *governor);

/* In the serial program, the host waits for all that has been issued; with lanes, for `lane` alone, or for
 * KESCO_NO_LANE. */
void kesco_governor_note_host(struct kesco_governor *governor, uint32_t lane);

/* The region has lanes from the op on that is next, or not. */
void kesco_governor_change(struct kesco_governor *governor, bool has_lanes);

/* The host could tell by now: with lanes, it waits for what was put off, lane by lane. */
void kesco_governor_note_settled(struct kesco_governor *governor);

/* It has waited, after that: what was placed before the wait is done. */
void kesco_governor_note_waited(struct kesco_governor *governor);

/* What lanes save in all that has been placed, in nanoseconds; less than 0 if they cost more. */
int64_t kesco_governor_saving(const struct kesco_governor *governor);

/* The region, which is open for long, has lanes, and what is issued from here on is counted again. */
void kesco_governor_look_again(struct kesco_governor *governor);

/* True if it is time to make lanes, after kesco_governor_place; `origin`: where the op comes next if not. */
bool kesco_governor_pays(struct kesco_governor *governor, void *origin);

/* The region has got lanes, or shall have had them. */
void kesco_governor_note_lanes(struct kesco_governor *governor);

/* Lanes are of no use as things are: a guard failed. It takes long to try again. */
void kesco_governor_note_refusal(struct kesco_governor *governor);

/* A guard failed, but what follows may have lanes. True: it is to have them at once. */
bool kesco_governor_begin_anew(struct kesco_governor *governor);

/* True if enough has been placed to say that lanes cost more than they saved, or that the device is to say
 * first what ops take; it begins anew then. */
bool kesco_governor_gives_up(struct kesco_governor *governor);

/*
 * The device is to time what the region issues from here on, now and then (contest.h): it has lanes or not.
 * Or, that has changed, or its ops are not issued as it says.
 */
void kesco_governor_begin_timing(struct kesco_governor *governor, void *origin, bool has_lanes);
void kesco_governor_drop_timing(struct kesco_governor *governor);

/* The opening ends, and so does what is timed. */
void kesco_governor_end_timing(struct kesco_governor *governor, void *origin);

/*
 * True if the device is to say first what the region's ops take, serial as it is: it is asked for some of
 * them, unless it has been. False at once where it does not say; and where it is not done when it should be,
 * as then the ops take no less than they are taken for.
 */
bool kesco_governor_awaits_word(struct kesco_governor *governor, void *origin);

/* True if it is worth while to ask the device what ops take, of which lanes save `saving` nanoseconds in all.
 */
bool kesco_governor_affords_word(const struct kesco_governor *governor, int64_t saving);

/* What the serial program takes for so many ops, about, whatever the clock said. */
uint64_t kesco_governor_estimate_serial(const struct kesco_governor *governor, uint32_t ops);

/* Ops of the opening, 0 if nobody has counted them all; and what they take, whatever the clock said. */
uint32_t kesco_governor_count_ops(const struct kesco_governor *governor);
uint64_t kesco_governor_find_raw(const struct kesco_governor *governor);

/*
 * The region is about to be closed, before a call that may let the host wait for all that it has; and, the
 * call has come back. If it took long enough to have waited, the region's ops took no longer than until now.
 */
void kesco_governor_expect_wait(const struct kesco_governor *governor, struct kesco_expected_wait *expected);
void kesco_governor_end_wait(struct kesco_expected_wait *expected);

/* The call has recorded `event`, and lets the host wait for nothing. Then, if not NULL, the host is to wait
 * for that; or for all of its stream. */
void kesco_governor_note_record(struct kesco_expected_wait *expected, const void *event);
void kesco_governor_expect_event(struct kesco_expected_wait *expected, const void *event);

/* The region is closed, all of which the origin comes after. */
void kesco_governor_close(struct kesco_governor *governor, void *origin);

#endif
