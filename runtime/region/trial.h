/*
 * Whether graphs are faster, as measured: how long passes take from one's begin to the next one's, whatever
 * the program does between them, with graphs and without. A row of passes counts as a whole, so that where
 * the host waits for the device now and then, that is in it. Times are nanoseconds.
 */
#ifndef KESCO_RUNTIME_REGION_TRIAL_H
#define KESCO_RUNTIME_REGION_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/* What rows of one kind took. */
struct kesco_rows {
    uint32_t count;
    uint64_t time, ops;
    uint64_t slowest_time,
        slowest_ops; /* of the row that took longest for its ops: the machine has other work */
};

/* What an op takes in them all; there are some. */
double kesco_rows_rate(const struct kesco_rows *rows);

struct kesco_trial {
    uint64_t begin;                /* of the row */
    uint32_t passes, ops;          /* in the row so far */
    uint32_t replayed;             /* of its ops */
    struct kesco_rows each, graph; /* of launches one by one, and of graphs */
    uint32_t graphs;               /* rows of graphs so far */
    bool is_scattered;             /* a few rows say nothing: they differ, of either kind */
    uint64_t rests_until;          /* by kesco_attention_time */
};

enum kesco_verdict { KESCO_UNKNOWN, KESCO_FASTER, KESCO_SLOWER };

/* A pass begins at that time; and it ends, of so many ops, of which so many were in a graph. */
void kesco_trial_begin(struct kesco_trial *trial, uint64_t now);
void kesco_trial_end(struct kesco_trial *trial, uint32_t ops, uint32_t replayed);

/* Graphs of other launches are there from here on: what they took so far says nothing any more. */
void kesco_trial_forget_graphs(struct kesco_trial *trial);

/* What comes next is not known: the row so far does not count. */
void kesco_trial_break(struct kesco_trial *trial);

/* True if graphs, which save so much of the time of an op at most, may save a `part`th of it, as measured. */
bool kesco_trial_is_worth(const struct kesco_trial *trial, uint32_t part, double saving);

/* What an op takes in launches one by one; 0: there are not enough rows. */
double kesco_trial_time_of_each(const struct kesco_trial *trial);

/* True if graphs were measured, and what comes next is to show what it takes without them: they seem slower,
 * or have long been taken on trust. */
bool kesco_trial_wants_each(const struct kesco_trial *trial);

enum kesco_verdict kesco_trial_verdict(const struct kesco_trial *trial);

/* All rows are forgotten: what was measured is no more so. */
void kesco_trial_begin_anew(struct kesco_trial *trial);

#endif
