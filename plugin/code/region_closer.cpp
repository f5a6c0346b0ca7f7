#include "plugin/code/region_closer.h"

#include "plugin/code/lazy_wait_code.h"
#include "plugin/code/open_regions.h"
#include "plugin/code/runtime_abi.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_library.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/cuda/stream_action.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kesco {

bool recordsEvent(const Instruction &I) {
    return isCallOf(I, "cudaEventRecord");
}

bool waitsForEvent(const Instruction &I) {
    return isCallOf(I, "cudaEventSynchronize");
}

/// The stream, not the legacy default one, that \p I records an event on or lets the host wait for; or null.
static Value *streamOf(const Instruction &I) {
    return recordsEvent(I) ? cast<CallBase>(I).getArgOperand(1) : streamWaitedFor(I);
}

bool mayCloseAround(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && !Call->isMustTailCall() && (actsOnLegacyStream(I) || waitsForEvent(I) || streamOf(I));
}

Instruction *afterReturn(CallBase &Call) {
    auto *Invoke = dyn_cast<InvokeInst>(&Call);
    return Invoke ? SplitEdge(Invoke->getParent(), Invoke->getNormalDest())->getTerminator()
                  : Call.getNextNode();
}

/// True where the function ends: it returns, goes on with an exception, or calls what ends the program.
static bool isEnd(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return isa<ReturnInst>(I) || isa<ResumeInst>(I) ||
           (Call && Call->doesNotReturn() && !isa<IntrinsicInst>(I));
}

/// The last place before \p End where a call may stand: nothing does between a call that must be a tail
/// call and the return.
static Instruction *lastOf(Instruction &End) {
    CallInst *Tail = isa<ReturnInst>(End) ? End.getParent()->getTerminatingMustTailCall() : nullptr;
    return Tail ? Tail : &End;
}

void RegionCloser::closeBefore(Instruction &Barrier) {
    leave(&Barrier, Barrier.getDebugLoc());
}

void RegionCloser::closeAround(CallBase &Barrier) {
    IRBuilder<> Builder(&Barrier);
    if (waitsForEvent(Barrier))
        callAbi(Builder, AbiFunction::leave_by_event, {Barrier.getArgOperand(0)});
    else if (recordsEvent(Barrier))
        callAbi(Builder, AbiFunction::leave_by_record,
                {Barrier.getArgOperand(1), Builder.getInt32(actsOnLegacyStream(Barrier))});
    else if (actsOnLegacyStream(Barrier))
        callAbi(Builder, AbiFunction::leave_by_next);
    else
        callAbi(Builder, AbiFunction::leave_by_wait, {streamOf(Barrier)});
    Builder.SetInsertPoint(afterReturn(Barrier));
    Builder.SetCurrentDebugLocation(Barrier.getDebugLoc());
    if (recordsEvent(Barrier))
        callAbi(Builder, AbiFunction::leave_behind_record, {Barrier.getArgOperand(0), &Barrier});
    else
        callAbi(Builder, AbiFunction::leave_behind, {&Barrier});
}

void RegionCloser::closeAtExits(function_ref<void(Instruction &)> AtReturn) {
    SmallVector<Instruction *, 8> Exits;
    visitWithRegions(F, isOpenAfter, [&](Instruction &I, bool IsOpen) {
        if (IsOpen && (isEnd(I) || mayUnwind(I)))
            Exits.push_back(&I);
    });
    for (Instruction *Exit : Exits) {
        if (isa<ReturnInst>(Exit) && AtReturn)
            AtReturn(*lastOf(*Exit));
        else if (isEnd(*Exit))
            leave(lastOf(*Exit), Exit->getDebugLoc());
        else if (auto *Invoke = dyn_cast<InvokeInst>(Exit))
            closeAtPad(*Invoke);
        else if (auto *Call = dyn_cast<CallInst>(Exit))
            changeToInvokeAndSplitBasicBlock(Call, cleanup(Call->getDebugLoc()));
    }
}

void RegionCloser::leave(Instruction *Before, const DebugLoc &Location) {
    IRBuilder<> Builder(Before);
    Builder.SetCurrentDebugLocation(Location);
    callAbi(Builder, AbiFunction::leave);
}

/// CUDA's functions and C's do not throw, whatever their declarations leave open.
bool RegionCloser::mayUnwind(const Instruction &I) const {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<InvokeInst>(I))
        return Call != nullptr;
    if (F.doesNotThrow() || Call->doesNotThrow() || Call->isInlineAsm() || Call->isMustTailCall())
        return false;
    const Function *Callee = Call->getCalledFunction();
    if (!Callee)
        return true;
    StringRef Name = Callee->getName();
    bool IsC = isHostLibraryFunction(*Callee) && !Name.starts_with("_Z") && !Name.starts_with("__cxa");
    return !IsC && !lookUpApi(*Call) && !isPushConfiguration(*Call) && !isKernelStub(*Callee);
}

void RegionCloser::closeAtPad(const InvokeInst &Invoke) {
    BasicBlock *Pad = Invoke.getUnwindDest();
    if (Pad->isLandingPad() && Closed.insert(Pad).second &&
        calledAbi(*Pad->getFirstInsertionPt()) != AbiFunction::leave)
        leave(&*Pad->getFirstInsertionPt(), Invoke.getDebugLoc());
}

/// The block where exceptions that nothing in the function would see pass through.
BasicBlock *RegionCloser::cleanup(const DebugLoc &Location) {
    if (Cleanup)
        return Cleanup;
    LLVMContext &Context = F.getContext();
    if (!F.hasPersonalityFn()) {
        FunctionType *Type = FunctionType::get(Type::getInt32Ty(Context), true);
        F.setPersonalityFn(
            cast<Constant>(F.getParent()->getOrInsertFunction("__gxx_personality_v0", Type).getCallee()));
    }
    Cleanup = BasicBlock::Create(Context, "", &F);
    IRBuilder<> Builder(Cleanup);
    Builder.SetCurrentDebugLocation(Location);
    LandingPadInst *Pad =
        Builder.CreateLandingPad(StructType::get(Builder.getPtrTy(), Builder.getInt32Ty()), /*NumClauses=*/0);
    Pad->setCleanup(true);
    callAbi(Builder, AbiFunction::leave);
    Builder.CreateResume(Pad);
    return Cleanup;
}

} // namespace kesco
