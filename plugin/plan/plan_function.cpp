#include "plugin/plan/plan_function.h"

#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/off_mark.h"
#include "plugin/ir/walk.h"
#include "plugin/plan/plan_region.h"
#include "plugin/schedule/overlap.h"

#include "llvm/ADT/Sequence.h"

#include <cstring>
#include <memory>

using namespace llvm;

namespace kesco {

static Error cannotPlan(const Region &R, int Status) {
    return createStringError(std::error_code(-Status, std::generic_category()),
                             "a region of %zu ops cannot be planned (%s); '-fplugin-arg-kesco-off' compiles "
                             "without KeSCo",
                             static_cast<size_t>(R.ops.count), std::strerror(-Status));
}

/// What issues to several streams by itself is parallel by hand, and left alone.
static bool isParallelByHand(const FunctionAnalysis &Analysis) {
    return any_of(Analysis.Barriers, [](const Barrier &B) { return B.Why == AnotherStream; });
}

static Error scheduleRegions(ScheduledFunction &Function, const Profile &Times, kesco_joining Joining,
                             const kesco_plan_options &Options) {
    if (isParallelByHand(Function.Analysis))
        Joining = KESCO_JOINS_NOT;
    for (Region &R : Function.Analysis.Regions) {
        kesco_scheduled_region Scheduled;
        Times.tell(R, *Function.Analysis.Named);
        if (int Status = kesco_plan_region(&R, Joining, &Options, &Scheduled))
            return cannotPlan(R, Status);
        Function.Regions.emplace_back(R, Scheduled);
    }
    return Error::success();
}

/// The ops that the host waits for though they come after all that is in flight: as barriers they would be
/// no worse.
static SmallVector<unsigned, 4> findUselessWaits(const ScheduledRegion &Scheduled) {
    SmallVector<unsigned, 4> Useless;
    std::unique_ptr<bool[]> IsUseless(new bool[Scheduled.R->ops.count]);
    if (kesco_overlap_find_useless_blocks(Scheduled.graph, IsUseless.get()) != 0)
        return Useless;
    for (unsigned I = 0; I < Scheduled.R->ops.count; ++I)
        if (IsUseless[I])
            Useless.push_back(I);
    return Useless;
}

/// Takes out of \p Useless, ops of \p R, those that control comes back to through a launch, where waits
/// between the ops may be put off: that starts anew behind each barrier, in each pass.
static void keepInLoops(const Region &R, SmallVectorImpl<unsigned> &Useless) {
    kesco_reached Reached;
    if (Useless.empty() || R.Lazy.empty() || kesco_region_reach(&R, &Reached) != 0)
        return;
    erase_if(Useless, [&](unsigned Op) {
        return any_of(seq(0U, R.ops.count), [&](unsigned I) {
            return R.ops.items[I].call.is_launch && kesco_reached_has(&Reached, Op, I) &&
                   kesco_reached_has(&Reached, I, Op);
        });
    });
    kesco_reached_clear(&Reached);
}

/// Where waiting for one op alone gains nothing, the program's call does it best. True if there is such an
/// op; it is then added to \p Refused. Where all of the function joins what others do, that may gain; and so
/// it may in loops whose waits are put off.
static bool refuseUseless(const ScheduledFunction &Function, Refusals &Refused) {
    size_t Before = Refused.size();
    if (all_of(Function.Regions, [](const ScheduledRegion &Scheduled) { return Scheduled.joins; }))
        return false;
    for (const ScheduledRegion &Scheduled : Function.Regions) {
        SmallVector<unsigned, 4> Useless = findUselessWaits(Scheduled);
        keepInLoops(*Scheduled.R, Useless);
        for (unsigned I : Useless) {
            unsigned Site = Scheduled.R->ops.items[I].call.site;
            Refused.try_emplace(Site, describeCall(Function.Analysis.Sites[Site]));
        }
    }
    return Refused.size() > Before;
}

/// A launch of a kernel of which nothing is known, as another file defines it: its stub joins there what is
/// open here.
static bool isOfElsewhere(const ScheduledFunction &Function, const kesco_region_op &Op) {
    const OpSite &Site = Function.Analysis.Sites[Op.call.site];
    const llvm::Function *Stub = Site.isLaunch() ? Site.Issue->getCalledFunction() : nullptr;
    return Op.memory.aliases_all && Stub && Stub->isDeclaration();
}

/// Where nothing is known of any of a region's kernels, its copies and memsets are run without these: they
/// may join what others do, as the kernels do. True if there are such regions; the launches are then added to
/// \p Refused.
static bool refuseElsewhere(const ScheduledFunction &Function, Refusals &Refused) {
    size_t Before = Refused.size();
    for (const ScheduledRegion &Scheduled : Function.Regions) {
        const ArrayRef<kesco_region_op> Ops(Scheduled.R->ops.items, Scheduled.R->ops.count);
        const auto IsKernel = [](const kesco_region_op &Op) { return Op.op.kind == KESCO_OP_KERNEL; };
        if (all_of(Ops, IsKernel) || any_of(Ops, [&](const kesco_region_op &Op) {
                return IsKernel(Op) && !isOfElsewhere(Function, Op);
            }))
            continue;
        for (const kesco_region_op &Op : make_filter_range(Ops, IsKernel))
            Refused.try_emplace(Op.call.site, ("launch of '" + Twine(Op.op.name) +
                                               "', of which nothing is known in this source file")
                                                  .str());
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

/// True if this unit uses \p V, a function, for nothing but tables of virtual functions.
static bool isForOthers(const Value &V) {
    return all_of(V.users(), [](const User *By) {
        const auto *Table = dyn_cast<GlobalVariable>(By);
        return Table ? Table->getName().starts_with("_ZTV") : isa<Constant>(By) && isForOthers(*By);
    });
}

/// What this unit calls is planned with its callers, and has the lanes of a plan by itself.
static kesco_joining joiningOf(const Function &F, const Function &Named) {
    if (mayBeEntered(Named))
        return isForOthers(Named) ? KESCO_JOINS_ALL : KESCO_JOINS_ALONE;
    return any_of(callsIn(F), callsUnseen) ? KESCO_JOINS_ALONE : KESCO_JOINS_NOT;
}

Expected<ScheduledFunction> planFunction(Function &F, Function &Named, ArrayRef<OpSite> Sites,
                                         NormalisedModule &Copy, const Knowledge &Program,
                                         const Profile &Times, const kesco_plan_options &Options) {
    const kesco_joining Joining = Program.Joins ? joiningOf(F, Named) : KESCO_JOINS_NOT;
    Refusals Refused = refuseOff(Sites);
    for (;;) {
        ScheduledFunction Result;
        Result.Analysis = analyseFunction(F, Sites, Copy, Program, Refused);
        Result.Analysis.Named = &Named;
        if (Error E = scheduleRegions(Result, Times, Joining, Options))
            return std::move(E);
        if (!refuseUseless(Result, Refused) &&
            (Joining == KESCO_JOINS_NOT || !refuseElsewhere(Result, Refused)))
            return std::move(Result);
    }
}

} // namespace kesco
