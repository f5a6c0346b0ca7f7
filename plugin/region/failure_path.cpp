#include "plugin/region/failure_path.h"

#include "plugin/region/error_checks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace kesco {

/// Where control comes next at the end of \p Block, if nothing is thrown; null where that is not one place.
static const BasicBlock *nextOf(const BasicBlock &Block) {
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

FailurePath::FailurePath(const CallBase &Failing) : Call(Failing), Variable(variableOf(Failing)) {
    constexpr unsigned MostBlocks = 8;
    Handler = findHandler();
    const BranchInst *Test = Handler ? nullptr : findTest();
    if (!Test)
        return;
    const BasicBlock *From = Test->getParent();
    const BasicBlock *Block = &failureOf(*cast<ICmpInst>(Test->getCondition()), *Test);
    while (Block && Blocks.size() < MostBlocks && add(*Block, *From)) {
        if (isa<UnreachableInst>(Block->getTerminator()))
            return;
        From = Block;
        Block = nextOf(*Block);
    }
    Blocks.clear();
}

/// True for the call's result, be it loaded from its variable.
bool FailurePath::isError(const Value &V) const {
    const auto *Load = dyn_cast<LoadInst>(&V);
    return &V == &Call || (Load && Variable && Load->getPointerOperand() == Variable);
}

/// The function that is given the result right behind the call; null for none.
const CallBase *FailurePath::findHandler() const {
    if (!Call.hasOneUse())
        return nullptr;
    const auto *Found = dyn_cast<CallBase>(*Call.user_begin());
    const Function *Callee = Found ? Found->getCalledFunction() : nullptr;
    const bool Takes = Callee && !Callee->isDeclaration() && Found->use_empty() &&
                       all_of(Found->args(), [&](const Use &Given) {
                           return Given.get() == &Call || isa<Constant>(Given.get());
                       });
    return Takes ? Found : nullptr;
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
bool FailurePath::leadsToTest(const Instruction &I) const {
    const auto *Store = dyn_cast<StoreInst>(&I);
    return I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst() || isa<LoadInst>(I) || isa<ICmpInst>(I) ||
           isa<BranchInst>(I) || (Store && Store->getPointerOperand() == Variable);
}

/// The branch that control comes to first behind the call, if that looks whether it succeeded, and nothing
/// else is done before; else null.
const BranchInst *FailurePath::findTest() const {
    constexpr unsigned MostBlocks = 4;
    const BasicBlock *Block = Call.getParent();
    BasicBlock::const_iterator From = std::next(Call.getIterator());
    if (isa<InvokeInst>(Call)) {
        Block = nextOf(*Block);
        From = Block->begin();
    }
    for (unsigned I = 0; Block && I < MostBlocks; ++I) {
        if (!all_of(make_range(From, Block->end()),
                    [&](const Instruction &Each) { return leadsToTest(Each); }))
            return nullptr;
        const auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
        if (Branch && Branch->isConditional()) {
            const auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
            const Value *Looked = Compare ? comparedWithSuccess(*Compare) : nullptr;
            return Looked && isError(*Looked) ? Branch : nullptr;
        }
        Block = Branch ? nextOf(*Block) : nullptr;
        if (Block)
            From = Block->begin();
    }
    return nullptr;
}

/// True if \p Operand is there wherever the path is gone.
bool FailurePath::takes(const Value &Operand) const {
    const auto *I = dyn_cast<Instruction>(&Operand);
    return &Operand == &Call || &Operand == Variable || !I ||
           any_of(Blocks, [&](const Step &Each) { return Each.first == I->getParent(); });
}

/// False: the block is none of a path.
bool FailurePath::add(const BasicBlock &Block, const BasicBlock &From) {
    if (any_of(Blocks, [&](const Step &Each) { return Each.first == &Block; }))
        return false;
    Blocks.push_back({&Block, &From});
    return all_of(Block, [&](const Instruction &I) {
        if (const auto *Merged = dyn_cast<PHINode>(&I))
            return takes(*Merged->getIncomingValueForBlock(&From));
        if (const auto *Invoke = dyn_cast<InvokeInst>(&I))
            return all_of(Invoke->args(), [&](const Use &Given) { return takes(*Given); });
        return I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst() ||
               (!isa<AllocaInst>(I) && !I.isEHPad() && !isa<ResumeInst>(I) &&
                all_of(I.operands(), [&](const Use &Operand) { return takes(*Operand); }));
    });
}

/// A copy of \p I, if there is to be one; else null.
static Instruction *copyOf(const Instruction &I) {
    if (const auto *Invoke = dyn_cast<InvokeInst>(&I)) {
        auto *Made = createCallMatchingInvoke(const_cast<InvokeInst *>(Invoke));
        Made->setDebugLoc(I.getDebugLoc());
        return Made;
    }
    return I.isTerminator() || I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst() ? nullptr : I.clone();
}

void FailurePath::copyBefore(Instruction &At, Value &Error) const {
    IRBuilder<> Builder(&At);
    Value *Failed = Builder.CreateICmpNE(&Error, Constant::getNullValue(Error.getType()));
    Instruction *End = SplitBlockAndInsertIfThen(Failed, At.getIterator(), /*Unreachable=*/!Handler,
                                                 MDBuilder(At.getContext()).createUnlikelyBranchWeights());
    ValueToValueMapTy Map;
    Map[&Call] = &Error;
    Builder.SetInsertPoint(End);
    const auto insert = [&](const Instruction &I) {
        if (Instruction *New = copyOf(I)) {
            Builder.Insert(New);
            New->setDebugLoc(I.getDebugLoc());
            RemapInstruction(New, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
            Map[&I] = New;
        }
    };
    if (Handler) {
        insert(*Handler);
        return;
    }
    if (Variable) {
        Instruction *New = Variable->clone();
        New->insertBefore(const_cast<AllocaInst *>(Variable)->getIterator());
        Builder.CreateStore(&Error, New);
        Map[Variable] = New;
    }
    for (const auto &[Block, From] : Blocks)
        for (const Instruction &I : *Block) {
            if (const auto *Merged = dyn_cast<PHINode>(&I)) {
                Value *Incoming = Merged->getIncomingValueForBlock(From);
                auto Known = Map.find(Incoming);
                Map[&I] = Known == Map.end() ? Incoming : static_cast<Value *>(Known->second);
                continue;
            }
            insert(I);
        }
}

} // namespace kesco
