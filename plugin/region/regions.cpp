#include "plugin/region/regions.h"

#include "plugin/copy/normalise.h"
#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/stream_action.h"
#include "plugin/llvm_version.h"
#include "plugin/region/prefetch.h"
#include "plugin/region/region_builder.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace kesco {

namespace {

/// The places of each region: those that control joins with no barrier between, ascending, by first place.
std::vector<std::vector<unsigned>> findComponents(const OpFlow &Flow) {
    EquivalenceClasses<unsigned> Classes;
    for (unsigned Index = 0; Index < Flow.Places.size(); ++Index) {
        Classes.insert(Index);
        for (unsigned Next : Flow.Places[Index].After.Next)
            Classes.unionSets(Index, Next);
    }
    std::vector<std::vector<unsigned>> Components;
    DenseMap<unsigned, unsigned> Known;
    for (unsigned Index = 0; Index < Flow.Places.size(); ++Index) {
        auto [Entry, IsNew] = Known.try_emplace(Classes.getLeaderValue(Index), Components.size());
        if (IsNew)
            Components.emplace_back();
        Components[Entry->second].push_back(Index);
    }
    return Components;
}

/// Notes in \p R what may come after the ops at \p Places. False where an instruction of the copy cannot be
/// found again in the original.
bool addBarriers(Region &R, const OpFlow &Flow, ArrayRef<unsigned> Places, const Function &F,
                 const NormalisedModule &Copy) {
    for (unsigned Index : Places) {
        for (const Instruction *Barrier : Flow.Places[Index].After.Barriers) {
            Instruction *Original = Copy.originalOf(F, *Barrier);
            if (!Original)
                return false;
            R.Barriers.insert(Original);
        }
    }
    return true;
}

/// Adds to \p Refused the first op of \p R that lets the host see what others may still be at work on, or
/// with
/// \p RefuseAll all of them. False if there is one.
bool checkSeen(Region &R, const FunctionAnalysis &Function, Refusals &Refused, bool RefuseAll) {
    kesco_pairs Seen = {};
    if (kesco_region_find_seen(&R, RefuseAll, &Seen) != 0)
        report_bad_alloc_error("kesco: the ways between ops");
    for (const auto &[Waiting, Other] : all(Seen)) {
        const unsigned Site = R.ops.items[Waiting].call.site;
        const Op &InFlight = R.ops.items[Other];
        Refused.try_emplace(Site, describeCall(Function.Sites[Site]) + ", behind which the host may touch " +
                                      InFlight.host.seen + ", and '" + InFlight.op.name +
                                      "' may still be at work on it");
    }
    return Seen.count == 0;
}

/// The guard remembers which allocations there are. Where memory is given back and made anew in between, that
/// could be wrong, so allocation is refused.
bool checkAllocation(const Region &R, const FunctionAnalysis &Function, Refusals &Refused) {
    bool Frees = any_of(all(R.ops), [](const Op &O) { return O.op.kind == KESCO_OP_FREE; });
    size_t Before = Refused.size();
    for (const Op &O : all(R.ops))
        if (O.op.kind == KESCO_OP_ALLOCATE && Frees && R.guards.checked.count > 0)
            Refused.try_emplace(O.call.site, describeCall(Function.Sites[O.call.site]) +
                                                 " beside pointers that are checked at run time");
    return Refused.size() == Before;
}

class FunctionAnalyser {
  public:
    FunctionAnalyser(Function &F, ArrayRef<OpSite> Sites, NormalisedModule &Copy, const Knowledge &Program)
        : F(F), Copy(Copy), Program(Program), Dominance(F) {
        Result.F = Result.Named = &F;
        Result.Sites.assign(Sites.begin(), Sites.end());
        if (Program.Waits.elide != KESCO_ELIDE_NONE)
            findElided();
    }

    FunctionAnalysis run(Refusals &Refused) {
        for (unsigned Tries = 1; !analyse(Refused, /*RefuseAll=*/Tries >= MostTries); ++Tries)
            ;
        return std::move(Result);
    }

  private:
    /// So often one op is refused at a time, since then others may stay.
    static constexpr unsigned MostTries = 16;

    /// False if ops were refused, and the analysis has to be made again.
    bool analyse(Refusals &Refused, bool RefuseAll) {
        Result.Regions.clear();
        Result.Barriers.clear();
        Result.BadLaunches.clear();
        Decided.Refused = Refused;
        OpFlow Flow = findOpFlow(*Copy.copyOf(F), Result.Sites, Decided);
        for (const std::vector<unsigned> &Places : findComponents(Flow)) {
            Region R =
                buildRegion(Result, Flow, Program, Dominance, Copy.analyses(), *Copy.copyOf(F), Places);
            if (!addBarriers(R, Flow, Places, F, Copy)) {
                Result.Regions.clear();
                Result.Barriers = {{R.ops.items[0].source.line, "control flow that cannot be followed",
                                    "simplify the control flow around the launches",
                                    Result.Sites[R.ops.items[0].call.site].where(), false}};
                return true;
            }
            addElided(R, Flow, Places);
            if (!addLazy(R, Flow, Places))
                return false;
            addActions(R, Flow, Places);
            if (!checkSeen(R, Result, Refused, RefuseAll) || !checkAllocation(R, Result, Refused))
                return false;
            if (wantsPrefetches())
                addPrefetches(R, Flow, Places);
            Result.Regions.push_back(std::move(R));
        }
        for (const FlowBarrier &B : Flow.Barriers) {
            const DebugLoc Where = placeInProgram(Copy.originalOf(F, *B.Where)->getDebugLoc());
            const auto *Call = dyn_cast<CallBase>(B.Where);
            Result.Barriers.push_back({lineOf(Where), B.Why, B.Advice, Where, Call && callsUnseen(*Call)});
        }
        return true;
    }

    SmallVector<Effect, 8> effectsAt(const OpSite &Site) const {
        return Site.isLaunch() ? effectsOf(Program.kernel(*Site.Issue->getCalledFunction()), std::nullopt)
                               : SmallVector<Effect, 8>();
    }

    bool isUnknown(const OpSite &Site) const {
        return any_of(effectsAt(Site), [](const Effect &E) { return E.What == Effect::Anywhere; });
    }

    /// True if the op is a kernel with the effect that is known by \p Name. A kernel of which nothing is
    /// known may have any.
    bool has(const OpSite &Site, StringRef Name) const {
        return isUnknown(Site) || any_of(effectsAt(Site), [&](const Effect &E) {
                   return E.What == Effect::Shared && E.Text == Name;
               });
    }

    /// Those that are left to the run are \p Left, if that is not null.
    void findElided(LeftSyncs *Left) {
        bool MayTrap = any_of(Result.Sites, [&](const OpSite &Site) { return has(Site, kesco::MayTrap); });
        IdleSyncs Idle = findIdleSyncs(F, Result.Sites, Copy, MayTrap, Program.Waits, Left);
        Elided = std::move(Idle.Originals);
        Result.Syncs = std::move(Idle.Elision);
        Result.Lazy = findLazyWaits(F, Result.Sites, Copy, Elided, whyNoneIsLazy(), Program.Waits);
    }

    void findElided() {
        LeftSyncs Left;
        findElided(&Left);
        if (!all_of(Left, [&](const Instruction *Call) { return Result.Lazy.Calls.contains(Call); }))
            findElided(nullptr);
        for (const auto &Entry : Elided)
            Decided.Elided.insert(Entry.first);
        for (const auto &Entry : Result.Lazy.Calls)
            Decided.Lazy.insert(Entry.first);
        Decided.Kept = Result.Lazy.Kept;
    }

    std::string nameOfKernel(const OpSite &Site) const {
        const Function &Stub = *Site.Issue->getCalledFunction();
        Kernel K = Program.kernel(Stub);
        return K.Facts ? K.Facts->Name : demangle(Stub.getName());
    }

    /// Why the host has to know of each kernel's end; empty if it has not.
    std::string whyNoneIsLazy() const {
        for (const OpSite &Site : Result.Sites) {
            bool Traps = has(Site, kesco::MayTrap);
            if (Traps || has(Site, PrintBuffer))
                return "which tells of the kernel '" + nameOfKernel(Site) + "', " +
                       (isUnknown(Site) ? "of which nothing is known"
                        : Traps         ? "which may trap"
                                        : "which prints");
        }
        return "";
    }

    void addElided(Region &R, const OpFlow &Flow, ArrayRef<unsigned> Places) const {
        for (unsigned Index : Places)
            for (const Instruction *I : Flow.Places[Index].After.Elided)
                R.Elided.insert(Elided.lookup(I));
        R.left_out = R.Elided.size();
    }

    /// Why the host could tell by memory that \p Wait is put off.
    std::string whySeen(const Region &R, const LazyWait &Wait) const {
        const Op &Seen = *find_if(all(R.ops), [&](const Op &O) {
            return O.host.seen && (!Wait.Touched || !kesco_op_tells_visible(&O));
        });
        const Instruction *Touches = Wait.Touches ? Copy.originalOf(F, *Wait.Touches) : nullptr;
        const unsigned Line = Touches ? lineOf(Touches->getDebugLoc()) : 0;
        return "behind which the host may touch " +
               (Line > 0 ? "memory in line " + std::to_string(Line) : std::string(Seen.host.seen)) +
               ", and '" + Seen.op.name + "' may still be at work on " + (Line > 0 ? Seen.host.seen : "it");
    }

    /// Calls that the run may put off only do so where the host cannot see what the ops do, or touches
    /// nothing of it. False where it may for one: that stays what it is, and the analysis has to be made
    /// again.
    bool addLazy(Region &R, const OpFlow &Flow, ArrayRef<unsigned> Places) {
        SmallSetVector<const Instruction *, 4> Lazy;
        for (unsigned Index : Places)
            Lazy.insert(Flow.Places[Index].After.Lazy.begin(), Flow.Places[Index].After.Lazy.end());
        if (Lazy.empty())
            return true;
        bool IsSeen = any_of(all(R.ops), [](const Op &O) { return O.host.seen; });
        bool AllTold = all_of(all(R.ops), [](const Op &O) { return kesco_op_tells_visible(&O); });
        for (const Instruction *I : Lazy) {
            const LazyWait &Wait = Result.Lazy.Calls.lookup(I);
            if (!IsSeen || (AllTold && Wait.Touched)) {
                R.Lazy.insert(Wait.Original);
            } else {
                Decided.Kept[I] = whySeen(R, Wait);
                Decided.Lazy.erase(I);
                Result.Lazy.Calls.erase(I);
            }
        }
        for (const Op &O : all(R.ops))
            for (ArrayRef<uint32_t> Objects : {all(O.host.may_be_seen), all(O.host.visible)})
                for (unsigned Object : Objects)
                    R.objects.items[Object].is_noted = true;
        R.put_off = R.Lazy.size();
        return R.Lazy.size() == Lazy.size();
    }

    void addActions(Region &R, const OpFlow &Flow, ArrayRef<unsigned> Places) const {
        R.Actions.resize(Places.size());
        for (unsigned I = 0; I < Places.size(); ++I) {
            const CallBase *Action = Flow.Places[Places[I]].Before.Action;
            auto *Original = Action ? dyn_cast_or_null<CallBase>(Copy.originalOf(F, *Action)) : nullptr;
            if (Original && actsOnLegacyStream(*Original) &&
                Dominance.dominates(Original, Result.Sites[R.ops.items[I].call.site].Start))
                R.Actions[I] = Original;
        }
    }

    /// In most programs no memory is managed, as they are all one unit.
    bool wantsPrefetches() const {
        return Program.Prefetches == KESCO_PREFETCH_ON ||
               (Program.Prefetches == KESCO_PREFETCH_AUTO && F.getParent()->getFunction("cudaMallocManaged"));
    }

    void addPrefetches(Region &R, const OpFlow &Flow, ArrayRef<unsigned> Places) {
        SmallSetVector<const Instruction *, 4> Barriers;
        for (unsigned Index : Places)
            Barriers.insert(Flow.Places[Index].After.Barriers.begin(),
                            Flow.Places[Index].After.Barriers.end());
        if (kesco_region_add_fetches(&R, Program.Prefetches == KESCO_PREFETCH_ON) != 0)
            report_bad_alloc_error("kesco: what is fetched to the device");
        if (Program.Prefetches != KESCO_PREFETCH_ON)
            return; /* how much of it the host reads, nobody knows */
        R.must_fetch = R.fetches.count > 0;
        findPrefetchesToHost(R, F, Barriers.getArrayRef(), Copy);
    }

    Function &F;
    NormalisedModule &Copy;
    const Knowledge &Program;
    DominatorTree Dominance; ///< of F
    Decisions Decided;
    DenseMap<const Instruction *, CallBase *> Elided; ///< as in Region, by call of the copy
    FunctionAnalysis Result;
};

} // namespace

const char *RegionMemory::text(StringRef Text) {
    const char *Copy = Text.empty() ? nullptr : kesco_region_text(this, Text.data(), Text.size());
    if (!Copy && !Text.empty())
        report_bad_alloc_error("kesco: a text of a region");
    return Copy;
}

void RegionMemory::reserve(void **Items, uint32_t Count, uint32_t *Room, size_t Size) {
    if (kesco_region_reserve(this, Items, Count, Room, Size) != 0)
        report_bad_alloc_error("kesco: a list of a region");
}

Kernel Knowledge::kernel(const Function &Stub) const {
    auto Found = Facts.Kernels.find(Stub.getName());
    return {Found == Facts.Kernels.end() ? nullptr : &Found->second, Summaries.find(Stub),
            !Stub.isDeclaration(), Summaries.isMissing(Stub)};
}

FunctionAnalysis analyseFunction(Function &F, ArrayRef<OpSite> Sites, NormalisedModule &Copy,
                                 const Knowledge &Program, Refusals &Refused) {
    return FunctionAnalyser(F, Sites, Copy, Program).run(Refused);
}

} // namespace kesco
