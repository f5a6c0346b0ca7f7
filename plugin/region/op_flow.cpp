#include "plugin/region/op_flow.h"

#include "plugin/copy/normalise.h"
#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/host_library.h"
#include "plugin/cuda/stream_action.h"
#include "plugin/cuda/transfers.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/claim.h"
#include "plugin/ir/walk.h"
#include "plugin/region/reloaded_streams.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

/// How it is said that a launch is none of a place's, before the reason.
static constexpr char UnusualArguments[] = "in its arguments the launch has a ";

/// The stream of the op of \p Site; \p Start is the copy of the call that starts it.
static Origin originOf(const OpSite &Site, const CallBase &Start) {
    const Origin Default = {Site.PerThreadDefault ? KESCO_ORIGIN_PER_THREAD : KESCO_ORIGIN_LEGACY, nullptr};
    int Operand = Site.isLaunch() ? static_cast<int>(pushStreamOperand(Start)) : streamOperand(Start);
    if (Operand < 0)
        return Default;
    const Value *Stream = Start.getArgOperand(static_cast<unsigned>(Operand));
    std::optional<unsigned> Handle = constantStream(*Stream);
    if (!Handle)
        return {KESCO_ORIGIN_GIVEN, Stream};
    if (*Handle == 0)
        return Default;
    return {*Handle == LegacyStream ? KESCO_ORIGIN_LEGACY : KESCO_ORIGIN_PER_THREAD, nullptr};
}

namespace {

/// The blocks of a function as its source would have them: what leads to a block comes before it, loops stay
/// together, and of two ways the one that is named first comes first.
class SourceOrder {
  public:
    explicit SourceOrder(const Function &F) : Dominance(const_cast<Function &>(F)), Loops(Dominance) {
        visit(F.getEntryBlock());
        std::reverse(Postorder.begin(), Postorder.end());
        for (const BasicBlock *Block : Postorder)
            place(Block, nullptr);
    }

    std::vector<const BasicBlock *> Blocks;

  private:
    void visit(const BasicBlock &Entry) {
        SmallPtrSet<const BasicBlock *, 32> Seen = {&Entry};
        SmallVector<std::pair<const BasicBlock *, unsigned>, 32> Path = {{&Entry, 0}};
        while (!Path.empty()) {
            auto &[Block, Done] = Path.back();
            const Instruction *End = Block->getTerminator();
            if (Done == End->getNumSuccessors()) {
                Postorder.push_back(Block);
                Path.pop_back();
                continue;
            }
            const BasicBlock *Next = End->getSuccessor(End->getNumSuccessors() - ++Done);
            if (Seen.insert(Next).second)
                Path.push_back({Next, 0});
        }
    }

    /// Puts \p Block, of the loop \p Inside, next: with all of its own loop if it begins one.
    void place(const BasicBlock *Block, const Loop *Inside) {
        const Loop *Own = Loops.getLoopFor(Block);
        if (Own == Inside || Own == nullptr) {
            if (Placed.insert(Block).second)
                Blocks.push_back(Block);
            return;
        }
        while (Own->getParentLoop() != Inside)
            Own = Own->getParentLoop();
        if (Placed.contains(Own->getHeader()))
            return;
        Blocks.push_back(Own->getHeader());
        Placed.insert(Own->getHeader());
        for (const BasicBlock *Other : Postorder)
            if (Own->contains(Other) && !Placed.contains(Other))
                place(Other, Own);
    }

    DominatorTree Dominance;
    LoopInfo Loops;
    std::vector<const BasicBlock *> Postorder; ///< reversed, once all are visited
    SmallPtrSet<const BasicBlock *, 32> Placed;
};

class FlowFinder {
  public:
    FlowFinder(const Function &Copy, ArrayRef<OpSite> Sites, const Decisions &Decided)
        : Copy(Copy), Sites(Sites), Decided(Decided), CallsOf(Sites.size()) {
        SourceOrder Order(Copy);
        for (const BasicBlock *Block : Order.Blocks)
            for (const Instruction &I : *Block)
                Ordered.push_back(&I);
    }

    OpFlow run() {
        findSites();
        findBarriers();
        addPlaces();
        connect();
        if (separateOrigins())
            connect();
        for (Place &P : Result.Places)
            if (P.Before.First && !P.Before.Separate && P.From.What != KESCO_ORIGIN_PER_THREAD)
                P.Before.Action = findAction(P);
        listBarriers();
        return std::move(Result);
    }

  private:
    /// The copies of a site's two calls.
    struct SiteCalls {
        SmallVector<const CallBase *, 1> Starts, Issues;
    };

    void findSites() {
        for (const CallBase &Call : callsIn(Copy)) {
            const std::optional<unsigned> Site = NormalisedModule::siteOf(Call);
            if (!Site)
                continue;
            if (!Sites[*Site].isLaunch() || isPushConfiguration(Call))
                CallsOf[*Site].Starts.push_back(&Call);
            if (!Sites[*Site].isLaunch() || !isPushConfiguration(Call))
                CallsOf[*Site].Issues.push_back(&Call);
        }
    }

    /// Why the op of \p Site is not understood; empty if simplification has left one copy of it, and all
    /// between the two calls of a launch is evaluation of arguments.
    std::string whyUnusual(unsigned Site) const {
        if (CallsOf[Site].Starts.size() != 1 || CallsOf[Site].Issues.size() != 1)
            return UnusualLaunch;
        const Instruction *Start = CallsOf[Site].Starts.front(), *Issue = CallsOf[Site].Issues.front();
        if (Start == Issue)
            return "";
        const SmallPtrSet<const BasicBlock *, 8> Leading = blocksBetween(*Start, *Issue);
        std::string Why;
        walkForward(after(*Start), [&](const Instruction &I) {
            if (&I == Issue || NormalisedModule::endsInCall(I) || I.isEHPad())
                return Walk::Turn;
            Why = isa<ReturnInst>(I) || isSite(I) ? UnusualLaunch
                                                  : whyNoEvaluation(I, Leading.contains(I.getParent()));
            return Why.empty() ? Walk::On : Walk::End;
        });
        return Why;
    }

    /// The blocks by which control comes from \p Start to \p Issue. From others that begin there, it leaves
    /// the launch, as by an exception.
    static SmallPtrSet<const BasicBlock *, 8> blocksBetween(const Instruction &Start,
                                                            const Instruction &Issue) {
        SmallPtrSet<const BasicBlock *, 8> Found;
        walkBackward(before(Issue), [&](const Instruction &I) {
            Found.insert(I.getParent());
            return &I == &Start ? Walk::Turn : Walk::On;
        });
        Found.insert(Issue.getParent());
        return Found;
    }

    /// Why \p I, in the arguments of a launch, may not leave a lane that was asked for what it is; empty if
    /// it does. \p Leads: control may come to the launch after it.
    static std::string whyNoEvaluation(const Instruction &I, bool Leads) {
        const HostEffect What = hostEffectOf(I);
        if (What.CallsBack && Leads)
            return UnusualArguments +
                   ("call to '" + demangle(cast<CallBase>(I).getCalledFunction()->getName()) + "'");
        return What.What == HostEffect::Barrier ? UnusualArguments + describeBarrier(I) : "";
    }

    static bool isSite(const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        return Call && NormalisedModule::siteOf(*Call);
    }

    /// Why the op of \p Site, which is not understood, is a barrier. Empty if it is none.
    std::string whyBarrier(unsigned Site) const {
        auto Refused = Decided.Refused.find(Site);
        if (Refused != Decided.Refused.end())
            return Refused->second;
        const std::string Why = whyUnusual(Site);
        if (Sites[Site].isLaunch())
            return Why;
        return Why.empty() && readTransfer(*CallsOf[Site].Issues.front()) ? "" : describeCall(Sites[Site]);
    }

    void findBarriers() {
        for (unsigned Site = 0; Site < Sites.size(); ++Site) {
            std::string Why = whyBarrier(Site);
            if (Why.empty()) {
                Understood.insert(CallsOf[Site].Starts.front());
                Understood.insert(CallsOf[Site].Issues.front());
                continue;
            }
            for (const auto *Calls : {&CallsOf[Site].Starts, &CallsOf[Site].Issues})
                for (const CallBase *Call : *Calls)
                    Barriers[Call] = Why;
        }
        /* What stops a region inside of a call does so for all of the call: the original has only that. But
         * on ways on which control does not come back from the call, its own code does (region_entries.h). */
        SmallDenseMap<unsigned, std::string, 8> Calls;
        for (const Instruction &I : instructions(Copy)) {
            if (Understood.contains(&I) || Barriers.contains(&I) || NormalisedModule::endsInCall(I))
                continue;
            bool Stays = !Decided.Elided.contains(&I) && !Decided.Lazy.contains(&I);
            const HostEffect What = Stays ? hostEffectOf(I) : HostEffect{HostEffect::Fence};
            if (What.What == HostEffect::Fence)
                Fences.insert(&I);
            if (What.CallsBack)
                CallingBack.insert(&I);
            if (What.What != HostEffect::Barrier)
                continue;
            std::string Why = describeBarrier(I);
            if (auto Kept = Decided.Kept.find(&I); Kept != Decided.Kept.end())
                Why += ", " + Kept->second;
            if (std::optional<unsigned> Call = NormalisedModule::inlinedFrom(I))
                Calls.try_emplace(*Call, Why);
            Barriers[&I] = std::move(Why);
        }
        for (const Instruction &I : instructions(Copy))
            if (std::optional<unsigned> Call = NormalisedModule::inlinedFrom(I)) {
                auto Found = Calls.find(*Call);
                if (Found != Calls.end())
                    Barriers.try_emplace(&I, Found->second);
            }
    }

    void addPlaces() {
        const BasicBlock *Last = nullptr;
        bool Fenced = false;
        ReloadedStreams Reloaded(Copy);
        for (const Instruction *Each : Ordered) {
            const Instruction &I = *Each;
            if (!Understood.contains(&I)) {
                Fenced |= Barriers.contains(&I) || Fences.contains(&I);
                continue;
            }
            const auto &Call = cast<CallBase>(I);
            if (isPushConfiguration(Call))
                continue;
            Place Next;
            Next.Site = *NormalisedModule::siteOf(Call);
            Next.Issue = &Call;
            Next.Start = CallsOf[Next.Site].Starts.front();
            Next.From = originOf(Sites[Next.Site], *Next.Start);
            if (Next.From.Stream)
                Next.From.Stream = Reloaded.unify(*Next.From.Stream);
            Next.Before.AfterFence = Fenced || Last != I.getParent();
            Last = I.getParent();
            Fenced = false;
            PlaceOf[&I] = Result.Places.size();
            Result.Places.push_back(std::move(Next));
        }
    }

    /// Follows all ways from \p Start to the next place or barrier. \p From is the place after which it
    /// starts; null for none.
    void follow(Point Start, Place *From) {
        follow(Start, From, [&](unsigned Met) { meet(Met, From); });
    }

    void follow(Point Start, Place *From, function_ref<void(unsigned)> Meet) {
        walkForward(
            Start,
            [&](const Instruction &I) {
                auto Found = PlaceOf.find(&I);
                if (Found != PlaceOf.end()) {
                    Meet(Found->second);
                    return Walk::Turn;
                }
                if (From && Decided.Elided.contains(&I))
                    From->After.Elided.insert(&I);
                if (From && Decided.Lazy.contains(&I))
                    From->After.Lazy.insert(&I);
                if (From && isClaim(I))
                    From->After.Claims.insert(&I);
                if (!Barriers.contains(&I))
                    return Walk::On;
                if (From)
                    From->After.Barriers.insert(&I);
                return Walk::Turn;
            },
            [](const BasicBlock &Block) { return !Block.isEHPad(); });
    }

    /// True if control comes from \p Start to a call that the run may put off, on every way, and to no other
    /// call before.
    bool isAwaited(Point Start) const {
        bool Always = true;
        walkForward(Start, [&](const Instruction &I) {
            if (Decided.Lazy.contains(&I))
                return Walk::Turn;
            Always = (!isa<CallBase>(I) || isa<IntrinsicInst>(I)) &&
                     (!I.isTerminator() || I.getNumSuccessors() > 0);
            return Always ? Walk::On : Walk::End;
        });
        return Always;
    }

    void meet(unsigned Met, Place *From) {
        Place &To = Result.Places[Met];
        const Instruction *Start = CallsOf[To.Site].Starts.front();
        if (!From)
            To.Before.First = true;
        else if (Separate.contains(Met))
            From->After.Barriers.insert(Start);
        else
            From->After.Next.insert(Met);
    }

    void connect() {
        for (Place &P : Result.Places) {
            P.After.Next.clear();
            P.After.Barriers.clear();
        }
        for (const BasicBlock &Block : Copy)
            if (Block.isEntryBlock() || Block.isEHPad())
                follow(beginOf(Block), nullptr);
        for (const auto &Entry : Barriers)
            follow(after(*Entry.first), nullptr);
        for (Place &P : Result.Places) {
            follow(after(*P.Issue), &P);
            P.After.Awaited = isAwaited(after(*P.Issue));
        }
        for (const Instruction *I : CallingBack)
            follow(after(*I), nullptr, [&](unsigned Met) { Result.Places[Met].Before.CalledBack = true; });
        for (unsigned Place : Separate)
            Result.Places[Place].Before.First = Result.Places[Place].Before.Separate = true;
    }

    /// An op that may come after one on another stream stands after a barrier of its own. True if there is
    /// such an op.
    bool separateOrigins() {
        for (const Place &P : Result.Places)
            for (unsigned Next : P.After.Next)
                if (!(Result.Places[Next].From == P.From))
                    Separate.insert(Next);
        return !Separate.empty();
    }

    /// The one call that acts on the legacy default stream after which control comes to \p To, on every way
    /// there on which no op of its region is in flight; null if there is none. What may come back into the
    /// program may issue what that call has not acted on.
    const CallBase *findAction(const Place &To) const {
        const CallBase *Found = nullptr;
        bool IsOne = true;
        walkBackward(
            before(*CallsOf[To.Site].Starts.front()),
            [&](const Instruction &I) {
                if (PlaceOf.contains(&I))
                    return Walk::Turn;
                if (!Barriers.contains(&I) && !CallingBack.contains(&I))
                    return Walk::On;
                IsOne = actsOnLegacyStream(I) && (!Found || Found == &I);
                Found = dyn_cast<CallBase>(&I);
                return IsOne ? Walk::Turn : Walk::End;
            },
            [&](const BasicBlock &Block) {
                IsOne = !Block.isEntryBlock() && !Block.isEHPad();
                return IsOne ? Walk::On : Walk::End;
            });
        return IsOne ? Found : nullptr;
    }

    void listBarriers() {
        SmallPtrSet<const Instruction *, 8> Reached;
        for (const Place &P : Result.Places)
            Reached.insert(P.After.Barriers.begin(), P.After.Barriers.end());
        for (const Instruction *I : Ordered) {
            if (!isUnusualLaunch(*I) && !comesBack(*I) && (!Reached.contains(I) || !reachesPlace(*I)))
                continue;
            auto Found = Barriers.find(I);
            if (Found == Barriers.end())
                Result.Barriers.push_back(
                    {I, AnotherStream, "if the program allows, issue it on the stream of the others"});
            else
                Result.Barriers.push_back({I, Found->second, adviceFor(*I)});
        }
    }

    /// True if \p I calls the function at hand, so that what it issues comes before and after.
    bool comesBack(const Instruction &I) const {
        return calleeOf(I) == &Copy && !Result.Places.empty() && Barriers.contains(&I);
    }

    /// True where a launch begins that is no place.
    bool isUnusualLaunch(const Instruction &I) const {
        const auto *Call = dyn_cast<CallBase>(&I);
        return Call && isSite(I) && isPushConfiguration(*Call) && Barriers.contains(&I);
    }

    const char *adviceFor(const Instruction &Barrier) const {
        const StringRef Why = Barriers.find(&Barrier)->second;
        if (Why.starts_with(UnusualArguments))
            return "store what its arguments come from in variables before it";
        if (Why.contains(CallsItself))
            return "make it a loop, or move the call before or behind the launches if the program allows";
        const auto *Call = dyn_cast<CallBase>(&Barrier);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        if (Callee && Callee->isDeclaration() && !comparesByGiven(*Callee) && !isCudaFunction(*Callee) &&
            !isPushConfiguration(*Call) && !isOfLibrary(*Callee))
            return "define that function in this source file, or move the call before or behind the launches "
                   "if the program allows";
        return "if the program allows, move it before or behind the launches";
    }

    bool reachesPlace(const Instruction &Start) const {
        return mayComeTo(before(Start), [&](const Instruction &I) { return PlaceOf.contains(&I); });
    }

    const Function &Copy;
    ArrayRef<OpSite> Sites; ///< of the original
    const Decisions &Decided;
    std::vector<const Instruction *> Ordered;            ///< all of Copy, in source order
    std::vector<SiteCalls> CallsOf;                      ///< by site
    SmallPtrSet<const Instruction *, 16> Understood;     ///< calls of ops that are places
    DenseMap<const Instruction *, std::string> Barriers; ///< and why
    SmallPtrSet<const Instruction *, 16> Fences;
    SmallSetVector<const Instruction *, 16> CallingBack; ///< those of them that may come back
    DenseMap<const Instruction *, unsigned> PlaceOf;     ///< by the call that issues
    SmallSetVector<unsigned, 4> Separate;                ///< places after a barrier of their own
    OpFlow Result;
};

} // namespace

/// True if \p Stream is one value for as long as the function runs, unless what it is loaded from is written.
static bool isSteady(const Value &Stream) {
    const auto *Made = dyn_cast<Instruction>(&Stream);
    if (!Made || isa<AllocaInst>(Made))
        return true;
    if (const auto *Load = dyn_cast<LoadInst>(Made))
        return isSteady(*Load->getPointerOperand()->stripInBoundsConstantOffsets());
    return !mayComeTo(after(*Made), [&](const Instruction &I) { return &I == Made; });
}

std::optional<Origin> findOneStream(const Function &Copy, ArrayRef<OpSite> Sites, ReloadedStreams *Reloaded) {
    std::optional<Origin> One;
    for (const CallBase &Call : callsIn(Copy)) {
        const std::optional<unsigned> Site = NormalisedModule::siteOf(Call);
        if (!Site || (Sites[*Site].isLaunch() && !isPushConfiguration(Call)))
            continue;
        Origin Each = originOf(Sites[*Site], Call);
        const auto *Made = dyn_cast_or_null<Instruction>(Each.Stream);
        if (Made && !(Reloaded ? isSteady(*Made) : Made->getParent()->isEntryBlock()))
            return std::nullopt;
        if (Reloaded && Each.Stream)
            Each.Stream = Reloaded->unify(*Each.Stream);
        if (One && !(*One == Each))
            return std::nullopt;
        One = Each;
    }
    return One.value_or(Origin());
}

OpFlow findOpFlow(const Function &Copy, ArrayRef<OpSite> Sites, const Decisions &Decided) {
    return FlowFinder(Copy, Sites, Decided).run();
}

} // namespace kesco
