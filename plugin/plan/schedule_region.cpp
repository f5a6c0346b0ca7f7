#include "plugin/plan/schedule_region.h"

extern "C" {
#include "plugin/schedule/flow.h"
#include "plugin/schedule/overlap.h"
}

#include <cerrno>
#include <cstring>

using namespace llvm;

namespace kesco {

/// The host's calls and the device's signals, in microseconds. Estimates: launches are known for a few
/// microseconds; records without timing took 0.25 on a V100 (NVIDIA/NVTX, issue 3), and two streams on a
/// GeForce 3080 took up to 3 to synchronise (facebookincubator/velox, pull request 6096).
static constexpr kesco_machine Machine = {.launch_us = 2, .call_us = 0.8, .wait_us = 1.5, .region_us = 3};

static int addOp(const Op &O, std::optional<double> Time, kesco_graph *Graph) {
    uint32_t Id;
    kesco_op Description = {};
    Description.name = O.Name.c_str();
    Description.cost = Time.value_or(1);
    Description.cost_known = Time.has_value();
    Description.priority = O.Priority;
    Description.segment = O.Segment;
    Description.blocks = O.Wait == HostWait::Done;
    Description.engine = O.Engine;
    Description.kind = O.Kind;
    int Status = kesco_graph_add_op(Graph, &Description, &Id);
    for (const Access &A : O.Accesses) {
        if (Status != 0)
            break;
        uint32_t Object = A.Part == AnyPart ? KESCO_OBJECT_ANY : A.Part;
        Status = kesco_graph_add_access(Graph, Id, Object, A.Write ? KESCO_WRITE : KESCO_READ);
        if (Status == 0 && A.AlsoReads)
            Status = kesco_graph_add_access(Graph, Id, Object, KESCO_READ);
    }
    return Status;
}

/// True if control comes to the ops one after the other.
static bool isStraight(const Region &R) {
    for (unsigned I = 0; I < R.Ops.size(); ++I) {
        bool IsLast = I + 1 == R.Ops.size();
        if (R.Ops[I].Next.size() != !IsLast || (!IsLast && R.Ops[I].Next.front() != I + 1))
            return false;
    }
    return true;
}

static int addFlow(const Region &R, kesco_graph *Graph) {
    kesco_flow *Flow;
    if (int Status = kesco_flow_create(R.Ops.size(), &Flow))
        return Status;
    for (unsigned I = 0; I < R.Ops.size(); ++I)
        for (unsigned Next : R.Ops[I].Next)
            kesco_flow_add_next(Flow, I, Next);
    kesco_flow_close(Flow);
    return kesco_graph_set_flow(Graph, Flow);
}

static int fillGraph(const Region &R, const Function &Named, const Profile &Times, kesco_graph *Graph) {
    uint32_t Id;
    for (const std::string &Name : R.Parts)
        if (int Status = kesco_graph_add_object(Graph, Name.c_str(), &Id))
            return Status;
    for (const Op &O : R.Ops)
        if (int Status = addOp(O, Times.timeOf(Named, O), Graph))
            return Status;
    if (!isStraight(R) && R.Ops.size() <= KESCO_FLOW_MAX_PLACES)
        if (int Status = addFlow(R, Graph))
            return Status;
    return kesco_graph_build_edges(Graph);
}

SmallVector<unsigned, 4> findUselessWaits(const ScheduledRegion &Scheduled) {
    SmallVector<unsigned, 4> Useless;
    std::unique_ptr<bool[]> IsUseless(new bool[Scheduled.R->Ops.size()]);
    if (kesco_overlap_find_useless_blocks(Scheduled.Graph.get(), IsUseless.get()) != 0)
        return Useless;
    for (unsigned I = 0; I < Scheduled.R->Ops.size(); ++I)
        if (IsUseless[I])
            Useless.push_back(I);
    return Useless;
}

/// The program's order, on one lane.
static int planInOrder(const kesco_graph &Graph, const kesco_plan_options &Options, kesco_plan **Plan) {
    kesco_plan_options InOrder = Options;
    InOrder.reorder = false;
    InOrder.max_lanes = 1;
    return kesco_plan_create(&Graph, &InOrder, Plan);
}

static Error cannotPlan(const Region &R, int Status) {
    return createStringError(std::error_code(-Status, std::generic_category()),
                             "a region of %zu ops cannot be planned (%s); '-fplugin-arg-kesco-off' compiles "
                             "without KeSCo",
                             R.Ops.size(), std::strerror(-Status));
}

Expected<ScheduledRegion> scheduleRegion(const Region &R, const Function &Named, const Profile &Times,
                                         const kesco_plan_options &Options) {
    ScheduledRegion Result = {&R, nullptr, nullptr, false};
    Result.TooLarge = !isStraight(R) && R.Ops.size() > KESCO_FLOW_MAX_PLACES;
    kesco_plan *Plan = nullptr;
    kesco_plan_options Judged = Options;
    Judged.machine = &Machine;
    Result.Graph.reset(kesco_graph_create());
    int Status = Result.Graph ? fillGraph(R, Named, Times, Result.Graph.get()) : -ENOMEM;
    if (Status == 0)
        Status = kesco_plan_create(Result.Graph.get(), &Judged, &Plan);
    Result.Plan.reset(Plan);
    if (Status == 0 && (Result.TooLarge || (Plan->lane_count == 1 && Options.reorder))) {
        /* Such a region is left as it is, so its plan is the program's order. */
        kesco_serial Why = Plan->serial;
        Plan = nullptr;
        Status = planInOrder(*Result.Graph, Options, &Plan);
        Result.Plan.reset(Plan);
        if (Plan)
            Plan->serial = Why;
    }
    if (Status != 0)
        return cannotPlan(R, Status);
    return std::move(Result);
}

Error leaveToRun(ScheduledRegion &Scheduled, const kesco_plan_options &Options) {
    kesco_plan *Plan = nullptr;
    if (int Status = planInOrder(*Scheduled.Graph, Options, &Plan))
        return cannotPlan(*Scheduled.R, Status);
    Scheduled.Plan.reset(Plan);
    Scheduled.Placed = true;
    Scheduled.TooLarge = false;
    return Error::success();
}

} // namespace kesco
