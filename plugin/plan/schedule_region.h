//===- schedule_region.h - hands a region to the scheduler --------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bridge between analysis and plugin/schedule, which knows no LLVM: a region becomes a graph, the graph a
// plan.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_PLAN_SCHEDULE_REGION_H
#define KESCO_PLUGIN_PLAN_SCHEDULE_REGION_H

#include "plugin/plan/profile.h"
#include "plugin/region/regions.h"

extern "C" {
#include "plugin/schedule/graph.h"
#include "plugin/schedule/plan.h"
}

#include "llvm/Support/Error.h"

#include <memory>

namespace kesco {

struct GraphDeleter {
    void operator()(kesco_graph *Graph) const {
        kesco_graph_destroy(Graph);
    }
};

struct PlanDeleter {
    void operator()(kesco_plan *Plan) const {
        kesco_plan_destroy(Plan);
    }
};

struct ScheduledRegion {
    const Region *R;
    std::unique_ptr<kesco_graph, GraphDeleter> Graph;
    std::unique_ptr<kesco_plan, PlanDeleter> Plan;
    bool TooLarge;          ///< its control flow is beyond what is analysed, so the plan is serial
    bool MayReplay = false; ///< the runtime may replay it as graphs
    bool Placed = false;    ///< the run places its ops (placed.h); the plan is then serial
    bool Joins = false;     ///< it is, and the ops of functions before and behind this one may be part of it
    bool OnlyJoins = false; ///< by itself, it has nothing to overlap

    bool hasLanes() const {
        return Plan->lane_count > 1 || (Placed && !OnlyJoins);
    }
};

/// The ops that the host waits for though they come behind all that is in flight: as barriers they would be
/// no worse.
llvm::SmallVector<unsigned, 4> findUselessWaits(const ScheduledRegion &Scheduled);

/// Builds the data-flow graph of \p R, a region of \p Named, and plans it. Where \p Times has the times of
/// all ops, the region gets several lanes only if they can pay. Fails only where the scheduler does: out of
/// memory, or a graph beyond its limits.
llvm::Expected<ScheduledRegion> scheduleRegion(const Region &R, const llvm::Function &Named,
                                               const Profile &Times, const kesco_plan_options &Options);

/// Lets the run place the ops of \p Scheduled: its plan becomes the program's order.
llvm::Error leaveToRun(ScheduledRegion &Scheduled, const kesco_plan_options &Options);

} // namespace kesco

#endif
