#include "runtime/region/forecast.h"

#include "runtime/region/contest.h"
#include "runtime/region/cost.h"
#include "runtime/region/governor.h"
#include "runtime/region/price.h"

/*
 * What graphs cost the host beside what is measured (cost.h), in nanoseconds: estimates between what is
 * published. To collect an op and compare it; what each node adds to a launch, and each branch; to change a
 * node; to make a graph. And what less of a device's time a kernel takes that does nothing than one in a
 * stream.
 */
enum { COLLECT = 50, NODE = 100, BRANCH = 900, UPDATE = 600, MAKE = 10000, NEARER = 800 };

/* To make a node that begins a branch takes as long as so many others, as measured on an H100. */
enum { BRANCH_NODES = 3 };

/* Estimates are not good enough to tell a part of the time that is so small. */
enum { LITTLE = 8 };

/* Nothing is taken for more than so many times what it is estimated. */
enum { MOST_SCALE = 256 * KESCO_SCALE };

/* What saves less than this part of the time is not worth a graph. */
enum { WORTH = 32 };

void kesco_forecast_open(struct kesco_forecast *forecast, int64_t gain) {
    *forecast = (struct kesco_forecast){.gain = gain, .launch = forecast->launch, .scale = forecast->scale};
}

static uint32_t scale_of(const struct kesco_forecast *forecast) {
    return forecast->scale == 0 ? (uint32_t)KESCO_SCALE : forecast->scale;
}

bool kesco_forecast_is_behind(const struct kesco_forecast *forecast) {
    return forecast->device > forecast->host + forecast->host / LITTLE;
}

void kesco_forecast_correct(struct kesco_forecast *forecast, uint64_t expected, uint64_t took) {
    const double scale = scale_of(forecast) * (double)took / (double)expected;

    forecast->scale = scale < 1 ? 1 : scale > MOST_SCALE ? (uint32_t)MOST_SCALE : (uint32_t)scale;
    kesco_forecast_open(forecast, forecast->gain);
}

void kesco_forecast_begin(struct kesco_forecast *forecast) {
    forecast->each = forecast->computing = 0;
    forecast->is_unknown = false;
}

/* The host takes so much longer with graphs of either form. */
static void add_host(struct kesco_forecast *forecast, uint64_t duration) {
    uint32_t form;

    for (form = 0; form < KESCO_FORMS; form++)
        forecast->graphs[form].host += duration;
}

/* In a graph. */
static uint64_t shorten(uint64_t duration) {
    return duration > NEARER ? duration - NEARER : 0;
}

void kesco_forecast_place(struct kesco_forecast *forecast, const struct kesco_pass *pass,
                          const struct kesco_site *site, uint64_t amount, uint32_t scale) {
    const uint32_t op = pass->count - 1;
    uint64_t duration, share, begin = 0, left;

    if (amount == KESCO_AMOUNT_UNKNOWN) {
        forecast->is_unknown = true;
        return;
    }
    duration = kesco_governor_estimate(site, amount, &share) * scale / KESCO_SCALE * scale_of(forecast) /
               KESCO_SCALE;
    kesco_governor_queue(&forecast->host, &forecast->device, duration);
    for (left = pass->ops[op].before; left != 0; left &= left - 1)
        begin = kesco_later(begin, forecast->ends[__builtin_ctzll(left)]);
    forecast->ends[op] = begin + shorten(duration);
    forecast->each += shorten(duration);
    forecast->computing += duration * share / 256;
    add_host(forecast, COLLECT);
}

void kesco_forecast_work(struct kesco_forecast *forecast, uint64_t duration) {
    forecast->host += duration;
    add_host(forecast, duration);
}

void kesco_forecast_update(struct kesco_forecast *forecast, uint32_t nodes) {
    add_host(forecast, kesco_forecast_price_of_updates(nodes));
}

void kesco_forecast_wait_each(struct kesco_forecast *forecast) {
    forecast->host = kesco_later(forecast->host, forecast->device);
}

void kesco_forecast_wait(struct kesco_forecast *forecast) {
    uint32_t form;

    kesco_forecast_wait_each(forecast);
    for (form = 0; form < KESCO_FORMS; form++)
        forecast->graphs[form].host = kesco_later(forecast->graphs[form].host, forecast->graphs[form].device);
}

/* What it takes to launch a graph's nodes. */
static uint64_t launch_nodes(struct kesco_shape shape) {
    return (uint64_t)shape.launches * NODE + (uint64_t)shape.branches * BRANCH;
}

/* How long a graph of the pass takes the device. */
static uint64_t find_span(const struct kesco_forecast *forecast, const struct kesco_pass *pass,
                          enum kesco_form form) {
    uint64_t span = forecast->computing;
    uint32_t op;

    if (form == KESCO_FORM_CHAIN)
        return kesco_later(span, forecast->each);
    for (op = 0; op < pass->count; op++)
        span = kesco_later(span, forecast->ends[op]);
    return span;
}

/* How much earlier all ends with graphs of that form, which the pass that has ended is one of. */
static int64_t launch_graph(struct kesco_forecast *forecast, const struct kesco_pass *pass,
                            enum kesco_form form, uint64_t end) {
    struct kesco_forecast_graphs *graphs = &forecast->graphs[form];

    graphs->host += forecast->launch + launch_nodes(kesco_shape_of(pass->count, pass->branches, form));
    kesco_governor_follow(graphs->host, &graphs->device, find_span(forecast, pass, form));
    return (int64_t)end - (int64_t)kesco_later(graphs->host, graphs->device);
}

void kesco_forecast_end(struct kesco_forecast *forecast, const struct kesco_pass *pass, int64_t gain,
                        int64_t savings[KESCO_FORMS]) {
    const uint64_t end = kesco_later(forecast->host, forecast->device), took = end - forecast->end;
    uint32_t form;

    for (form = 0; form < KESCO_FORMS; form++) {
        struct kesco_forecast_graphs *graphs = &forecast->graphs[form];
        const int64_t before = graphs->saved - forecast->gain,
                      saved = launch_graph(forecast, pass, (enum kesco_form)form, end),
                      saving = saved - gain - before;

        graphs->saved = saved;
        savings[form] = saving > 0 && (uint64_t)saving < took / WORTH ? 0 : saving;
    }
    forecast->gain = gain;
    forecast->end = end;
}

uint64_t kesco_forecast_host_time(const struct kesco_forecast *forecast, struct kesco_shape shape) {
    return forecast->launch + launch_nodes(shape) + (uint64_t)shape.launches * COLLECT;
}

bool kesco_forecast_is_shorter(const struct kesco_forecast *forecast, struct kesco_shape shape,
                               uint32_t updates) {
    uint64_t host = 0, device = 0;
    uint32_t i;

    for (i = 0; i < shape.launches; i++)
        kesco_governor_queue(&host, &device, 0);
    return kesco_forecast_host_time(forecast, shape) + (uint64_t)updates * UPDATE <= host - host / 4;
}

double kesco_forecast_most_saved(const struct kesco_forecast *forecast, struct kesco_shape shape) {
    return (double)kesco_cost(KESCO_COST_LAUNCH) + NEARER -
           (double)kesco_forecast_host_time(forecast, shape) / shape.launches;
}

/* As which a graph's nodes count when it is made. */
static uint32_t count_nodes(struct kesco_shape shape) {
    return shape.launches + (BRANCH_NODES - 1) * shape.branches;
}

int64_t kesco_forecast_price(struct kesco_shape shape) {
    return MAKE + (int64_t)(count_nodes(shape) * kesco_cost(KESCO_COST_GRAPH_NODE)) +
           kesco_price_of_branches(shape.branches);
}

void kesco_forecast_note_made(struct kesco_shape shape, uint64_t took) {
    const uint32_t nodes = count_nodes(shape);
    const uint64_t expected = MAKE + nodes * kesco_cost(KESCO_COST_GRAPH_NODE);

    if (!kesco_price_note_branches(shape.branches, took > expected ? took - expected : 0))
        kesco_cost_note_some(KESCO_COST_GRAPH_NODE, nodes, took, MAKE);
}

void kesco_forecast_note_launched(struct kesco_forecast *forecast, struct kesco_shape shape, uint64_t took) {
    const uint64_t nodes = launch_nodes(shape);

    forecast->launch = kesco_cost_learn(KESCO_COST_GRAPH, forecast->launch, took > nodes ? took - nodes : 0);
}

uint64_t kesco_forecast_price_of_updates(uint32_t nodes) {
    return (uint64_t)nodes * UPDATE;
}
