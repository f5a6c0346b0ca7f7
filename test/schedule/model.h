/*
 * Model: an independent description of a region for tests, with everything that can be said of it by brute
 * force. It shares no code with the core: conflicts come straight from the accesses, order from closing them.
 */
#ifndef KESCO_TEST_SCHEDULE_MODEL_H
#define KESCO_TEST_SCHEDULE_MODEL_H

#include "plugin/schedule/graph.h"
#include "plugin/schedule/plan.h"

#include <stdbool.h>
#include <stdint.h>

#define MODEL_OPS 64     /* ops at most, so that a set of ops is one word */
#define MODEL_OBJECTS 64 /* named objects at most */

struct model_op {
    uint64_t reads;   /* set of named objects, bit per object */
    uint64_t writes;  /* set of named objects */
    bool reads_any;   /* reads any object */
    bool writes_any;  /* writes any object */
    uint32_t segment; /* move window */
    bool blocks;      /* the host waits for it; alone in its segment */
    enum kesco_engine engine;
    unsigned cost; /* microseconds */
    int priority;  /* of its task */
};

struct model {
    unsigned op_count;              /* entries in ops */
    unsigned object_count;          /* named objects */
    struct model_op ops[MODEL_OPS]; /* in program order */
    uint32_t max_lanes;             /* as in the plan's options */
    bool reorder;                   /* as in the plan's options */
};

/* A relation between ops: bit j of row i says that i comes before j. */
struct relation {
    uint64_t rows[MODEL_OPS];
};

/* Makes a model of up to `max_ops` ops that follows from the seed alone: its shape, accesses and options. */
void model_random(struct model *model, uint64_t seed, unsigned max_ops);

/* As model_random, of several tasks that have a priority each; within a task, some ops have a lower one. */
void model_random_tasks(struct model *model, uint64_t seed, unsigned max_ops);

/* Stores which zone each op is in, numbered by first op; returns how many there are. */
unsigned model_zones(const struct model *model, unsigned zone[MODEL_OPS]);

/* Stores the level of each op (level.h); returns how many levels there are. */
unsigned model_levels(const struct model *model, unsigned level[MODEL_OPS]);

/* The model as a graph of the core, without edges built; the caller destroys it. Fails the test on errors. */
struct kesco_graph *model_graph(const struct model *model);

/* Every conflicting pair, in program order, not closed. */
void model_conflicts(const struct model *model, struct relation *conflicts);

/* Adds that what comes after an op that blocks, in program order, comes behind it; not closed. */
void model_add_host_order(const struct model *model, struct relation *relation);

/* What orders ops whatever their lanes: conflicts and the host's order, closed. */
void model_order(const struct model *model, struct relation *order);

/* True if two ops of these engines could share the device. */
bool model_engines_share(enum kesco_engine a, enum kesco_engine b);

/* Closes a relation transitively. */
void relation_close(struct relation *relation, unsigned op_count);

/* Prints the model in the text format. */
void model_print(const struct model *model);

#endif
