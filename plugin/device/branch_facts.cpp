#include "plugin/device/branch_facts.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kesco {

bool anyPart(Value *Condition, bool Holds, IsFact Is) {
    Value *A = nullptr, *B = nullptr;
    if (match(Condition, m_Not(m_Value(A))))
        return anyPart(A, !Holds, Is);
    if (Holds ? match(Condition, m_LogicalAnd(m_Value(A), m_Value(B)))
              : match(Condition, m_LogicalOr(m_Value(A), m_Value(B))))
        return anyPart(A, Holds, Is) || anyPart(B, Holds, Is);
    return Is(Condition, Holds);
}

static bool anyPartOn(const BasicBlock *From, const BasicBlock *To, IsFact Is) {
    const auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    return Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1) &&
           anyPart(Branch->getCondition(), Branch->getSuccessor(0) == To, Is);
}

bool anyFactAt(const DominatorTree &Dominance, const BasicBlock &At, const BasicBlock *To, IsFact Is) {
    if (To && anyPartOn(&At, To, Is))
        return true;
    const auto *Node = Dominance.getNode(&At);
    for (Node = Node ? Node->getIDom() : nullptr; Node; Node = Node->getIDom())
        for (const BasicBlock *Next : successors(Node->getBlock()))
            if (Dominance.dominates(BasicBlockEdge(Node->getBlock(), Next), &At) &&
                anyPartOn(Node->getBlock(), Next, Is))
                return true;
    return false;
}

} // namespace kesco
