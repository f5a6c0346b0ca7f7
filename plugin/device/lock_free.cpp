#include "plugin/device/lock_free.h"

#include "plugin/device/branch_facts.h"
#include "plugin/device/loop_writes.h"
#include "plugin/ir/calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kesco {

namespace {

/// True of libdevice's functions that take a number's bits for one of another kind.
bool keepsBits(const Value &V) {
    static constexpr StringLiteral Names[] = {"__nv_int_as_float",       "__nv_float_as_int",
                                              "__nv_uint_as_float",      "__nv_float_as_uint",
                                              "__nv_longlong_as_double", "__nv_double_as_longlong"};
    const Function *Callee = calleeOf(V);
    return Callee && is_contained(Names, Callee->getName());
}

/// The value whose bits \p V has.
const Value *bitsOf(const Value *V) {
    while (isa<BitCastInst>(V) || isa<FreezeInst>(V) || keepsBits(*V))
        V = cast<Instruction>(V)->getOperand(0);
    return V;
}

class LoopReader {
  public:
    LoopReader(const Loop &L, const LoopInfo &Loops, const DominatorTree &Dominance, const BasicBlock &Latch)
        : L(L), Loops(Loops), Dominance(Dominance), Latch(Latch) {
    }

    /// True if \p I is executed once in each pass but the last.
    bool isInEachPass(const Instruction &I) const {
        return Loops.getLoopFor(I.getParent()) == &L && Dominance.dominates(I.getParent(), &Latch);
    }

    bool isLockFree(const AtomicCmpXchgInst &Swap) const {
        return triesWhatItSaw(Swap) &&
               anyFactAt(Dominance, Latch, L.getHeader(), [&](const Value *Whole, bool Holds) {
                   const Value *Condition = bitsOf(Whole);
                   return hasFailed(Swap, Condition, Holds) || wouldEndWithItsOwn(Swap, Condition, Holds);
               });
    }

  private:
    static bool isOldOf(const AtomicCmpXchgInst &Swap, const Value *V) {
        return match(bitsOf(V), m_ExtractValue<0>(m_Specific(&Swap)));
    }

    /// The same, if it has failed.
    static bool isOldOfFailed(const AtomicCmpXchgInst &Swap, const Value *V) {
        const Value *Old;
        return isOldOf(Swap, V) ||
               (match(bitsOf(V), m_Select(m_ExtractValue<1>(m_Specific(&Swap)), m_Value(), m_Value(Old))) &&
                isOldOf(Swap, Old));
    }

    /// What it expects is what it found the pass before, or what a load of this pass has.
    bool triesWhatItSaw(const AtomicCmpXchgInst &Swap) const {
        const Value *Expected = bitsOf(Swap.getCompareOperand());
        if (const auto *Phi = dyn_cast<PHINode>(Expected))
            return Phi->getParent() == L.getHeader() &&
                   isOldOfFailed(Swap, Phi->getIncomingValueForBlock(&Latch));
        const auto *Load = dyn_cast<LoadInst>(Expected);
        return Load && Loops.getLoopFor(Load->getParent()) == &L &&
               Load->getPointerOperand() == Swap.getPointerOperand();
    }

    static bool hasFailed(const AtomicCmpXchgInst &Swap, const Value *Condition, bool Holds) {
        if (match(Condition, m_ExtractValue<1>(m_Specific(&Swap))))
            return !Holds;
        const auto *Compare = dyn_cast<ICmpInst>(Condition);
        if (!Compare || Compare->getPredicate() != (Holds ? ICmpInst::ICMP_NE : ICmpInst::ICMP_EQ))
            return false;
        const Value *Expected = bitsOf(Swap.getCompareOperand());
        const auto Is = [&](unsigned A, unsigned B) {
            return bitsOf(Compare->getOperand(A)) == Expected && isOldOf(Swap, Compare->getOperand(B));
        };
        return Is(0, 1) || Is(1, 0);
    }

    /// True if the loop goes on as what memory had, in this pass or the one before, differs from what is
    /// swapped in, to the one side: so it is over once memory has that, unless somebody changes it again.
    bool wouldEndWithItsOwn(const AtomicCmpXchgInst &Swap, const Value *Condition, bool Holds) const {
        const auto *Compare = dyn_cast<CmpInst>(Condition);
        if (!Compare)
            return false;
        const CmpInst::Predicate Goes = Holds ? Compare->getPredicate() : Compare->getInversePredicate();
        const Value *New = bitsOf(Swap.getNewValOperand()), *Expected = bitsOf(Swap.getCompareOperand());
        const auto Is = [&](unsigned A, unsigned B) {
            const Value *Seen = bitsOf(Compare->getOperand(B));
            return bitsOf(Compare->getOperand(A)) == New &&
                   (isOldOf(Swap, Seen) || (Seen == Expected && isa<PHINode>(Seen)));
        };
        return CmpInst::isStrictPredicate(Goes) && L.isLoopInvariant(New) && (Is(0, 1) || Is(1, 0));
    }

    const Loop &L;
    const LoopInfo &Loops;
    const DominatorTree &Dominance;
    const BasicBlock &Latch;
};

} // namespace

bool isLockFree(const Loop &L, const LoopInfo &Loops, const DominatorTree &Dominance, Provenance &Sources) {
    const BasicBlock *Latch = L.getLoopLatch();
    if (!Latch)
        return false;
    const LoopReader Reader(L, Loops, Dominance, *Latch);
    return any_of(L.blocks(), [&](const BasicBlock *Block) {
        return any_of(*Block, [&](const Instruction &I) {
            const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I);
            return Swap && Reader.isInEachPass(I) && Reader.isLockFree(*Swap) &&
                   !findWrites(L, Sources, [&](const Instruction &Other) {
                        return &Other == Swap;
                    }).mayMeet(Sources.of(Swap->getPointerOperand()), Sources);
        });
    });
}

} // namespace kesco
