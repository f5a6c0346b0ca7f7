#include "plugin/region/host_touches.h"

#include "plugin/copy/normalise.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/host_library.h"
#include "plugin/cuda/host_summary.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/ir/walk.h"
#include "plugin/region/error_checks.h"
#include "plugin/region/error_place.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

namespace {

class TouchFinder {
  public:
    TouchFinder(const TouchingFunction &In, const CallBase &Original, const CallBase &Wait)
        : In(In), Original(Original), Wait(Wait) {
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

    SmallVector<HostTouch, 4> take() {
        return std::move(Found);
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
        const Function *Callee = calleeOf(Base);
        return Callee && describesError(*Callee);
    }

    bool addBase(const Value &Base) {
        const auto *Variable = dyn_cast<GlobalVariable>(&Base);
        if (isa<AllocaInst>(Base) || isa<ConstantPointerNull>(Base) || isa<UndefValue>(Base) ||
            (Variable && Variable->isConstant()) || isForMessages(Base))
            return true;
        if (In.OfOps.contains(&Base))
            return false;
        Value *Known = nullptr;
        if (const auto *Argument = dyn_cast<llvm::Argument>(&Base))
            Known = In.F.getArg(Argument->getArgNo());
        else if (Variable && !Variable->isThreadLocal())
            Known = In.F.getParent()->getNamedValue(Variable->getName());
        else if (const auto *I = dyn_cast<Instruction>(&Base))
            Known = atHand(*I);
        if (const auto *Load = dyn_cast<LoadInst>(&Base); Load && !Known)
            return addMember(*Load);
        if (!Known || !Known->getType()->isPointerTy())
            return false;
        note({Known, std::nullopt});
        return true;
    }

    /// The value of the original that \p I is the copy of, if it is computed before the call.
    Value *atHand(const Instruction &I) const {
        Instruction *There = NormalisedModule::inlinedFrom(I) ? nullptr : In.Copy.originalOf(In.F, I);
        return There && There->getOpcode() == I.getOpcode() && In.Dominance.dominates(There, &Original)
                   ? There
                   : nullptr;
    }

    /// True if \p Again loads a pointer that is the same before the call: a member by an argument, where
    /// there is one to load. It is touched itself, too: ops that work on it are waited for.
    bool addMember(const LoadInst &Again) {
        const BasedPlace Of = placeOf(Again);
        const auto *Base = dyn_cast<Argument>(Of.Base);
        if (!Base || !Again.isSimple() || Of.Offset < 0 ||
            Base->getDereferenceableBytes() < static_cast<uint64_t>(Of.Offset) + sizeof(uint64_t) ||
            !addBase(*Base) || !isUnchanged(Again, Of))
            return false;
        note({In.F.getArg(Base->getArgNo()), Of.Offset});
        return true;
    }

    /// True if what the host does on the way from the call to \p Again leaves the pointer at \p Of alone.
    bool isUnchanged(const LoadInst &Again, const BasedPlace &Of) const {
        bool Unchanged = true;
        walkForward(after(Wait), [&](const Instruction &I) {
            Unchanged &= !mayChange(I, Of);
            return !Unchanged ? Walk::End : &I == &Again ? Walk::Turn : Walk::On;
        });
        return Unchanged;
    }

    void note(HostTouch Touch) {
        if (!is_contained(Found, Touch))
            Found.push_back(Touch);
    }

    static bool mayChange(const Instruction &I, const BasedPlace &Of) {
        if (!I.mayWriteToMemory())
            return false;
        if (isa<StoreInst>(I))
            return !isa<AllocaInst>(placeOf(I).Base) &&
                   !isOfOtherBytes(I, Of, I.getDataLayout().getPointerSize());
        const auto *Call = dyn_cast<CallBase>(&I);
        const kesco_call *Api = Call ? lookUpApi(*Call) : nullptr;
        const bool LeavesHostAlone = Api && (kesco_call_waits(Api) || Api->op == KESCO_OP_PREFETCH);
        const bool OnlyLaunches =
            Call && (isPushConfiguration(*Call) || (NormalisedModule::siteOf(*Call) && !Api));
        const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
        return !LeavesHostAlone && !OnlyLaunches && !(Intrinsic && Intrinsic->isAssumeLikeIntrinsic());
    }

    const TouchingFunction &In;
    const CallBase &Original;
    const CallBase &Wait; ///< its copy
    SmallVector<HostTouch, 4> Found;
};

} // namespace

TouchingFunction::TouchingFunction(Function &F, const NormalisedModule &Copy)
    : F(F), Copy(Copy), Dominance(F) {
    for (const CallBase &Call : callsIn(*Copy.copyOf(F)))
        if (NormalisedModule::siteOf(Call))
            for (const Value *Argument : Call.args())
                if (Argument->getType()->isPointerTy())
                    OfOps.insert(getUnderlyingObject(Argument));
}

HostTouches findHostTouches(const TouchingFunction &In, const CallBase &Original, const CallBase &Call,
                            function_ref<bool(const Instruction &)> Ends) {
    TouchFinder Finder(In, Original, Call);
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
        after(Call), [&](const Instruction &I) { return look(I, false); },
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
