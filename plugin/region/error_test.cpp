#include "plugin/region/error_test.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/region/error_checks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace kesco {

const BasicBlock *nextOf(const BasicBlock &Block) {
    if (const auto *Invoke = dyn_cast<InvokeInst>(Block.getTerminator()))
        return Invoke->getNormalDest();
    return Block.getSingleSuccessor();
}

/// The variable that the result of \p Call goes to, and nowhere else; null for none.
static const AllocaInst *variableOf(const CallBase &Call) {
    if (!Call.hasOneUse())
        return nullptr;
    const auto *Store = dyn_cast<StoreInst>(*Call.user_begin());
    const auto *Found = Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
    return Found && Found->isStaticAlloca() && Store->getValueOperand() == &Call ? Found : nullptr;
}

bool asksForError(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->isDeclaration() &&
           (Callee->getName() == "cudaGetLastError" || Callee->getName() == "cudaPeekAtLastError");
}

bool mayReturnError(const CallBase &Call) {
    const kesco_call *Api = lookUpApi(Call);
    return Api && (Api->effect == KESCO_ALLOCATES || Api->effect == KESCO_HARMLESS) &&
           Call.getType()->isIntegerTy(32) && !asksForError(Call);
}

/// The first call from \p From on, to the end of its block and of those that it leads to, before which
/// nothing is done but to fill variables; null for none.
static const CallBase *firstCall(BasicBlock::const_iterator From) {
    constexpr unsigned MostBlocks = 4;
    const BasicBlock *Block = From->getParent();
    for (unsigned I = 0; Block && I < MostBlocks; ++I) {
        for (const Instruction &Each : make_range(From, Block->end())) {
            const auto *Store = dyn_cast<StoreInst>(&Each);
            if (Each.isLifetimeStartOrEnd() || Each.isDebugOrPseudoInst() || isa<AllocaInst>(Each) ||
                isa<LoadInst>(Each) || isa<BranchInst>(Each) ||
                (Store && isa<AllocaInst>(Store->getPointerOperand())))
                continue;
            return dyn_cast<CallBase>(&Each);
        }
        Block = nextOf(*Block);
        if (Block)
            From = Block->begin();
    }
    return nullptr;
}

/// What comes after \p Call if nothing is thrown; null for nothing.
static const Instruction *afterCall(const CallBase &Call) {
    const auto *Invoke = dyn_cast<InvokeInst>(&Call);
    return Invoke ? &Invoke->getNormalDest()->front() : Call.getNextNode();
}

/// Sets Teller, and Asker, to who is told in place of a call whose result nobody uses.
void ErrorTest::findAsker() {
    const Instruction *After = Teller->use_empty() ? afterCall(*Teller) : nullptr;
    const CallBase *Next = After ? firstCall(After->getIterator()) : nullptr;
    if (!Next)
        return;
    if (asksForError(*Next)) {
        Teller = Next;
        return;
    }
    const Function *Callee = Next->getCalledFunction();
    if (!Callee || Callee->isDeclaration() || Callee->isInterposable() || Callee->isVarArg() ||
        !Next->use_empty() ||
        !all_of(Next->args(), [](const Use &Given) { return isa<Constant>(Given.get()); }))
        return;
    const CallBase *Question = firstCall(Callee->getEntryBlock().begin());
    if (!Question || !isa<CallInst>(Question) || !asksForError(*Question))
        return;
    Teller = Question;
    Asker = Next;
}

ErrorTest::ErrorTest(const CallBase &Call) : Teller(&Call) {
    findAsker();
    if (Asker)
        return;
    Variable = variableOf(*Teller);
    Branch = findBranch();
}

const BasicBlock &ErrorTest::failing() const {
    return failureOf(*cast<ICmpInst>(Branch->getCondition()), *Branch);
}

/// True for the call's result, be it loaded from its variable.
bool ErrorTest::isError(const Value &V) const {
    const auto *Load = dyn_cast<LoadInst>(&V);
    return &V == Teller || (Load && Variable && Load->getPointerOperand() == Variable);
}

/// The other side of a comparison with success; null for any other.
static const Value *comparedWithSuccess(const ICmpInst &Compare) {
    const auto isSuccess = [](const Value *V) {
        const auto *Number = dyn_cast<ConstantInt>(V);
        return Number && Number->isZero();
    };
    if (!Compare.isEquality())
        return nullptr;
    return isSuccess(Compare.getOperand(1))   ? Compare.getOperand(0)
           : isSuccess(Compare.getOperand(0)) ? Compare.getOperand(1)
                                              : nullptr;
}

/// True for what does nothing but lead to the test.
bool ErrorTest::leadsToTest(const Instruction &I) const {
    const auto *Store = dyn_cast<StoreInst>(&I);
    return I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst() || isa<LoadInst>(I) || isa<ICmpInst>(I) ||
           isa<BranchInst>(I) || (Store && Store->getPointerOperand() == Variable);
}

/// The branch that control comes to first after the call, if that looks whether it succeeded, and nothing
/// else is done before; else null.
const BranchInst *ErrorTest::findBranch() const {
    constexpr unsigned MostBlocks = 4;
    const Instruction *After = afterCall(*Teller);
    const BasicBlock *Block = After->getParent();
    BasicBlock::const_iterator From = After->getIterator();
    for (unsigned I = 0; Block && I < MostBlocks; ++I) {
        if (!all_of(make_range(From, Block->end()),
                    [&](const Instruction &Each) { return leadsToTest(Each); }))
            return nullptr;
        const auto *Found = dyn_cast<BranchInst>(Block->getTerminator());
        if (Found && Found->isConditional()) {
            const auto *Compare = dyn_cast<ICmpInst>(Found->getCondition());
            const Value *Looked = Compare ? comparedWithSuccess(*Compare) : nullptr;
            return Looked && isError(*Looked) ? Found : nullptr;
        }
        Block = Found ? nextOf(*Block) : nullptr;
        if (Block)
            From = Block->begin();
    }
    return nullptr;
}

const Value *ErrorTest::keptIn(const Instruction &I) const {
    const auto *Load = dyn_cast<LoadInst>(&I);
    const auto *From = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
    const Value *Kept = nullptr;
    if (!From || From == Variable)
        return nullptr;
    for (const User *By : From->users()) {
        const auto *Store = dyn_cast<StoreInst>(By);
        if (Store && Store->getPointerOperand() == From && !Kept &&
            !isa<Instruction>(Store->getValueOperand()))
            Kept = Store->getValueOperand();
        else if (!isa<LoadInst>(By) && !cast<Instruction>(By)->isLifetimeStartOrEnd())
            return nullptr;
    }
    return Kept && Kept->getType() == Load->getType() ? Kept : nullptr;
}

} // namespace kesco
