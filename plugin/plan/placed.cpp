#include "plugin/plan/placed.h"

#include "plugin/cuda/transfers.h"
#include "plugin/plan/replay.h"

using namespace llvm;

namespace kesco {

/// Regions of more ops are too large for what follows.
static constexpr size_t MostOps = 1024;

/// What the op touches is known when it is issued, and the runtime issues it, or chooses its stream.
static bool canPlace(const Op &O, const OpSite &Site) {
    if (!O.IsTold || !O.Doubt.empty())
        return false;
    return O.Kind == KESCO_OP_KERNEL ? canCollect(O, Site)
                                     : O.Kind == KESCO_OP_COPY || O.Kind == KESCO_OP_MEMSET;
}

namespace {

/// Ops that control comes back to, and what it comes through then.
class LoopsOfOps {
  public:
    explicit LoopsOfOps(const Region &R) {
        for (unsigned From = 0; From < R.Ops.size(); ++From)
            Reached.push_back(reachedFrom(R, From));
    }

    /// True if control may come from each of the two to the other.
    bool areInOne(unsigned A, unsigned B) const {
        return Reached[A].test(B) && Reached[B].test(A);
    }

  private:
    std::vector<BitVector> Reached;
};

} // namespace

/// True if passes of the loop around \p Op may be independent, by what it touches: what is in one place is
/// not written in the loop.
static bool mayBeIndependent(const Region &R, const LoopsOfOps &Loops, unsigned Op) {
    auto StaysAndIsWritten = [&](const PointerArgument &P) {
        return !P.Moves && any_of(seq<unsigned>(R.Ops.size()), [&](unsigned Other) {
            return Loops.areInOne(Op, Other) &&
                   any_of(R.Ops[Other].Pointers, [&](const PointerArgument &Its) {
                       return Its.Object == P.Object && Its.Writes && !Its.Moves;
                   });
        });
    };
    return R.Ops[Op].Kind == KESCO_OP_KERNEL && Loops.areInOne(Op, Op) &&
           any_of(R.Ops[Op].Pointers, [](const PointerArgument &P) { return P.Writes; }) &&
           none_of(R.Ops[Op].Pointers, StaysAndIsWritten);
}

/// True if the two are one kernel's launch in several passes.
static bool areCopies(const Op &A, const Op &B) {
    return A.Name == B.Name && A.SiteLine == B.SiteLine && A.SiteFile == B.SiteFile;
}

/// True if the plan has the ops in the loop around \p Op on one lane, but for copies of it.
static bool isOneLane(const Region &R, const LoopsOfOps &Loops, const kesco_plan &Plan, unsigned Op) {
    return all_of(seq<unsigned>(R.Ops.size()), [&](unsigned Other) {
        return !Loops.areInOne(Op, Other) || Plan.lane[Other] == Plan.lane[Op] ||
               areCopies(R.Ops[Other], R.Ops[Op]);
    });
}

bool shouldPlace(const Region &R, ArrayRef<OpSite> Sites, const kesco_plan &Plan) {
    if (R.Ops.size() > MostOps || R.MustPrefetch ||
        !all_of(R.Ops, [&](const Op &O) { return canPlace(O, Sites[O.Site]); }))
        return false;
    const LoopsOfOps Loops(R);
    return any_of(seq<unsigned>(R.Ops.size()), [&](unsigned Op) {
        return mayBeIndependent(R, Loops, Op) && isOneLane(R, Loops, Plan, Op);
    });
}

bool mayJoin(const Region &R, ArrayRef<OpSite> Sites) {
    return R.Ops.size() <= MostOps && !R.MustPrefetch && R.Elided.empty() && R.Lazy.empty() &&
           all_of(R.Ops, [&](const Op &O) {
               const OpSite &Site = Sites[O.Site];
               const bool HasStream = Site.isLaunch() || streamOperand(*Site.Issue) >= 0;
               return canPlace(O, Site) && HasStream && O.IsWhollyTold && O.Wait == HostWait::None &&
                      !O.WaitsElsewhere && O.Ends.empty();
           });
}

} // namespace kesco
