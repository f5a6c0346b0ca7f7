#include "plugin/region/host_touches.h"

#include "plugin/copy/normalise.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/host_summary.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/ir/walk.h"
#include "plugin/region/error_checks.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

namespace {

class TouchFinder {
  public:
    TouchFinder(Function &F, const CallBase &Original, const NormalisedModule &Copy,
                const DominatorTree &Dominance)
        : F(F), Original(Original), Copy(Copy), Dominance(Dominance) {
        for (const Instruction &I : instructions(*Copy.copyOf(F)))
            if (const auto *Call = dyn_cast<CallBase>(&I); Call && NormalisedModule::siteOf(*Call))
                for (const Value *Argument : Call->args())
                    if (Argument->getType()->isPointerTy())
                        OfOps.insert(getUnderlyingObject(Argument));
    }

    /// Takes in what \p I touches. False where that cannot be named. Where a call of CUDA's has \p Failed,
    /// what library functions may call back does not count: they make words and exceptions of the error.
    bool add(const Instruction &I, bool Failed) {
        if (const auto *Call = dyn_cast<CallBase>(&I))
            return (Failed || !hostEffectOf(I).CallsBack) && addCall(*Call);
        if (const Value *Pointer = getLoadStorePointerOperand(&I))
            return addPointer(*Pointer);
        return !I.mayReadOrWriteMemory();
    }

    SmallVector<Value *, 4> take() {
        return SmallVector<Value *, 4>(Found.begin(), Found.end());
    }

  private:
    bool addCall(const CallBase &Call) {
        const Function *Callee = Call.getCalledFunction();
        if (NormalisedModule::siteOf(Call) || isPushConfiguration(Call) || isAllocation(Call) ||
            lookUpApi(Call) || (Callee && isKernelStub(*Callee)) || Call.doesNotAccessMemory())
            return true;
        if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call);
            Intrinsic && Intrinsic->isAssumeLikeIntrinsic())
            return true;
        if (Callee && !Callee->isDeclaration())
            return !hostFunctionDoes(*Callee, HostTrait::Touches);
        return all_of(Call.args(), [&](const Value *Argument) {
            return !Argument->getType()->isPointerTy() || addPointer(*Argument);
        });
    }

    bool addPointer(const Value &Pointer) {
        SmallVector<const Value *, 4> Bases;
        getUnderlyingObjects(&Pointer, Bases);
        return all_of(Bases, [&](const Value *Base) { return addBase(*Base); });
    }

    /// What libraries have of their own, a message's text and where it goes: no kernel works there.
    static bool isForMessages(const Value &Base) {
        const auto *Load = dyn_cast<LoadInst>(&Base);
        const auto *From = Load ? dyn_cast<GlobalVariable>(Load->getPointerOperand()) : nullptr;
        if (From && From->isDeclaration() && From->getName() == "stderr")
            return true;
        const auto *Call = dyn_cast<CallBase>(&Base);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        return Callee &&
               (Callee->getName() == "cudaGetErrorString" || Callee->getName() == "cudaGetErrorName");
    }

    bool addBase(const Value &Base) {
        const auto *Variable = dyn_cast<GlobalVariable>(&Base);
        if (isa<AllocaInst>(Base) || isa<ConstantPointerNull>(Base) || isa<UndefValue>(Base) ||
            (Variable && Variable->isConstant()) || isForMessages(Base))
            return true;
        if (OfOps.contains(&Base))
            return false;
        Value *Known = nullptr;
        if (const auto *Argument = dyn_cast<llvm::Argument>(&Base))
            Known = F.getArg(Argument->getArgNo());
        else if (Variable && !Variable->isThreadLocal())
            Known = F.getParent()->getNamedValue(Variable->getName());
        else if (const auto *I = dyn_cast<Instruction>(&Base))
            Known = atHand(*I);
        return Known && Known->getType()->isPointerTy() && (Found.insert(Known), true);
    }

    /// The value of the original that \p I is the copy of, if it is computed before the call.
    Value *atHand(const Instruction &I) const {
        Instruction *There = NormalisedModule::inlinedFrom(I) ? nullptr : Copy.originalOf(F, I);
        return There && There->getOpcode() == I.getOpcode() && Dominance.dominates(There, &Original)
                   ? There
                   : nullptr;
    }

    Function &F;
    const CallBase &Original;
    const NormalisedModule &Copy;
    const DominatorTree &Dominance;
    SmallPtrSet<const Value *, 16> OfOps; ///< of the copy: what ops are given
    SmallSetVector<Value *, 4> Found;
};

} // namespace

HostTouches findHostTouches(Function &F, const CallBase &Original, const CallBase &Call,
                            const NormalisedModule &Copy, const DominatorTree &Dominance,
                            function_ref<bool(const Instruction &)> Ends) {
    TouchFinder Finder(F, Original, Copy, Dominance);
    SmallVector<const BasicBlock *, 4> Failures;
    HostTouches Found;
    const auto look = [&](const Instruction &I, bool Failed) {
        if (Ends(I))
            return Walk::Turn;
        if (!Finder.add(I, Failed))
            Found.Unnamed = &I;
        return Found.Unnamed ? Walk::End : Walk::On;
    };
    walkAlongEdges(
        behind(Call), [&](const Instruction &I) { return look(I, false); },
        [&](const Edge &At) {
            const CallBase *Failed = failedCall(At);
            if (Failed && Failed != &Call) /* where it is put off, it does not fail */
                Failures.push_back(At.To);
            return !Failed;
        });
    for (const BasicBlock *Block : Failures)
        if (!Found.Unnamed)
            walkForward(beginOf(*Block), [&](const Instruction &I) { return look(I, true); });
    Found.Pointers = Finder.take();
    return Found;
}

} // namespace kesco
