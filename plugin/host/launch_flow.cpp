#include "plugin/host/launch_flow.h"

#include "plugin/host/glue.h"
#include "plugin/host/normalise.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

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

/// A way that control takes: the instructions of a block from one on.
struct Way {
    const BasicBlock *Block;
    BasicBlock::const_iterator From;
};

class FlowFinder {
  public:
    FlowFinder(const Function &Copy, size_t SiteCount, bool PerThreadDefault)
        : Copy(Copy), PerThreadDefault(PerThreadDefault), Pushes(SiteCount), Stubs(SiteCount) {
        SourceOrder Order(Copy);
        for (const BasicBlock *Block : Order.Blocks)
            for (const Instruction &I : *Block)
                Ordered.push_back(&I);
    }

    LaunchFlow run() {
        findSites();
        findBarriers();
        addPlaces();
        connect();
        if (separateOrigins())
            connect();
        listBarriers();
        return std::move(Result);
    }

  private:
    void findSites() {
        for (const Instruction &I : instructions(Copy)) {
            const auto *Call = dyn_cast<CallBase>(&I);
            std::optional<unsigned> Site = Call ? NormalisedModule::siteOf(*Call) : std::nullopt;
            if (Site)
                (isPushConfiguration(*Call) ? Pushes : Stubs)[*Site].push_back(Call);
        }
    }

    /// True if simplification has left one copy of the launch, and all between its two calls is evaluation of
    /// arguments.
    bool isUnderstood(unsigned Site) const {
        if (Pushes[Site].size() != 1 || Stubs[Site].size() != 1)
            return false;
        const Instruction *Push = Pushes[Site].front(), *Stub = Stubs[Site].front();
        SmallPtrSet<const BasicBlock *, 8> Seen;
        SmallVector<Way, 8> Work = {{Push->getParent(), std::next(Push->getIterator())}};
        while (!Work.empty()) {
            Way Next = Work.pop_back_val();
            auto I = Next.From, End = Next.Block->end();
            for (; I != End && &*I != Stub; ++I)
                if (isa<ReturnInst>(*I) || isLaunch(*I) || classify(*I).What == Glue::Stops)
                    return false;
            if (I != End)
                continue;
            for (const BasicBlock *Successor : successors(Next.Block))
                if (Seen.insert(Successor).second)
                    Work.push_back({Successor, Successor->begin()});
        }
        return true;
    }

    static bool isLaunch(const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        return Call && NormalisedModule::siteOf(*Call);
    }

    void findBarriers() {
        for (unsigned Site = 0; Site < Stubs.size(); ++Site) {
            if (isUnderstood(Site)) {
                Understood.insert(Pushes[Site].front());
                Understood.insert(Stubs[Site].front());
                continue;
            }
            for (const auto *Calls : {&Pushes[Site], &Stubs[Site]})
                for (const CallBase *Call : *Calls)
                    Barriers[Call] = "launch in an unusual form";
        }
        /* What stops a region inside of a call does so for all of the call: the original has only that. */
        SmallDenseMap<unsigned, std::string, 8> Calls;
        for (const Instruction &I : instructions(Copy)) {
            if (Understood.contains(&I) || Barriers.contains(&I))
                continue;
            Glue What = classify(I);
            if (What.What == Glue::Fence)
                Fences.insert(&I);
            if (What.What != Glue::Stops)
                continue;
            Barriers[&I] = What.Why;
            if (std::optional<unsigned> Call = NormalisedModule::inlinedFrom(I))
                Calls.try_emplace(*Call, What.Why);
        }
        for (const Instruction &I : instructions(Copy))
            if (std::optional<unsigned> Call = NormalisedModule::inlinedFrom(I)) {
                auto Found = Calls.find(*Call);
                if (Found != Calls.end())
                    Barriers.try_emplace(&I, Found->second);
            }
    }

    Origin originOf(const CallBase &Push) const {
        const Value *Stream = Push.getArgOperand(PushStreamOperand);
        const ConstantInt *Number = nullptr;
        if (const auto *Cast = dyn_cast<ConstantExpr>(Stream))
            if (Cast->getOpcode() == Instruction::IntToPtr)
                Number = dyn_cast<ConstantInt>(Cast->getOperand(0));
        if (Number && Number->equalsInt(LegacyStream))
            return {Origin::Legacy, nullptr};
        if (Number && Number->equalsInt(PerThreadStream))
            return {Origin::PerThread, nullptr};
        if (isa<ConstantPointerNull>(Stream))
            return {PerThreadDefault ? Origin::PerThread : Origin::Legacy, nullptr};
        return {Origin::Given, Stream};
    }

    void addPlaces() {
        const BasicBlock *Last = nullptr;
        bool Fenced = false;
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
            Next.Stub = &Call;
            Next.From = originOf(*Pushes[Next.Site].front());
            Next.BehindFence = Fenced || Last != I.getParent();
            Last = I.getParent();
            Fenced = false;
            PlaceOf[&I] = Result.Places.size();
            Result.Places.push_back(std::move(Next));
        }
    }

    /// Follows all ways from \p Start to the next place or barrier. \p From is the place behind which it
    /// starts; null for none.
    void follow(Way Start, Place *From) {
        SmallPtrSet<const BasicBlock *, 16> Seen;
        SmallVector<Way, 16> Work = {Start};
        while (!Work.empty()) {
            Way Next = Work.pop_back_val();
            if (!followBlock(Next, From))
                continue;
            for (const BasicBlock *Successor : successors(Next.Block))
                if (!Successor->isEHPad() && Seen.insert(Successor).second)
                    Work.push_back({Successor, Successor->begin()});
        }
    }

    /// True if control may leave the block behind its end, with nothing met.
    bool followBlock(const Way &Next, Place *From) {
        for (const Instruction &I : make_range(Next.From, Next.Block->end())) {
            auto Found = PlaceOf.find(&I);
            if (Found != PlaceOf.end()) {
                meet(Found->second, From);
                return false;
            }
            if (Barriers.contains(&I)) {
                if (From)
                    From->Barriers.insert(&I);
                return false;
            }
        }
        return true;
    }

    void meet(unsigned Met, Place *From) {
        Place &To = Result.Places[Met];
        const Instruction *Push = Pushes[To.Site].front();
        if (!From)
            To.First = true;
        else if (Separate.contains(Met))
            From->Barriers.insert(Push);
        else
            From->Next.insert(Met);
    }

    void connect() {
        for (Place &P : Result.Places) {
            P.Next.clear();
            P.Barriers.clear();
        }
        for (const BasicBlock &Block : Copy)
            if (Block.isEntryBlock() || Block.isEHPad())
                follow({&Block, Block.begin()}, nullptr);
        for (const auto &Entry : Barriers)
            follow(behind(*Entry.first), nullptr);
        for (Place &P : Result.Places)
            follow(behind(*P.Stub), &P);
        for (unsigned Place : Separate)
            Result.Places[Place].First = Result.Places[Place].Separate = true;
    }

    /// Where control goes on behind \p I; a terminator's successors are followed from its own place.
    static Way behind(const Instruction &I) {
        return {I.getParent(), std::next(I.getIterator())};
    }

    /// A launch that may come behind one on another stream stands behind a barrier of its own. True if there
    /// is such a launch.
    bool separateOrigins() {
        for (const Place &P : Result.Places)
            for (unsigned Next : P.Next)
                if (!(Result.Places[Next].From == P.From))
                    Separate.insert(Next);
        return !Separate.empty();
    }

    void listBarriers() {
        SmallPtrSet<const Instruction *, 8> Reached;
        for (const Place &P : Result.Places)
            Reached.insert(P.Barriers.begin(), P.Barriers.end());
        for (const Instruction *I : Ordered) {
            if (!Reached.contains(I) || !reachesPlace(*I))
                continue;
            auto Found = Barriers.find(I);
            Result.Barriers.push_back(
                {I, Found == Barriers.end() ? "launch on another stream" : Found->second});
        }
    }

    bool reachesPlace(const Instruction &Start) const {
        SmallPtrSet<const BasicBlock *, 16> Seen;
        SmallVector<Way, 16> Work = {{Start.getParent(), Start.getIterator()}};
        while (!Work.empty()) {
            Way Next = Work.pop_back_val();
            for (const Instruction &I : make_range(Next.From, Next.Block->end()))
                if (PlaceOf.contains(&I))
                    return true;
            for (const BasicBlock *Successor : successors(Next.Block))
                if (Seen.insert(Successor).second)
                    Work.push_back({Successor, Successor->begin()});
        }
        return false;
    }

    const Function &Copy;
    std::vector<const Instruction *> Ordered; ///< all of Copy, in source order
    bool PerThreadDefault;
    std::vector<SmallVector<const CallBase *, 1>> Pushes; ///< by site
    std::vector<SmallVector<const CallBase *, 1>> Stubs;  ///< by site
    SmallPtrSet<const Instruction *, 16> Understood;      ///< calls of launches that are places
    DenseMap<const Instruction *, std::string> Barriers;  ///< and why
    SmallPtrSet<const Instruction *, 16> Fences;
    DenseMap<const Instruction *, unsigned> PlaceOf; ///< by stub call
    SmallSetVector<unsigned, 4> Separate;            ///< places behind a barrier of their own
    LaunchFlow Result;
};

} // namespace

LaunchFlow findLaunchFlow(const Function &Copy, size_t SiteCount, bool PerThreadDefault) {
    return FlowFinder(Copy, SiteCount, PerThreadDefault).run();
}

} // namespace kesco
