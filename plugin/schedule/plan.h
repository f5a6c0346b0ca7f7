/*
 * The plan: the scheduler's result for one region (design page, contract 2; paper, "Kernel-level
 * Scheduling").
 *
 * kesco_plan_create runs the steps in turn: zones (zone.h) and their levels (level.h), order (order.h), lanes
 * (distribute.h, cover.h, band.h), waits and records (sync.h, flow_sync.h), cuts (cut.h). Several lanes are
 * made only where they can pay: a region no two ops of which could run at once (overlap.h) has one, and so
 * has one that several lanes could not make faster on a given machine (estimate.h). The plan stands alone: it
 * holds no pointer into the graph.
 */
#ifndef KESCO_SCHEDULE_PLAN_H
#define KESCO_SCHEDULE_PLAN_H

#include "plugin/schedule/cut.h"
#include "plugin/schedule/estimate.h"
#include "plugin/schedule/graph.h"
#include "plugin/schedule/order.h"
#include "plugin/schedule/sync.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * More lanes than the first never run at once: CUDA_DEVICE_MAX_CONNECTIONS is at most 32 (CUDA C++
 * Programming Guide, "CUDA Environment Variables"). kesco-schedule plans for other machines, too.
 */
#define KESCO_PLAN_DEFAULT_LANES 32
#define KESCO_PLAN_MAX_LANES 256

/* Why a plan that might have had several lanes has one. */
enum kesco_serial {
    KESCO_SERIAL_NO,         /* it has as many as the rules give */
    KESCO_SERIAL_NO_OVERLAP, /* no two ops could run at once (overlap.h) */
    KESCO_SERIAL_NO_GAIN,    /* several lanes could not be faster on the machine (estimate.h) */
};

struct kesco_plan_options {
    enum kesco_policy policy; /* how the issue order is chosen */
    uint32_t max_lanes;       /* at most this many lanes; 0 stands for KESCO_PLAN_DEFAULT_LANES */
    bool reorder;             /* false: the issue order is the program order */
    /* judges, where all costs are known, whether lanes can pay; the caller's; NULL: nobody does */
    const struct kesco_machine *machine;
};

/* What lanes are worth. */
struct kesco_plan_worth {
    enum kesco_serial serial; /* why it has one lane */
    bool costs_known;         /* of all ops; else the times are 0 */
    double serial_us;         /* sum of the costs (estimate.h) */
    double bound_us;          /* no plan takes less: critical path and the device's capacity (estimate.h) */
};

struct kesco_plan {
    uint32_t op_count;      /* ops of the graph; the length of lane, order, sequence and zone */
    uint32_t lane_count;    /* lanes in use */
    uint32_t *lane;         /* lane of each op, numbered by first use in issue order */
    uint32_t *order;        /* place of each op in the issue order */
    uint32_t *sequence;     /* op at each place of the issue order */
    uint32_t *zone;         /* zone of each op, numbered by first op in program order */
    uint32_t zone_count;    /* zones */
    uint8_t *lane_level;    /* highest level (level.h) of the ops of each lane: higher ones run first */
    uint32_t level_count;   /* levels, among them such that no lane has because lanes are shared */
    struct kesco_sync sync; /* waits and records */
    struct kesco_cut
        cut; /* where an action on the legacy default stream does for waits; none with one lane */
    struct kesco_plan_worth worth;
};

/*
 * Plans the ops of a graph whose edges are built and stores the plan, which the caller owns. -EINVAL for a
 * graph without edges built, an unknown policy, more than KESCO_PLAN_MAX_LANES lanes, or a machine with a
 * time that is negative or not finite; -ENOMEM.
 */
int kesco_plan_create(const struct kesco_graph *graph, const struct kesco_plan_options *options,
                      struct kesco_plan **out);

/* Frees the plan. Accepts NULL. */
void kesco_plan_destroy(struct kesco_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
