#include "plugin/driver/plan_module.h"

#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/ir/off_mark.h"
#include "plugin/ir/walk.h"
#include "plugin/region/op_call.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kesco {

/// The sites of \p F; none where nothing is launched, since copies alone gain nothing from each other.
static SmallVector<OpSite, 8> sitesBesideLaunches(Function &F, bool PerThreadDefault) {
    SmallVector<OpSite, 8> Found = findOpSites(F, PerThreadDefault);
    return any_of(Found, [](const OpSite &Site) { return Site.isLaunch(); }) ? Found
                                                                             : SmallVector<OpSite, 8>();
}

/// Those of a function that launches nothing, which may join what its callers launch, or what it calls.
static SmallVector<OpSite, 8> sitesOfJoining(Function &F, bool PerThreadDefault) {
    SmallVector<OpSite, 8> Found;
    if (mayBeEntered(F) || any_of(callsIn(F), callsUnseen))
        Found = findOpSites(F, PerThreadDefault);
    erase_if(Found, [](const OpSite &Site) { return !canBeNode(Site) && !isPlainCopy(Site); });
    return Found;
}

bool standsInLoop(const OpSite &Site) {
    return isInCycle(*Site.Issue->getParent());
}

/// Adds the sites of \p Variant, one of \p F, or where it has none that count, of \p F itself.
static void addSites(SiteMap &Sites, Function &F, Function &Variant, Variants &All, bool PerThreadDefault) {
    const bool IsVariant = &Variant != &F;
    SmallVector<OpSite, 8> Found = sitesBesideLaunches(Variant, PerThreadDefault);
    /* One op of a helper is the helper's own affair, unless it comes again. */
    if (!Found.empty() && (!IsVariant || Found.size() > 1 || any_of(Found, standsInLoop))) {
        Sites[&Variant] = std::move(Found);
        return;
    }
    All.discard(Variant);
    if (IsVariant)
        if (Found = sitesBesideLaunches(F, PerThreadDefault); !Found.empty())
            Sites[&F] = std::move(Found);
}

SiteMap findAllSites(Module &M, Variants &All, bool PerThreadDefault, bool Joins) {
    SiteMap Sites;
    SmallVector<Function *, 32> Functions;
    for (Function &F : M)
        if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage() && !isKernelStub(F) && whyOff(F).empty())
            Functions.push_back(&F);
    for (Function *F : Functions)
        addSites(Sites, *F, *All.of(*F), All, PerThreadDefault);
    for (Function *F : Functions)
        if (Joins && none_of(Sites, [&](const auto &Entry) { return All.originalOf(*Entry.first) == F; }))
            if (SmallVector<OpSite, 8> Found = sitesOfJoining(*F, PerThreadDefault); !Found.empty())
                Sites[F] = std::move(Found);
    return Sites;
}

/// Plans the functions of \p Sites but for those in \p LeftOut.
static Expected<std::vector<ScheduledFunction>> planOnce(const SiteMap &Sites,
                                                         const SmallPtrSetImpl<Function *> &LeftOut,
                                                         NormalisedModule &Copy, const Variants &All,
                                                         const Knowledge &Program, const Profile &Times,
                                                         const kesco_plan_options &Options) {
    std::vector<ScheduledFunction> Functions;
    for (const auto &[F, FunctionSites] : Sites) {
        if (LeftOut.contains(F))
            continue;
        Expected<ScheduledFunction> Function =
            planFunction(*F, *All.originalOf(*F), FunctionSites, Copy, Program, Times, Options);
        if (!Function)
            return Function.takeError();
        Functions.push_back(std::move(*Function));
    }
    return std::move(Functions);
}

/// Takes those of \p Planned that came out without lanes, and were too large to be seen wholly, with loops
/// unrolled, for functions with their loops as they were. \returns whether there were any.
static bool rollUp(SiteMap &Sites, const NormalisedModule &Copy, ArrayRef<ScheduledFunction> Planned,
                   Variants &All, bool PerThreadDefault) {
    bool Changed = false;
    for (const ScheduledFunction &Function : Planned) {
        llvm::Function &F = *Function.Analysis.F;
        llvm::Function *Original = All.originalOf(F);
        if (Copy.isWhole(F) ||
            any_of(Function.Regions, [](const ScheduledRegion &R) { return kesco_scheduled_has_lanes(&R); }))
            continue;
        if (llvm::Function *Rolled = All.rolled(F)) {
            Sites.erase(&F);
            addSites(Sites, *Original, *Rolled, All, PerThreadDefault);
            Changed = true;
        }
    }
    return Changed;
}

Expected<std::vector<ScheduledFunction>> planModule(Module &M, SiteMap &Sites,
                                                    const SmallPtrSetImpl<Function *> &LeftOut, Variants &All,
                                                    const Knowledge &Program, const Profile &Times,
                                                    const kesco_plan_options &Options,
                                                    bool PerThreadDefault) {
    std::optional<NormalisedModule> Copy(std::in_place, M, Sites, Program.Summaries);
    auto Planned = planOnce(Sites, LeftOut, *Copy, All, Program, Times, Options);
    if (!Planned || !rollUp(Sites, *Copy, *Planned, All, PerThreadDefault))
        return Planned;
    Planned->clear();
    Copy.emplace(M, Sites, Program.Summaries);
    return planOnce(Sites, LeftOut, *Copy, All, Program, Times, Options);
}

} // namespace kesco
