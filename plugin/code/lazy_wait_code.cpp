#include "plugin/code/lazy_wait_code.h"

#include "plugin/code/runtime_abi.h"
#include "plugin/ir/calls.h"
#include "plugin/region/failure_path.h"
#include "plugin/region/returning_path.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace kesco {

/// KESCO_REACH_ of the ABI.
static unsigned reachForRuntime(Reach Of) {
    return Of == Reach::Device ? KESCO_REACH_DEVICE : KESCO_REACH_STREAM;
}

unsigned howToCover(const Cover &What) {
    return reachForRuntime(What.Of) | (What.IsKnown ? KESCO_REACH_KNOWN : 0);
}

/// Lets the runtime make \p Call, or put it off.
static void leaveToRuntime(const LazyWait &Wait, bool IsToldLate) {
    CallBase *Call = Wait.Original;
    IRBuilder<> Builder(Call);
    const bool Frees = frees(*Call);
    Value *Stream = Wait.Of == Reach::Device && !Frees ? ConstantPointerNull::get(Builder.getPtrTy())
                                                       : Call->getArgOperand(0);
    unsigned How = reachForRuntime(Wait.Of) | (Frees ? KESCO_REACH_FREES : 0);
    if (IsToldLate)
        How |= KESCO_REACH_LATE;
    if (Wait.Touched) {
        How |= KESCO_REACH_TOLD;
        for (const HostTouch &Touch : *Wait.Touched)
            if (Touch.Member)
                callAbi(Builder, AbiFunction::touch_member, {Touch.Pointer, Builder.getInt64(*Touch.Member)});
            else
                callAbi(Builder, AbiFunction::touch, {Touch.Pointer});
    }
    Call->replaceAllUsesWith(callAbi(Builder, AbiFunction::synchronize, {Stream, Builder.getInt32(How)}));
    plainCall(*Call)->eraseFromParent();
}

bool waitsForDevice(const Instruction &I) {
    return isCallOf(I, "cudaDeviceSynchronize");
}

Value *streamWaitedFor(const Instruction &I) {
    return isCallOf(I, "cudaStreamSynchronize") ? cast<CallBase>(I).getArgOperand(0) : nullptr;
}

void settleByNext(Instruction &Wait) {
    IRBuilder<> Builder(&Wait);
    callAbi(Builder, AbiFunction::settle_by_next);
}

/// Before \p At, an error is dealt with as by \p Call. False where that is none of the kind.
static bool writeLateCheck(Instruction &At, const CallBase &Call) {
    const FailurePath Failure(Call);
    const ReturningPath Returning(Call);
    if (Failure.empty() && !Returning.join())
        return false;
    IRBuilder<> Builder(&At);
    Value *Error = callAbi(Builder, AbiFunction::late_error, {});
    if (!Failure.empty())
        Failure.copyBefore(At, *Error);
    else
        Returning.copyBefore(At, *Error);
    return true;
}

/// The bytes of \p Copy, a call of cudaMemcpy, as 64 bits.
static Value *bytesOf(IRBuilderBase &Builder, const CallBase &Copy) {
    return Builder.CreateZExtOrTrunc(Copy.getArgOperand(2), Builder.getInt64Ty());
}

void writeObservers(const LazyWaits &Found, const SmallSetVector<CallBase *, 8> &Calls,
                    const SmallPtrSetImpl<const Instruction *> &Copies) {
    for (Instruction *Observer : Found.Observers) {
        IRBuilder<> Builder(Observer);
        if (Copies.contains(Observer))
            callAbi(Builder, AbiFunction::settle_by_copy, {bytesOf(Builder, cast<CallBase>(*Observer))});
        else
            callAbi(Builder, AbiFunction::settle);
    }
    for (Instruction *End : Found.Ends) {
        IRBuilder<> Builder(End);
        Value *Place =
            Builder.CreateConstGEP1_64(Builder.getInt8Ty(), Found.ErrorsAt.Base, Found.ErrorsAt.Offset);
        callAbi(Builder, AbiFunction::tell, {Place});
    }
    for (const auto &[At, Waits] : Found.LateChecks)
        for (CallBase *Wait : Waits)
            if (Calls.contains(Wait) && writeLateCheck(*At, *Wait))
                break;
    for (Instruction *At : Found.Told) {
        IRBuilder<> Builder(At);
        callAbi(Builder, AbiFunction::late_error, {});
    }
}

void writeLazyWaits(const LazyWaits &Found, const SmallSetVector<CallBase *, 8> &Calls) {
    for (const auto &Entry : Found.Calls)
        if (Calls.contains(Entry.second.Original))
            leaveToRuntime(Entry.second, !Found.Ends.empty() || Entry.second.IsCheckedLate);
}

} // namespace kesco
