#include "plugin/plan/repeated_plans.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace kesco {

namespace {

/// The call, in the function itself, that an instruction was inlined with.
struct InlinedCall {
    const DILocation *Where = nullptr; ///< null if it stood there from the beginning
    const DISubprogram *Callee = nullptr;

    bool operator==(const InlinedCall &Other) const {
        return Where == Other.Where && Callee == Other.Callee;
    }
};

InlinedCall callOf(const DebugLoc &Location) {
    const DILocation *Inner = Location.get();
    if (!Inner || !Inner->getInlinedAt())
        return {};
    while (Inner->getInlinedAt()->getInlinedAt())
        Inner = Inner->getInlinedAt();
    return {Inner->getInlinedAt(), Inner->getScope()->getSubprogram()};
}

class RepetitionFinder {
  public:
    explicit RepetitionFinder(ArrayRef<ScheduledFunction> Functions)
        : Functions(Functions), States(Functions.size(), Unknown) {
    }

    bool repeats(size_t Index) {
        if (States[Index] != Unknown)
            return States[Index] == Repeats;
        States[Index] = Visited;
        const ScheduledFunction &Function = Functions[Index];
        bool IsVariant = Function.Analysis.F != Function.Analysis.Named;
        bool IsElsewhere =
            IsVariant && !hasBarriersOfItsOwn(Function.Analysis) &&
            all_of(Function.Regions, [&](const ScheduledRegion &R) { return isElsewhere(Function, R); });
        States[Index] = IsElsewhere ? Repeats : Stays;
        return IsElsewhere;
    }

  private:
    enum State { Unknown, Visited, Stays, Repeats };

    /// Barriers in calls that issue no op are the function's own affair, though they may be inlined.
    static bool hasBarriersOfItsOwn(const FunctionAnalysis &Analysis) {
        return any_of(Analysis.Barriers, [&](const Barrier &B) {
            const InlinedCall Call = callOf(B.Where);
            return !Call.Where || none_of(Analysis.Sites, [&](const OpSite &Site) {
                return callOf(Site.Start->getDebugLoc()) == Call;
            });
        });
    }

    static const DebugLoc &locationOf(const FunctionAnalysis &Analysis, const Op &O) {
        return Analysis.Sites[O.call.site].Start->getDebugLoc();
    }

    bool isElsewhere(const ScheduledFunction &Function, const ScheduledRegion &Scheduled) {
        const FunctionAnalysis &Analysis = Function.Analysis;
        const InlinedCall Call = callOf(locationOf(Analysis, Scheduled.R->ops.items[0]));
        if (!Call.Where || !all_of(all(Scheduled.R->ops),
                                   [&](const Op &O) { return callOf(locationOf(Analysis, O)) == Call; }))
            return false;
        for (size_t I = 0; I < Functions.size(); ++I) {
            const ScheduledFunction &Other = Functions[I];
            if (&Other == &Function || Other.Analysis.Named->getSubprogram() != Call.Callee)
                continue;
            /* Functions that call each other must not each count on the other. */
            repeats(I);
            return States[I] != Visited && any_of(Other.Regions, [&](const ScheduledRegion &R) {
                       return isAlike(Analysis, Scheduled, Other.Analysis, R);
                   });
        }
        return false;
    }

    /// True if the host has to wait for what others have in flight before \p O, as far as \p Analysis knows.
    static bool waitsForOthers(const FunctionAnalysis &Analysis, const Op &O) {
        const auto Found = Analysis.Lazy.Covers.find(O.call.site);
        return Found != Analysis.Lazy.Covers.end() && !Found->second.IsKnown && !Found->second.IsFresh;
    }

    /// True if the two have the same launches, ways between them and plan, and the host waits as often.
    static bool isAlike(const FunctionAnalysis &A, const ScheduledRegion &First, const FunctionAnalysis &B,
                        const ScheduledRegion &Second) {
        const Region &R = *First.R, &S = *Second.R;
        if (R.ops.count != S.ops.count || R.guards.checked.count != S.guards.checked.count ||
            First.plan->lane_count != Second.plan->lane_count ||
            First.plan->sync.wait_count != Second.plan->sync.wait_count)
            return false;
        return all_of_zip(all(R.ops), all(S.ops), [&](const Op &O, const Op &P) {
            return locationOf(A, O).getLine() == locationOf(B, P).getLine() &&
                   all(O.way.next) == all(P.way.next) && waitsForOthers(A, O) == waitsForOthers(B, P);
        });
    }

    ArrayRef<ScheduledFunction> Functions;
    std::vector<State> States;
};

} // namespace

std::vector<bool> findRepeatedPlans(ArrayRef<ScheduledFunction> Functions) {
    RepetitionFinder Finder(Functions);
    std::vector<bool> Result;
    for (size_t I = 0; I < Functions.size(); ++I)
        Result.push_back(Finder.repeats(I));
    return Result;
}

} // namespace kesco
