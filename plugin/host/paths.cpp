#include "plugin/host/paths.h"

#include "plugin/host/normalise.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace kesco {

/// The blocks on paths from \p From, which dominates \p To, to \p To, without the two. Nothing if To can be
/// reached again without passing From.
template <typename Block>
static std::optional<SmallPtrSet<Block *, 8>> blocksBetween(Block &From, Block &To) {
    SmallPtrSet<Block *, 8> Between;
    SmallVector<Block *, 8> Work(predecessors(&To));
    while (!Work.empty()) {
        Block *Next = Work.pop_back_val();
        if (Next == &To)
            return std::nullopt;
        if (Next == &From || !Between.insert(Next).second)
            continue;
        append_range(Work, predecessors(Next));
    }
    return Between;
}

LineFinder::LineFinder(const Function &F)
    : Dominance(const_cast<Function &>(F)), PostDominance(const_cast<Function &>(F)) {
    for (const BasicBlock &Block : F)
        for (const Instruction &I : Block)
            if (const auto *Call = dyn_cast<CallBase>(&I))
                if (NormalisedModule::siteOf(*Call))
                    Launching.insert(&Block);
}

bool LineFinder::reachesLaunch(const BasicBlock *From, const BasicBlock &Without) const {
    SmallPtrSet<const BasicBlock *, 16> Seen = {&Without};
    SmallVector<const BasicBlock *, 16> Work = {From};
    while (!Work.empty()) {
        const BasicBlock *Next = Work.pop_back_val();
        if (!Seen.insert(Next).second)
            continue;
        if (Launching.contains(Next))
            return true;
        append_range(Work, successors(Next));
    }
    return false;
}

std::optional<Continuation> LineFinder::continueAt(const BasicBlock &Block, const BasicBlock *Next) const {
    if (!Next || !Dominance.properlyDominates(&Block, Next))
        return std::nullopt;
    auto Between = blocksBetween<const BasicBlock>(Block, *Next);
    if (!Between || any_of(*Between, [&](const BasicBlock *B) { return Launching.contains(B); }))
        return std::nullopt;
    return Continuation{Next, std::move(*Between)};
}

/// The one successor that only \p Block leads to and that leads to further launches; null if there are more,
/// or none.
const BasicBlock *LineFinder::successorThatLaunches(const BasicBlock &Block) const {
    const BasicBlock *Found = nullptr;
    for (const BasicBlock *Successor : successors(&Block)) {
        if (Successor->getSinglePredecessor() != &Block || !reachesLaunch(Successor, Block))
            continue;
        if (Found)
            return nullptr;
        Found = Successor;
    }
    return Found;
}

/// Where all ways meet again, behind any loop; else the one way that leads to further launches.
std::optional<Continuation> LineFinder::continuation(const BasicBlock &Block) const {
    const DomTreeNode *Meeting = PostDominance.getNode(&Block);
    while (Meeting && (Meeting = Meeting->getIDom()))
        if (auto Found = continueAt(Block, Meeting->getBlock()))
            return Found;
    return continueAt(Block, successorThatLaunches(Block));
}

/// Ways on from \p Block that are no part of \p Inside. False where they cannot be told.
static bool addExits(BasicBlock *Block, const SmallPtrSetImpl<BasicBlock *> &Inside,
                     SmallVectorImpl<RegionExit> &Exits) {
    Instruction *Terminator = Block->getTerminator();
    const auto *Invoke = dyn_cast<InvokeInst>(Terminator);
    for (unsigned I = 0; I < Terminator->getNumSuccessors(); ++I) {
        BasicBlock *Successor = Terminator->getSuccessor(I);
        /* What stands in a region does not throw. */
        if (Inside.contains(Successor) || (Invoke && Successor == Invoke->getUnwindDest()))
            continue;
        if (!isa<BranchInst>(Terminator) && !isa<SwitchInst>(Terminator))
            return false;
        Exits.push_back({Terminator, I});
    }
    return true;
}

bool findExits(const LaunchSite &From, const LaunchSite &To, const DominatorTree &Dominance,
               SmallVectorImpl<RegionExit> &Exits) {
    BasicBlock *First = From.End, *Last = To.Push->getParent();
    if (First == Last)
        return true;
    if (!Dominance.dominates(First, Last))
        return false;
    auto Between = blocksBetween(*First, *Last);
    if (!Between || Between->contains(From.Push->getParent()))
        return false;
    Between->insert(Last);
    SmallVector<RegionExit, 4> Found;
    if (!addExits(First, *Between, Found))
        return false;
    for (BasicBlock *Block : *Between)
        if (Block != Last && !addExits(Block, *Between, Found))
            return false;
    append_range(Exits, Found);
    return true;
}

} // namespace kesco
