/*
 * Estimates: how long a region takes at least, from the costs of its ops and from what the machine takes to
 * issue and to order them, and so whether several lanes can pay.
 *
 * All times are lower bounds in microseconds, as if what has no known bound took no time: an op of unknown
 * fill takes nothing of what ops share, and kernels that run side by side do not slow one another down before
 * the device is full. So a region for which lanes cannot pay by these bounds would not gain from them;
 * whether the others do gain is for measurements to tell.
 *
 * Along a flow (flow.h) all ops are taken to run, one after the other in program order, and equally often:
 * costs are means, and nobody knows which way control goes. Where there is a loop they are taken to run
 * twice, so that an op that overlaps with what the next pass does counts as such.
 */
#ifndef KESCO_SCHEDULE_ESTIMATE_H
#define KESCO_SCHEDULE_ESTIMATE_H

#include "plugin/schedule/graph.h"
#include "plugin/schedule/sync.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What issuing and ordering costs, in microseconds, each finite and not negative. */
struct kesco_machine {
    double launch_us; /* host: issuing one op */
    double call_us;   /* host: one record or one wait */
    double wait_us; /* device: from the end of an op to the start of one on another lane that waits for it */
    double region_us; /* host: entering and leaving a region that has several lanes */
};

/* What no plan of a region can beat, on any machine; each op once. */
struct kesco_bounds {
    bool known;              /* the costs of all ops are known; else the times are 0 */
    double serial_us;        /* the sum of the costs: one op after the other */
    double critical_path_us; /* longest path of costs, by dependences and, in a straight line, the host's
                                waits */
    double capacity_us; /* the device's: its busiest engine does one op's full cost times fill at a time */
};

/* How a region's ops are issued. */
struct kesco_issue {
    const uint32_t *sequence;      /* the ops in issue order */
    const uint32_t *lane;          /* lane of each op */
    uint32_t lane_count;           /* lanes in use */
    const struct kesco_sync *sync; /* waits and records */
};

/* Stores the bounds of a built graph. -ENOMEM. */
int kesco_estimate_bounds(const struct kesco_graph *graph, struct kesco_bounds *bounds);

/*
 * Stores the least time that the ops of a built graph take when they are issued so, by their costs, known or
 * not: never less than what the host, any lane, or any engine of the device takes. -ENOMEM.
 */
int kesco_estimate_time(const struct kesco_graph *graph, const struct kesco_machine *machine,
                        const struct kesco_issue *issue, double *time_us);

/*
 * Stores whether issuing the ops of a built graph so can take less time than issuing them in program order on
 * one lane. True where the cost of some op is unknown. -ENOMEM.
 */
int kesco_estimate_pays(const struct kesco_graph *graph, const struct kesco_machine *machine,
                        const struct kesco_issue *issue, bool *pays);

#ifdef __cplusplus
}
#endif

#endif
