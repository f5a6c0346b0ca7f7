#include "plugin/plan/plan_function.h"

#include "plugin/cuda/op_sites.h"
#include "plugin/ir/off_mark.h"
#include "plugin/ir/walk.h"
#include "plugin/plan/placed.h"
#include "plugin/plan/replay.h"

using namespace llvm;

namespace kesco {

/// Leaves the ops of a region to the run where that may find them lanes.
static Error placeOps(ScheduledRegion &Scheduled, ArrayRef<OpSite> Sites, bool Joins,
                      const kesco_plan_options &Options) {
    const Region &R = *Scheduled.R;
    if (Options.max_lanes == 1)
        return Error::success();
    const bool IsWorth = shouldPlace(R, Sites, *Scheduled.Plan);
    Scheduled.Joins = Joins && mayJoin(R, Sites) &&
                      (IsWorth || (Scheduled.Plan->lane_count == 1 && !mayReplay(R, Sites, *Scheduled.Plan)));
    Scheduled.OnlyJoins = Scheduled.Joins && !IsWorth;
    return IsWorth || Scheduled.Joins ? leaveToRun(Scheduled, Options) : Error::success();
}

/// A function with regions of another kind, which nobody lends anything, gains nothing by those that only
/// join.
static void keepFromJoining(MutableArrayRef<ScheduledRegion> Regions) {
    if (none_of(Regions, [](const ScheduledRegion &R) { return !R.Joins && (R.hasLanes() || R.MayReplay); }))
        return;
    for (ScheduledRegion &R : Regions)
        if (R.OnlyJoins)
            R.Joins = R.OnlyJoins = R.Placed = false;
}

static Error scheduleRegions(ScheduledFunction &Function, const Profile &Times, bool Joins,
                             const kesco_plan_options &Options) {
    for (const Region &R : Function.Analysis.Regions) {
        Expected<ScheduledRegion> Scheduled = scheduleRegion(R, *Function.Analysis.Named, Times, Options);
        if (!Scheduled)
            return Scheduled.takeError();
        if (Error E = placeOps(*Scheduled, Function.Analysis.Sites, Joins, Options))
            return E;
        Scheduled->MayReplay = !Scheduled->TooLarge && !Scheduled->Joins &&
                               mayReplay(R, Function.Analysis.Sites, *Scheduled->Plan);
        Function.Regions.push_back(std::move(*Scheduled));
    }
    keepFromJoining(Function.Regions);
    return Error::success();
}

/// Where waiting for one op alone gains nothing, the program's call does it best. True if there is such an
/// op; it is then added to \p Refused.
static bool refuseUseless(const ScheduledFunction &Function, Refusals &Refused) {
    size_t Before = Refused.size();
    for (const ScheduledRegion &Scheduled : Function.Regions)
        for (unsigned I : findUselessWaits(Scheduled)) {
            unsigned Site = Scheduled.R->Ops[I].Site;
            Refused.try_emplace(Site, describeCall(Function.Analysis.Sites[Site]));
        }
    return Refused.size() > Before;
}

/// The launches of kernels that stay as they are.
static Refusals refuseOff(ArrayRef<OpSite> Sites) {
    Refusals Refused;
    for (unsigned I = 0; I < Sites.size(); ++I) {
        const Function *Stub = Sites[I].isLaunch() ? Sites[I].Issue->getCalledFunction() : nullptr;
        if (Stub && !whyOff(*Stub).empty())
            Refused[I] = "launch of a kernel that stays as it is: " + whyOff(*Stub).str();
    }
    return Refused;
}

Expected<ScheduledFunction> planFunction(Function &F, Function &Named, ArrayRef<OpSite> Sites,
                                         NormalisedModule &Copy, const Knowledge &Program,
                                         const Profile &Times, const kesco_plan_options &Options) {
    Refusals Refused = refuseOff(Sites);
    for (;;) {
        ScheduledFunction Result;
        Result.Analysis = analyseFunction(F, Sites, Copy, Program, Refused);
        Result.Analysis.Named = &Named;
        if (Error E = scheduleRegions(Result, Times, Program.Joins && mayBeEntered(Named), Options))
            return std::move(E);
        if (!refuseUseless(Result, Refused))
            return std::move(Result);
    }
}

} // namespace kesco
