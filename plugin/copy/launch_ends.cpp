#include "plugin/copy/launch_ends.h"

#include "plugin/cuda/op_sites.h"
#include "plugin/ir/calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

/// A block that control comes to from those of \p Shared alone, and from there to its end.
static BasicBlock *addBlock(const SharedEnd &Shared) {
    Function &F = *Shared.End->getParent();
    BasicBlock *Block = BasicBlock::Create(F.getContext(), "", &F, Shared.End);
    BranchInst *Branch = BranchInst::Create(Shared.End, Block);
    Branch->setDebugLoc(Shared.Own.front()->getTerminator()->getDebugLoc());
    for (BasicBlock *Own : Shared.Own)
        Own->getTerminator()->replaceSuccessorWith(Shared.End, Block);
    return Block;
}

LaunchEnds::LaunchEnds(Module &M) {
    SmallVector<CallBase *, 32> Launches;
    for (Function &F : M)
        for (CallBase &Push : make_filter_range(callsIn(F), isPushConfiguration))
            Launches.push_back(&Push);
    for (CallBase *Push : Launches) {
        const SharedEnd Shared = findSharedEnd(*Push);
        if (!Shared.End || isa<PHINode>(Shared.End->front()))
            continue;
        OwnBlock New;
        for (const Use &U : Shared.End->uses())
            New.Uses.emplace_back(U.getUser(), U.getOperandNo());
        New.Block = addBlock(Shared);
        Added.push_back(std::move(New));
    }
}

/// The order of uses shows in IR: as that of predecessors.
void LaunchEnds::putBack(const OwnBlock &Added) {
    auto *Block = dyn_cast_or_null<BasicBlock>(Added.Block);
    BasicBlock *Next = Block && Block->size() == 1 ? Block->getSingleSuccessor() : nullptr;
    if (!Next || isa<PHINode>(Next->front()))
        return;
    Block->replaceAllUsesWith(Next);
    Block->eraseFromParent();
    const auto placeOf = [&](const Use &U) {
        return find_if(Added.Uses,
                       [&](const UseOf &Old) {
                           return Old.first == U.getUser() && Old.second == U.getOperandNo();
                       }) -
               Added.Uses.begin();
    };
    Next->sortUseList([&](const Use &A, const Use &B) { return placeOf(A) < placeOf(B); });
}

LaunchEnds::~LaunchEnds() {
    for (const OwnBlock &Each : reverse(Added))
        putBack(Each);
}

} // namespace kesco
