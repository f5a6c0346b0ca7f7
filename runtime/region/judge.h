/*
 * Whether what comes again in a region is to be replayed, with KESCO_MODE_AUTO: by estimates of what graphs
 * save (forecast.h), by what was measured with graphs and without (trial.h), of the passes that are looked at
 * (attention.h), and never for more than a small part of the program's time.
 */
#ifndef KESCO_RUNTIME_REGION_JUDGE_H
#define KESCO_RUNTIME_REGION_JUDGE_H

#include "runtime/region/attention.h"
#include "runtime/region/forecast.h"
#include "runtime/region/governor.h"
#include "runtime/region/path.h"
#include "runtime/region/trial.h"

struct kesco_judge_waits {
    bool are_usual;  /* the host waits behind each pass, of late */
    uint32_t passes; /* since it did */
};

struct kesco_judge_opening {
    bool is_fresh;   /* no op has come since the region was opened, which was when the row went on */
    uint32_t passes; /* since then */
    uint32_t asked;  /* at so many of them, the device was last asked whether it has work */
};

struct kesco_judge_graphs {
    bool are_there;     /* some were made */
    bool have_branches; /* they are to, where lanes would overlap; else they are chains so far */
    int64_t saved;      /* so far, in nanoseconds */
    int64_t credit;     /* of the next path: others have earned what branches cost */
};

struct kesco_judge {
    const struct kesco_region *region;
    uint32_t mode;                         /* KESCO_MODE_ */
    const struct kesco_governor *governor; /* of the region, while it is open */
    uint64_t passes;                       /* so far */
    struct kesco_attention attention;
    struct kesco_forecast forecast;
    struct kesco_trial trial;
    uint32_t usual; /* ops of the pass that was launched one by one last */
    struct kesco_judge_graphs graphs;
    struct kesco_judge_opening opening;
    struct kesco_judge_waits waits;
};

void kesco_judge_init(struct kesco_judge *judge, const struct kesco_region *region);

/* The region is opened, and closed. */
void kesco_judge_open(struct kesco_judge *judge, const struct kesco_governor *governor);
void kesco_judge_close(struct kesco_judge *judge);

/* True if what is replayed is a chain: one lane, or ops that were found to be placed in vain. */
bool kesco_judge_is_of_chain(const struct kesco_judge *judge);

/* True if passes that overlap are of no use, or not known to be: their graphs are chains. */
bool kesco_judge_takes_short_passes(const struct kesco_judge *judge);

/* True if graphs of `path` seem to pay, whether or not they can be afforded yet. */
bool kesco_judge_hopes(const struct kesco_judge *judge, const struct kesco_path *path);

/* True if passes on `path` are to be put off, if they can be. With modes other than automatic: whenever it
 * can.
 */
bool kesco_judge_allows(const struct kesco_judge *judge, const struct kesco_path *path);

/* True if the op of `site` belongs to no pass. `*woke`: a pass begins with it, after others that did not. */
bool kesco_judge_lets_pass(struct kesco_judge *judge, const struct kesco_site *site, bool *woke);

/* True if the device is to be asked whether it has work, as a pass begins: estimates say that it has, and
 * that is why graphs seem to save nothing. It took so many nanoseconds for what it was expected to take
 * others.
 */
bool kesco_judge_wants_device(struct kesco_judge *judge);
void kesco_judge_note_device(struct kesco_judge *judge, uint64_t expected, uint64_t took);

/* A pass begins, which is put off or not. */

void kesco_judge_begin(struct kesco_judge *judge, bool is_put_off);

/* The op of `site` was added to `pass`. `amount`: as __kesco1_lane has it. */
void kesco_judge_place(struct kesco_judge *judge, const struct kesco_pass *pass,
                       const struct kesco_site *site, uint64_t amount);

/* The host is about to wait behind the pass that ended last; and, it has waited for all that there is. */
void kesco_judge_expect_host(struct kesco_judge *judge);
void kesco_judge_note_host(struct kesco_judge *judge);

/* So many nodes get other arguments, or would; such a graph was made, in that time. */
void kesco_judge_note_update(struct kesco_judge *judge, uint32_t nodes);
void kesco_judge_note_graph(struct kesco_judge *judge, struct kesco_shape shape, uint64_t took);

/* `pass`, which is on `path`, ends: it was put off or not, and launched as a graph or not. */
void kesco_judge_end(struct kesco_judge *judge, struct kesco_path *path, const struct kesco_pass *pass,
                     bool is_put_off, bool is_graph);

/* The path is not to be taken for long. */
void kesco_judge_refuse(struct kesco_path *path);

#endif
