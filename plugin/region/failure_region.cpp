#include "plugin/region/failure_region.h"

#include "plugin/ir/walk.h"
#include "plugin/region/error_checks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

FailingFunction::FailingFunction(const Function &F) : Dominance(const_cast<Function &>(F)) {
    Fine.insert(&F.getEntryBlock());
    walkAlongEdges(
        beginOf(F.getEntryBlock()), [](const Instruction &) { return Walk::On; },
        [&](const Edge &At) { return !failedCall(At) && Fine.insert(At.To).second; });
}

FailureRegion::FailureRegion(const FailingFunction &F, const BasicBlock &To)
    : To(To), Dominance(F.Dominance) {
    SmallVector<BasicBlock *, 8> All;
    Dominance.getDescendants(const_cast<BasicBlock *>(&To), All);
    IsLeft = any_of(All, [&](const BasicBlock *Block) {
        return any_of(successors(Block), [&](const BasicBlock *Next) { return !has(*Next); });
    });
    Blocks = {&To};
    for (size_t I = 0; I < Blocks.size(); ++I)
        for (const BasicBlock *Next : successors(Blocks[I]))
            if (has(*Next) && !Next->isEHPad() && !is_contained(Blocks, Next))
                Blocks.push_back(Next);
}

bool FailureRegion::isOwn(const Value &Base) const {
    const auto *Variable = dyn_cast<AllocaInst>(&Base);
    return Variable && (!IsLeft || all_of(Variable->users(), [&](const User *By) {
               const auto *I = cast<Instruction>(By);
               return has(*I->getParent()) || I->isLifetimeStartOrEnd() || I->isDebugOrPseudoInst();
           }));
}

bool FailureRegion::makesOfConstants(const Value &V) const {
    Met Seen;
    return makes(V, Seen);
}

/// \p Seen: of one question, whose answer they are part of.
bool FailureRegion::makes(const Value &V, Met &Seen) const {
    const auto *I = dyn_cast<Instruction>(&V);
    if (!I)
        return isa<Constant>(V);
    if (!Seen.insert(I).second)
        return true;
    const bool IsMerged = isa<PHINode>(I);
    return has(*I->getParent()) &&
           (IsMerged || isa<CastInst>(I) || isa<BinaryOperator>(I) || isa<CmpInst>(I) ||
            isa<SelectInst>(I)) &&
           all_of(I->operands(), [&](const Use &Each) { return makes(*Each, Seen); }) &&
           (!IsMerged || chooses(*I->getParent(), Seen));
}

/// True if constants alone choose the way that control comes to \p Block, from where all ways to it part.
bool FailureRegion::chooses(const BasicBlock &Block, Met &Seen) const {
    const auto *Node = Dominance.getNode(&Block);
    if (!Node || !Node->getIDom())
        return false;
    const BasicBlock *First = Node->getIDom()->getBlock();
    SmallVector<const BasicBlock *, 8> Open(predecessors(&Block));
    SmallPtrSet<const BasicBlock *, 8> Passed;
    while (!Open.empty()) {
        const BasicBlock *From = Open.pop_back_val();
        if (!Passed.insert(From).second)
            continue;
        const auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
        if (!Branch || (Branch->isConditional() && !makes(*Branch->getCondition(), Seen)))
            return false;
        if (From != First)
            Open.append(pred_begin(From), pred_end(From));
    }
    return true;
}

} // namespace kesco
