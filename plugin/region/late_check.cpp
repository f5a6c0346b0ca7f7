#include "plugin/region/late_check.h"

#include "plugin/ir/walk.h"
#include "plugin/region/failure_path.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kesco {

LateCheck::LateCheck(const CallBase &Wait, const Consequences &What, ArrayRef<OpSite> Sites)
    : Path(Wait), Sites(Sites) {
    Ends = What.onlyEnds() && !FailurePath(Wait).empty();
    Returns = What.onlyReturns() && Path.join() && !isFollowedByLaunch(*Path.join()->getFirstNonPHIIt());
}

/// True if the function may launch from \p I on: to wait there is no better than to have waited before.
bool LateCheck::isFollowedByLaunch(const Instruction &I) const {
    return mayComeTo(before(I), [&](const Instruction &Next) {
        return isa<CallBase>(Next) &&
               any_of(Sites, [&](const OpSite &Site) { return Site.isLaunch() && Site.Issue == &Next; });
    });
}

bool LateCheck::add(Instruction &At, SmallVectorImpl<Instruction *> &Places) const {
    const auto *Call = dyn_cast<CallBase>(&At);
    if (Call ? Call->isMustTailCall() : At.getParent()->getTerminatingMustTailCall() != nullptr)
        return false;
    if ((!Ends && !Returns) || isFollowedByLaunch(At))
        return false;
    if (Ends) {
        Places.push_back(&At);
        return true;
    }
    if (!Path.isBefore(At)) {
        if (!Call || !Path.mayLeaveFrom(At))
            return false;
        Places.push_back(&At);
    }
    Places.push_back(const_cast<Instruction *>(&*Path.join()->getFirstNonPHIIt()));
    return true;
}

bool LateConsequences::agree(ArrayRef<Instruction *> Places, const Consequences &What) const {
    return all_of(Places, [&](const Instruction *Place) {
        const auto Other = Known.find(Place);
        return Other == Known.end() || (What.followFrom(Other->second) && Other->second.followFrom(What));
    });
}

void LateConsequences::note(ArrayRef<Instruction *> Places, const Consequences &What) {
    for (const Instruction *Place : Places)
        Known.try_emplace(Place, What);
}

bool LateConsequences::isNew(const BasicBlock &Join, const Consequences &What) {
    if (is_contained(Joined, std::pair(&Join, What)))
        return false;
    Joined.push_back({&Join, What});
    return true;
}

} // namespace kesco
