#include "plugin/copy/pointer_walks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

namespace {

class PointerWalk {
  public:
    explicit PointerWalk(PHINode &From) {
        constexpr size_t MostSteps = 32;
        Steps.insert(&From);
        for (size_t I = 0; I < Steps.size() && IsOne; ++I) {
            collect(*Steps[I]);
            IsOne &= Steps.size() <= MostSteps;
        }
    }

    bool isNested(const DominatorTree &Dominance) const {
        return IsOne && Base && !isa<ConstantData>(Base) &&
               count_if(Steps, [](const Instruction *Step) { return isa<PHINode>(Step); }) > 1 &&
               all_of(Steps, [&](const Instruction *Step) { return Dominance.dominates(Base, Step); });
    }

    bool has(Instruction *I) const {
        return Steps.contains(I);
    }

    /// The steps are gone then.
    void moveOffsets() {
        for (Instruction *Step : Steps)
            if (auto *Merged = dyn_cast<PHINode>(Step))
                Offsets[Step] = IRBuilder<>(Step).CreatePHI(number(), Merged->getNumIncomingValues());
        for (Instruction *Step : Steps)
            offsetOf(*Step);
        for (Instruction *Step : Steps)
            replace(*Step);
        for (Instruction *Step : Steps) {
            Step->replaceAllUsesWith(PoisonValue::get(Step->getType()));
            Step->eraseFromParent();
        }
    }

  private:
    void collect(Instruction &Step) {
        if (auto *Moved = dyn_cast<GetElementPtrInst>(&Step))
            return follow(*Moved->getPointerOperand());
        for (Value *From : cast<PHINode>(Step).incoming_values())
            follow(*From);
    }

    void follow(Value &From) {
        if (isa<PHINode>(From) || isa<GetElementPtrInst>(From)) {
            Steps.insert(cast<Instruction>(&From));
            return;
        }
        IsOne &= !Base || Base == &From;
        Base = &From;
    }

    Type *number() const {
        return Steps[0]->getDataLayout().getIndexType(Base->getType());
    }

    /// Is there for what is merged; for what is moved, made in its place.
    Value *offsetOf(Value &Pointer) {
        if (Value *Known = Offsets.lookup(&Pointer))
            return Known;
        if (&Pointer == Base)
            return Constant::getNullValue(number());
        auto &Moved = cast<GetElementPtrInst>(Pointer);
        Value *From = offsetOf(*Moved.getPointerOperand());
        IRBuilder<> Builder(&Moved);
        Value *By = emitGEPOffset(&Builder, Moved.getDataLayout(), &Moved);
        return Offsets[&Pointer] = Builder.CreateAdd(From, By);
    }

    void replace(Instruction &Step) {
        IRBuilder<> Builder(&Step);
        if (auto *Merged = dyn_cast<PHINode>(&Step)) {
            auto *Offset = cast<PHINode>(Offsets[&Step]);
            for (const auto &[From, Block] : zip_equal(Merged->incoming_values(), Merged->blocks()))
                Offset->addIncoming(offsetOf(*From), Block);
            Builder.SetInsertPoint(Merged->getParent(), Merged->getParent()->getFirstInsertionPt());
        }
        Value *Pointer = Builder.CreatePtrAdd(Base, Offsets[&Step]);
        Step.replaceUsesWithIf(Pointer, [&](const Use &U) { return !has(cast<Instruction>(U.getUser())); });
    }

    SmallSetVector<Instruction *, 8> Steps;
    Value *Base = nullptr;
    bool IsOne = true; ///< there is no other
    DenseMap<Value *, Value *> Offsets;
};

} // namespace

PreservedAnalyses PointerWalksPass::run(Function &F, FunctionAnalysisManager &Known) {
    const DominatorTree &Dominance = Known.getResult<DominatorTreeAnalysis>(F);
    SmallSetVector<Instruction *, 8> Open;
    for (Instruction &I : instructions(F))
        if (isa<PHINode>(I) && I.getType()->isPointerTy())
            Open.insert(&I);
    while (!Open.empty()) {
        PointerWalk Walk(cast<PHINode>(*Open.pop_back_val()));
        if (!Walk.isNested(Dominance))
            continue;
        Open.remove_if([&](Instruction *I) { return Walk.has(I); });
        Walk.moveOffsets();
    }
    PreservedAnalyses Kept;
    Kept.preserveSet<CFGAnalyses>();
    return Kept;
}

} // namespace kesco
