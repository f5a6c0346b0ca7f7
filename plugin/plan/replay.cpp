#include "plugin/plan/replay.h"

#include "plugin/cuda/stub_launch.h"
#include "plugin/cuda/transfers.h"

#include "runtime/kesco_abi.h"

using namespace llvm;

namespace kesco {

/// Fewer launches than these are not worth a graph, where their function alone may repeat them.
static constexpr unsigned FewLaunches = 4;

/// True if control may come back to an op of \p R, or to one before it, without a barrier between.
static bool hasLoop(const Region &R) {
    return any_of(enumerate(R.Ops), [](const auto &Each) {
        return any_of(Each.value().Next, [&](unsigned Next) { return Next <= Each.index(); });
    });
}

/// True for calls that the runtime can make in the program's place, and that may be a node of a graph.
static bool canBeNode(const CallBase &Call) {
    static constexpr StringRef Sets[] = {"cudaMemset", "cudaMemsetAsync"},
                               Copies[] = {"cudaMemcpy", "cudaMemcpyAsync"};
    StringRef Name = Call.getCalledFunction()->getName();
    if (!is_contained(Copies, Name))
        return is_contained(Sets, Name);
    std::optional<Transfer> Copy = readTransfer(Call);
    return Copy && Copy->Way == Transfer::OnDevice;
}

bool canCollect(const Op &O, const OpSite &Site) {
    if (!Site.isLaunch())
        return O.Wait == HostWait::None && canBeNode(*Site.Issue);
    return Site.Issue->getCalledFunction() && findStubLaunch(*Site.Issue->getCalledFunction()).has_value();
}

BitVector reachedFrom(const Region &R, unsigned From) {
    BitVector Found(R.Ops.size());
    SmallVector<unsigned, 16> Work = {From};
    while (!Work.empty())
        for (unsigned Next : R.Ops[Work.pop_back_val()].Next)
            if (!Found.test(Next)) {
                Found.set(Next);
                Work.push_back(Next);
            }
    return Found;
}

/// True if ops that cannot be collected are no part of the loops of \p R, or nothing that can comes behind
/// them. Else they would have to overlap with what is put off. Without loops they have to be the last ones.
static bool areOthersApart(const Region &R, ArrayRef<OpSite> Sites) {
    BitVector Collected;
    bool AreInLoops = !hasLoop(R), AreLast = true;
    for (const Op &O : R.Ops)
        Collected.push_back(canCollect(O, Sites[O.Site]));
    for (unsigned Op = 0; Op < R.Ops.size(); ++Op) {
        if (Collected.test(Op))
            continue;
        BitVector Behind = reachedFrom(R, Op);
        AreInLoops |= Behind.test(Op);
        AreLast &= !Behind.anyCommon(Collected);
    }
    return !AreInLoops || AreLast;
}

bool mayReplay(const Region &R, ArrayRef<OpSite> Sites, const kesco_plan &Plan) {
    const auto Launches =
        static_cast<unsigned>(count_if(R.Ops, [&](const Op &O) { return canCollect(O, Sites[O.Site]); }));
    if (Plan.lane_count > 1 && Plan.record_count > KESCO_REPLAYED_EVENTS)
        return false;
    if (Plan.lane_count > 1 && Launches < R.Ops.size() && !areOthersApart(R, Sites))
        return false;
    if (Plan.lane_count == 1 && R.MustPrefetch)
        return false;
    return Launches >= FewLaunches || (Launches > 0 && (hasLoop(R) || R.Lazy.size() > 1));
}

} // namespace kesco
