/*
 * What replaying a region's launches as graphs saves: time lines of the serial program and of graphs, by
 * estimates of what ops take (governor.h) and of what calls cost, since the region was opened, or since one
 * of the openings before it that it followed at once. Times are nanoseconds.
 */
#ifndef KESCO_RUNTIME_REGION_FORECAST_H
#define KESCO_RUNTIME_REGION_FORECAST_H

#include "runtime/region/pass.h"

/* With graphs of one form. */
struct kesco_forecast_graphs {
    uint64_t host, device;
    int64_t saved; /* by them, when the last pass ended */
};

struct kesco_forecast {
    uint64_t host, device; /* in the serial program: the host's time, and the end of all ops */
    struct kesco_forecast_graphs graphs[KESCO_FORMS]; /* the same with graphs */
    uint64_t ends[KESCO_PASS_OPS]; /* of the pass: when each op ends, from its launch on, in a graph */
    uint64_t each;                 /* how long its ops take, one after the other, */
    uint64_t computing;            /* and the multiprocessors as a whole */
    bool is_unknown;               /* how long some op of it takes */
    uint64_t end;                  /* of all, in the serial program, when the last pass ended, */
    int64_t gain;                  /* and what lanes had saved by then */
    uint64_t launch; /* what it takes to launch a graph, beside its nodes; whoever makes this sets it */
    uint32_t scale;  /* what ops are taken for, in 256ths of estimates; 0: as they are */
};

/* The region is opened; lanes would have saved `gain` by now. */
void kesco_forecast_open(struct kesco_forecast *forecast, int64_t gain);

/* True if, by estimates, the device still has work that it was given in passes before. */
bool kesco_forecast_is_behind(const struct kesco_forecast *forecast);

/* What was expected to take the device so many nanoseconds took so many. */
void kesco_forecast_correct(struct kesco_forecast *forecast, uint64_t expected, uint64_t took);

/* A pass begins. */
void kesco_forecast_begin(struct kesco_forecast *forecast);

/* The op of `site` was added to `pass`. `amount`: as __kesco1_lane has it; `scale`: what estimates of ops are
 * to be taken for (contest.h). */
void kesco_forecast_place(struct kesco_forecast *forecast, const struct kesco_pass *pass,
                          const struct kesco_site *site, uint64_t amount, uint32_t scale);

/* The host works for so long: beside the device in the serial program, but before the launch of a graph. */
void kesco_forecast_work(struct kesco_forecast *forecast, uint64_t duration);

/* So many nodes of a graph are given other arguments, or would have to be. */
void kesco_forecast_update(struct kesco_forecast *forecast, uint32_t nodes);

/* The host waits for all that there is. */
void kesco_forecast_wait(struct kesco_forecast *forecast);

/* It waits so in the serial program, and graphs put that off. */
void kesco_forecast_wait_each(struct kesco_forecast *forecast);

/*
 * The pass ends. Stores what it saves as a graph of each form, beyond what lanes would have, with `gain` what
 * they would have saved since the region was opened. Estimates are not good enough for less than a part of
 * its time: that counts as nothing.
 */
void kesco_forecast_end(struct kesco_forecast *forecast, const struct kesco_pass *pass, int64_t gain,
                        int64_t savings[KESCO_FORMS]);

/* What it takes the host to collect such launches, and to launch a graph of them. */
uint64_t kesco_forecast_host_time(const struct kesco_forecast *forecast, struct kesco_shape shape);

/* True if the host launches such kernels faster as a graph, some of which get other arguments, clearly. */
bool kesco_forecast_is_shorter(const struct kesco_forecast *forecast, struct kesco_shape shape,
                               uint32_t updates);

/* What such a graph saves at most, by launch: where the device is never waited for. */
double kesco_forecast_most_saved(const struct kesco_forecast *forecast, struct kesco_shape shape);

/* To make such a graph, or to launch one, took the host so long. */
void kesco_forecast_note_made(struct kesco_shape shape, uint64_t took);
void kesco_forecast_note_launched(struct kesco_forecast *forecast, struct kesco_shape shape, uint64_t took);

/* What it costs to make such a graph, and to give so many nodes other arguments. */
int64_t kesco_forecast_price(struct kesco_shape shape);
uint64_t kesco_forecast_price_of_updates(uint32_t nodes);

#endif
