#include "plugin/plan/replay.h"

#include "plugin/cuda/stub_launch.h"

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

bool canCollect(const OpSite &Site) {
    return Site.isLaunch() && Site.Issue->getCalledFunction() &&
           findStubLaunch(*Site.Issue->getCalledFunction()).has_value();
}

bool mayReplay(const Region &R, ArrayRef<OpSite> Sites, const kesco_plan &Plan) {
    const auto Launches =
        static_cast<unsigned>(count_if(R.Ops, [&](const Op &O) { return canCollect(Sites[O.Site]); }));
    if (Plan.lane_count > 1 && (Launches < R.Ops.size() || Plan.record_count > KESCO_REPLAYED_EVENTS))
        return false;
    if (Plan.lane_count == 1 && R.MustPrefetch)
        return false;
    return Launches >= FewLaunches || (Launches > 0 && (hasLoop(R) || R.Lazy.size() > 1));
}

} // namespace kesco
