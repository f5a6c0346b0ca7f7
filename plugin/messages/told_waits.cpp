#include "plugin/messages/told_waits.h"

#include "plugin/plan/selection.h"

#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace kesco {

ToldWaits::Place ToldWaits::placeOf(const DebugLoc &Where) {
    return {Where->getFilename().str(), Where.getLine(), Where.getCol()};
}

bool isWait(const Barrier &B) {
    StringRef Why = B.Why;
    return Why.consume_front("call to 'cuda") &&
           (Why.starts_with("DeviceSynchronize") || Why.starts_with("StreamSynchronize"));
}

ToldWaits::ToldWaits(ArrayRef<ScheduledFunction> Functions) {
    const auto add = [&](const DebugLoc &Where, Outcome What) {
        if (Where && !Where->getInlinedAt())
            Own[placeOf(Where)].insert(What);
    };
    for (const ScheduledFunction &Function : Functions) {
        for (const Barrier &B : Function.Analysis.Barriers)
            if (isWait(B))
                add(B.Where, Kept);
        for (const ScheduledRegion &Scheduled : Function.Regions) {
            if (!kesco_scheduled_has_lanes(&Scheduled) && !Scheduled.may_replay)
                continue;
            for (const CallBase *Call : Scheduled.R->Elided)
                add(Call->getDebugLoc(), LeftOut);
            for (const CallBase *Call : Scheduled.R->Lazy)
                add(Call->getDebugLoc(), PutOff);
        }
    }
}

std::string ToldWaits::beginIn(const Function &Named) {
    return "in '" + functionTitle(Named) + "', where it is inlined: ";
}

bool ToldWaits::isInAnother(const Function &Named, const DebugLoc &Where) {
    const DISubprogram *Own = Named.getSubprogram();
    const DILocation *Call = Where ? Where->getInlinedAt() : nullptr;
    if (!Call || !Own || Where->getScope()->getSubprogram()->getName() == "operator()")
        return false;
    while (Call->getInlinedAt())
        Call = Call->getInlinedAt();
    return Where->getFilename() != Own->getFilename() || Where.getLine() < Own->getLine() ||
           Where.getLine() > Call->getLine();
}

std::optional<std::string> ToldWaits::tell(const Function &Named, const DebugLoc &Where, Outcome What) {
    if (!Where)
        return "";
    const Place At = placeOf(Where);
    const bool IsInlined = Where->getInlinedAt() != nullptr;
    if (IsInlined && Own[At].count(What) != 0)
        return std::nullopt;
    std::set<Outcome> &Told = (IsInlined ? ToldInlined : ToldOwn)[At];
    const bool IsOther = !IsInlined && !Told.empty();
    if (!Told.insert(What).second)
        return std::nullopt;
    if (IsInlined)
        return beginIn(Named);
    return IsOther ? "in other passes of its loop: " : "";
}

} // namespace kesco
