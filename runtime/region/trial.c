#include "runtime/region/trial.h"

enum {
    PASSES = 8,  /* of a row */
    ENOUGH = 4,  /* rows */
    FEW = 2,     /* rows after which what is clearly slower is given up, */
    SOME = 2,    /* and after which something else is tried */
    TRUST = 32,  /* rows of graphs before one of launches one by one is missed */
    MOST = 16,   /* rows; then the older ones count less */
    CLEARLY = 2, /* what is slower by that part is given up after few rows */
    MARGIN = 50, /* what is faster by less than this part is not */
    MANY = 8,    /* rows of either kind that are compared where they differ among themselves */
};

/* Rows differ by so much where the host waits in some of them, for those before, too. */
static const double SCATTER = 1.5;

double kesco_rows_rate(const struct kesco_rows *rows) {
    return (double)rows->time / (double)rows->ops;
}

static double rate_of(const struct kesco_rows *rows) {
    return (double)(rows->time - rows->slowest_time) / (double)(rows->ops - rows->slowest_ops);
}

/* The host waits less often than once a row: a few rows say nothing. What else the machine does is hardly in
 * rows of both kinds. */
static bool is_scattered(const struct kesco_rows *rows) {
    return (double)rows->slowest_time > SCATTER * rate_of(rows) * (double)rows->slowest_ops;
}

static void note_scatter(struct kesco_trial *trial) {
    if (trial->each.count >= FEW && trial->graph.count >= FEW)
        trial->is_scattered |= is_scattered(&trial->each) && is_scattered(&trial->graph);
}

static void add(struct kesco_rows *rows, uint64_t time, uint32_t ops) {
    rows->count++;
    rows->time += time;
    rows->ops += ops;
    if ((double)time * (double)rows->slowest_ops >= (double)rows->slowest_time * ops) {
        rows->slowest_time = time;
        rows->slowest_ops = ops;
    }
    if (rows->count < MOST)
        return;
    *rows = (struct kesco_rows){.count = rows->count / 2,
                                .time = (rows->time - rows->slowest_time) / 2,
                                .ops = (rows->ops - rows->slowest_ops) / 2};
}

/* A row in which some passes were graphs is of no kind. */
static void end_row(struct kesco_trial *trial, uint64_t now) {
    if (trial->replayed == 0) {
        add(&trial->each, now - trial->begin, trial->ops);
    } else if (2 * trial->replayed > trial->ops) {
        add(&trial->graph, now - trial->begin, trial->ops);
        trial->graphs++;
    }
    note_scatter(trial);
    kesco_trial_break(trial);
}

void kesco_trial_begin(struct kesco_trial *trial, uint64_t now) {
    if (trial->passes == PASSES)
        end_row(trial, now);
    if (trial->passes == 0)
        trial->begin = now;
}

void kesco_trial_end(struct kesco_trial *trial, uint32_t ops, uint32_t replayed) {
    trial->passes++;
    trial->ops += ops;
    trial->replayed += replayed;
}

void kesco_trial_break(struct kesco_trial *trial) {
    trial->passes = trial->ops = trial->replayed = 0;
}

void kesco_trial_forget_graphs(struct kesco_trial *trial) {
    kesco_trial_break(trial);
    trial->graph = (struct kesco_rows){0};
}

bool kesco_trial_is_worth(const struct kesco_trial *trial, uint32_t part, double saving) {
    return trial->each.count >= SOME && rate_of(&trial->each) < part * saving;
}

double kesco_trial_time_of_each(const struct kesco_trial *trial) {
    return trial->each.count >= ENOUGH ? rate_of(&trial->each) : 0;
}

bool kesco_trial_wants_each(const struct kesco_trial *trial) {
    if (trial->graph.count < FEW)
        return false;
    if (trial->each.count >= FEW && trial->is_scattered)
        return trial->graphs >= TRUST && trial->each.count < MANY;
    if (trial->each.count >= FEW)
        return false;
    return trial->graphs >= TRUST ||
           (trial->each.count > 0 && kesco_rows_rate(&trial->graph) > kesco_rows_rate(&trial->each));
}

static enum kesco_verdict compare(double each, double graph) {
    return graph < each - each / MARGIN ? KESCO_FASTER : KESCO_SLOWER;
}

enum kesco_verdict kesco_trial_verdict(const struct kesco_trial *trial) {
    double each, graph;

    if (trial->each.count < FEW || trial->graph.count < FEW)
        return KESCO_UNKNOWN;
    if (trial->is_scattered)
        return trial->each.count < MANY || trial->graph.count < MANY
                   ? KESCO_UNKNOWN
                   : compare(kesco_rows_rate(&trial->each), kesco_rows_rate(&trial->graph));
    each = rate_of(&trial->each);
    graph = rate_of(&trial->graph);
    if (graph > each + each / CLEARLY)
        return KESCO_SLOWER;
    return trial->graph.count < ENOUGH ? KESCO_UNKNOWN : compare(each, graph);
}

void kesco_trial_begin_anew(struct kesco_trial *trial) {
    *trial = (struct kesco_trial){.rests_until = trial->rests_until};
}
