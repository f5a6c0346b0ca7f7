#include "plugin/cuda/host_effect.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_library.h"
#include "plugin/cuda/host_summary.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/llvm_version.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kesco {

bool isPrivateMemory(const Value *Pointer) {
    const Value *Base = getUnderlyingObject(Pointer);
    return isa<AllocaInst>(Base) && !mayBeCaptured(Base);
}

/// True for a load or store, volatile perhaps, of a local variable of which nobody else knows.
static bool isAccessToOwnVariable(const Instruction &I) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    return Pointer && isa<AllocaInst>(Pointer) && all_of(Pointer->users(), [&](const User *U) {
               return isa<LoadInst>(U) || isa<LifetimeIntrinsic>(U) ||
                      (isa<StoreInst>(U) && cast<StoreInst>(U)->getValueOperand() != Pointer);
           });
}

static bool callsItself(const Function &F) {
    return any_of(F.users(), [&](const User *By) {
        return calleeOf(*By) == &F && cast<CallBase>(By)->getFunction() == &F;
    });
}

/// Why a call of \p Callee is still one after all has been inlined that can be, and a barrier.
static std::string whyCalled(const Function &Callee) {
    std::string Name = "'" + demangle(Callee.getName()) + "'";
    if (isCudaFunction(Callee))
        return "call to " + Name;
    if (comparesByGiven(Callee))
        return "call to " + Name + ", which calls back what may do more than compare";
    if (Callee.isDeclaration())
        return "call to unknown function " + Name;
    if (Callee.isInterposable())
        return "call to function " + Name + ", which another definition may replace";
    if (Callee.isPresplitCoroutine())
        return "call to function " + Name + ", which is a coroutine";
    std::string Why = whyHostBarrier(Callee);
    if (callsItself(Callee) && (Why.empty() || StringRef(Why).starts_with(LaunchesKernel)))
        Why = CallsItself + (Why.empty() ? "" : " and " + Why);
    return "call to function " + Name + (Why.empty() ? "" : ", which " + Why);
}

/// What the function that \p Call calls does, by its summary, or a library function by that of what it
/// compares by.
static std::optional<unsigned> traitsOfCallee(const CallBase &Call) {
    if (const Function *Comparison = comparisonOf(Call)) {
        constexpr unsigned Harmless = HostTrait::Fences | HostTrait::Touches;
        return (hostTraitsOf(*Comparison).value_or(~0u) & ~Harmless) == 0 ? std::optional(Harmless)
                                                                          : std::nullopt;
    }
    const Function *Callee = Call.getCalledFunction();
    return Callee ? hostTraitsOf(*Callee) : std::nullopt;
}

/// True for what ends the program, keeps the stack or counts: it has nothing to do with the device.
static bool isBookkeeping(const IntrinsicInst &I) {
    return isa<InstrProfInstBase>(I) || is_contained({Intrinsic::trap, Intrinsic::ubsantrap,
                                                      Intrinsic::stacksave, Intrinsic::stackrestore},
                                                     I.getIntrinsicID());
}

static HostEffect classifyCall(const CallBase &Call) {
    if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call)) {
        if (Intrinsic->isAssumeLikeIntrinsic() || Intrinsic->doesNotAccessMemory())
            return {};
        if (isa<VAStartInst, VAEndInst, VACopyInst>(Intrinsic) || isBookkeeping(*Intrinsic))
            return {HostEffect::Fence};
        const auto *Memory = dyn_cast<AnyMemIntrinsic>(Intrinsic);
        if (Memory && !Memory->isVolatile())
            return {isPrivateMemory(Memory->getRawDest()) ? HostEffect::None : HostEffect::Fence};
    }
    if (isAllocation(Call))
        return {};
    if (const kesco_call *Api = lookUpApi(Call))
        return {Api->effect == KESCO_ALLOCATES || Api->effect == KESCO_HARMLESS ? HostEffect::Fence
                                                                                : HostEffect::Barrier};
    if (isPushConfiguration(Call) || (Call.getCalledFunction() && isKernelStub(*Call.getCalledFunction())))
        return {HostEffect::Barrier};
    if (Call.getCalledFunction() && isHostLibraryFunction(*Call.getCalledFunction()))
        return {HostEffect::Fence, mayCallBack(*Call.getCalledFunction())};
    if (std::optional<unsigned> Traits = traitsOfCallee(Call))
        return {*Traits & HostTrait::Fences ? HostEffect::Fence : HostEffect::None,
                (*Traits & HostTrait::CallsBack) != 0};
    bool Returns = Call.doesNotThrow() && Call.hasFnAttr(Attribute::WillReturn) && !Call.isConvergent();
    MemoryEffects Effects = Call.getMemoryEffects();
    if (Returns && Effects.doesNotAccessMemory())
        return {};
    if (Returns && withoutErrno(Effects)
                       .getWithoutLoc(IRMemLocation::ArgMem)
                       .getWithoutLoc(IRMemLocation::InaccessibleMem)
                       .onlyReadsMemory())
        return {HostEffect::Fence};
    return {HostEffect::Barrier};
}

HostEffect hostEffectOf(const Instruction &I) {
    if (const auto *Call = dyn_cast<CallBase>(&I))
        return classifyCall(*Call);
    if (I.isVolatile() && !I.isAtomic() && isAccessToOwnVariable(I))
        return {HostEffect::Fence};
    if (I.isVolatile() || I.isAtomic() || isa<FenceInst>(I))
        return {HostEffect::Barrier};
    if (const auto *Store = dyn_cast<StoreInst>(&I))
        return {isPrivateMemory(Store->getPointerOperand()) ? HostEffect::None : HostEffect::Fence};
    if (isa<BranchInst>(I) || isa<SwitchInst>(I) || isa<ReturnInst>(I) || isa<ResumeInst>(I) ||
        isa<UnreachableInst>(I))
        return {};
    return {I.isTerminator() || I.mayHaveSideEffects() ? HostEffect::Barrier : HostEffect::None};
}

bool callsUnseen(const CallBase &Call) {
    const auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
    if (Call.isInlineAsm() ||
        (Callee && (!Callee->isDeclaration() || isCudaFunction(*Callee) || isOfLibrary(*Callee) ||
                    isKernelStub(*Callee) || Callee->isIntrinsic())))
        return false;
    return hostEffectOf(Call).What == HostEffect::Barrier;
}

std::string describeBarrier(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
        return I.isVolatile() || I.isAtomic() || isa<FenceInst>(I)
                   ? "volatile or atomic access to host memory"
                   : "control flow";
    const Function *Callee = Call->getCalledFunction();
    if (lookUpApi(*Call))
        return "call to '" + demangle(Callee->getName()) + "'";
    if (isPushConfiguration(*Call) || (Callee && isKernelStub(*Callee)))
        return UnusualLaunch;
    if (Callee)
        return whyCalled(*Callee);
    return Call->isInlineAsm() ? "inline assembly" : "call through a function pointer";
}

bool mayReleaseWork(const Instruction &I) {
    HostEffect What = hostEffectOf(I);
    if (What.What != HostEffect::Fence)
        return false;
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
        return !isAccessToOwnVariable(I);
    const Function *Callee = Call->getCalledFunction();
    if (Callee && isHostLibraryFunction(*Callee))
        return What.CallsBack;
    if (std::optional<unsigned> Traits = traitsOfCallee(*Call))
        return *Traits & HostTrait::Releases;
    return !lookUpApi(*Call) && !Call->onlyReadsMemory();
}

} // namespace kesco
