#include "plugin/device/loop_ends.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kesco {

/// True if \p I may read what others write; a shuffle or a vote does not.
static bool readsMemory(const Instruction &I) {
    if (const auto *Call = dyn_cast<IntrinsicInst>(&I); Call && Call->onlyAccessesInaccessibleMemory())
        return false;
    return I.mayReadOrWriteMemory();
}

/// Adds the branches of the loop on the ways from \p Fork to \p At.
void LoopEnds::addBranches(const BasicBlock &Fork, const BasicBlock &At, Deciders &To) const {
    SmallSetVector<const BasicBlock *, 8> Between;
    Between.insert(pred_begin(&At), pred_end(&At));
    for (unsigned I = 0; I < Between.size(); ++I) {
        const BasicBlock *Block = Between[I];
        if (L.contains(Block) && Block->getTerminator()->getNumSuccessors() > 1)
            To.insert(Block->getTerminator());
        if (Block != &Fork && Block != &At)
            Between.insert(pred_begin(Block), pred_end(Block));
    }
}

/// Adds the branches by which control comes to \p Phi on one way or another. In the header of a loop with one
/// latch, that is whether it comes for the first time.
void LoopEnds::addWays(const PHINode &Phi, Deciders &To) const {
    const BasicBlock &At = *Phi.getParent();
    if (&At != L.getHeader() || !L.getLoopLatch())
        addBranches(*Dominance.getNode(&At)->getIDom()->getBlock(), At, To);
}

/// Adds \p V, if it is found within the loop.
void LoopEnds::addTo(Deciders &To, const Value &V) const {
    if (const auto *I = dyn_cast<Instruction>(&V); I && L.contains(I))
        To.insert(I);
}

void LoopEnds::addOperands(const Instruction &I, Deciders &To) const {
    for (const Value *Operand : I.operands())
        addTo(To, *Operand);
}

/// True if nothing that \p Work depends on within the loop comes out of memory.
bool LoopEnds::areComputed(Deciders Work) const {
    for (unsigned I = 0; I < Work.size(); ++I) {
        if (readsMemory(*Work[I]))
            return false;
        addOperands(*Work[I], Work);
        if (const auto *Phi = dyn_cast<PHINode>(Work[I]))
            addWays(*Phi, Work);
    }
    return true;
}

bool LoopEnds::isComputed(const Value *V) const {
    Deciders Work;
    addTo(Work, *V);
    return areComputed(std::move(Work));
}

/// True if whether control comes to \p Block in a pass is what the thread computes.
bool LoopEnds::isReachedByOwn(const BasicBlock &Block) const {
    SmallVector<BasicBlock *, 4> Latches;
    L.getLoopLatches(Latches);
    if (all_of(Latches, [&](const BasicBlock *Latch) { return Dominance.dominates(&Block, Latch); }))
        return true;
    Deciders Ways;
    addBranches(*L.getHeader(), Block, Ways);
    return areComputed(std::move(Ways));
}

/// True if \p V is the same in each pass.
bool LoopEnds::isSame(const Value *V) const {
    Deciders Work;
    addTo(Work, *V);
    for (unsigned I = 0; I < Work.size(); ++I) {
        if (isa<PHINode>(Work[I]) || readsMemory(*Work[I]))
            return false;
        addOperands(*Work[I], Work);
    }
    return true;
}

static bool isStepUp(const Instruction &I) {
    const auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
    const auto *Step = Atomic ? dyn_cast<ConstantInt>(Atomic->getValOperand()) : nullptr;
    return Step && Atomic->getOperation() == AtomicRMWInst::Add && Step->getValue().isStrictlyPositive();
}

/// True if \p I raises what the loop does nothing else to.
bool LoopEnds::isCounter(const Instruction &I) {
    if (!isStepUp(I))
        return false;
    if (!Others)
        Others = findWrites(L, Sources, isStepUp);
    return !Others->mayMeet(Sources.of(I.getOperand(0)), Sources);
}

/// Adds what \p Part grows with, if it does with one value. \returns whether it may.
bool LoopEnds::addParts(const Instruction &Part, Deciders &To) const {
    if (Part.getOpcode() != Instruction::Add && !isa<CastInst, FreezeInst>(Part) &&
        (!isa<IntrinsicInst>(Part) || readsMemory(Part)))
        return false;
    const Value *Growing = nullptr;
    for (const Value *Operand : Part.operands()) {
        if (isSame(Operand))
            continue;
        if (Growing && Growing != Operand)
            return false;
        Growing = Operand;
    }
    if (Growing)
        addTo(To, *Growing);
    return true;
}

/// True if \p V is a counter that is raised within the loop, or comes of one and of what the thread computes.
bool LoopEnds::isRaised(const Value *V) {
    Deciders Parts, Ways;
    bool Found = false;
    addTo(Parts, *V);
    for (unsigned I = 0; I < Parts.size(); ++I) {
        const Instruction &Part = *Parts[I];
        if (isCounter(Part)) {
            Found = true;
            continue;
        }
        if (const auto *Phi = dyn_cast<PHINode>(&Part)) {
            addWays(*Phi, Ways);
            addOperands(Part, Parts);
        } else if (const auto *Choice = dyn_cast<SelectInst>(&Part)) {
            addTo(Ways, *Choice->getCondition());
            addTo(Parts, *Choice->getTrueValue());
            addTo(Parts, *Choice->getFalseValue());
        } else if (!addParts(Part, Parts)) {
            Ways.insert(&Part);
        }
    }
    return Found && areComputed(std::move(Ways));
}

std::optional<Below> goesOnBelow(const Instruction &Exit, const Loop &L) {
    const auto *Branch = dyn_cast<BranchInst>(&Exit);
    auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Compare)
        return std::nullopt;
    const bool GoesOnIfTrue = L.contains(Branch->getSuccessor(0));
    const ICmpInst::Predicate Goes = GoesOnIfTrue ? Compare->getPredicate() : Compare->getInversePredicate();
    Value *A = Compare->getOperand(0), *B = Compare->getOperand(1);
    if (ICmpInst::isLT(Goes) || ICmpInst::isLE(Goes))
        return Below{A, B, ICmpInst::isLT(Goes)};
    if (ICmpInst::isGT(Goes) || ICmpInst::isGE(Goes))
        return Below{B, A, ICmpInst::isGT(Goes)};
    return std::nullopt;
}

/// True if the loop goes on by \p Exit while what is raised is below a bound.
bool LoopEnds::endsByCounters(const Instruction &Exit) {
    const std::optional<Below> Goes = goesOnBelow(Exit, L);
    return Goes && isRaised(Goes->Count) && isComputed(Goes->Bound);
}

bool LoopEnds::areOwn() {
    SmallVector<BasicBlock *, 4> Exiting;
    L.getExitingBlocks(Exiting);
    return !Exiting.empty() && all_of(Exiting, [&](const BasicBlock *Block) {
        const Instruction &Exit = *Block->getTerminator();
        return isReachedByOwn(*Block) && (isComputed(&Exit) || endsByCounters(Exit));
    });
}

} // namespace kesco
