#include "plugin/code/transfer_code.h"

#include "plugin/code/runtime_abi.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/cuda/transfers.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

CallBase *makeAsynchronous(CallBase &Old) {
    IRBuilder<> Builder(&Old);
    SmallVector<Value *, 8> Operands(Old.args());
    SmallVector<Type *, 8> Types(Old.getFunctionType()->params());
    Operands.push_back(ConstantPointerNull::get(Builder.getPtrTy()));
    Types.push_back(Builder.getPtrTy());
    CallInst *New =
        Builder.CreateCall(Old.getModule()->getOrInsertFunction(
                               asynchronousName(Old), FunctionType::get(Old.getType(), Types, false)),
                           Operands);
    New->setDebugLoc(Old.getDebugLoc());
    Old.replaceAllUsesWith(New);
    Old.eraseFromParent();
    return New;
}

void letHostWaitFirst(CallBase &Copy, Value &Stream) {
    IRBuilder<> Builder(&Copy);
    const CopyArguments Of = readCopy(Builder, Copy);
    callAbi(Builder, AbiFunction::host_copy, {&Stream, Of.Kind, Of.From});
}

void letHostWaitFirst(CallBase &Copy) {
    IRBuilder<> Builder(&Copy);
    const int Operand = streamOperand(Copy);
    Value *Null = ConstantPointerNull::get(Builder.getPtrTy()),
          *Stream = Operand < 0 ? Null : Copy.getArgOperand(static_cast<unsigned>(Operand));
    if (!mayCopyFromHost(Copy))
        return;
    if (usesPerThreadStream(Copy))
        Stream = Builder.CreateSelect(
            Builder.CreateIsNull(Stream),
            ConstantExpr::getIntToPtr(Builder.getInt32(PerThreadStream), Null->getType()), Stream);
    letHostWaitFirst(Copy, *Stream);
}

void leaveTransferToRuntime(CallBase &Call, kesco_op_kind Kind) {
    const int Stream = streamOperand(Call);
    IRBuilder<> Builder(&Call);
    Call.replaceAllUsesWith(callAbi(Builder, Kind == KESCO_OP_MEMSET ? AbiFunction::set : AbiFunction::copy,
                                    {Call.getArgOperand(0), Call.getArgOperand(1), Call.getArgOperand(2),
                                     Stream < 0 ? ConstantPointerNull::get(Builder.getPtrTy())
                                                : Call.getArgOperand(static_cast<unsigned>(Stream)),
                                     Builder.getInt32(Stream >= 0)}));
    Call.eraseFromParent();
}

void leaveJoinedTransferToRuntime(CallBase &Call, kesco_op_kind Kind) {
    IRBuilder<> Builder(&Call);
    Call.replaceAllUsesWith(
        callAbi(Builder, Kind == KESCO_OP_MEMSET ? AbiFunction::set_joined : AbiFunction::copy_joined,
                {Call.getArgOperand(0), Call.getArgOperand(1), Call.getArgOperand(2),
                 Call.getArgOperand(static_cast<unsigned>(streamOperand(Call)))}));
    Call.eraseFromParent();
}

void leaveJoinedCopyToRuntime(CallBase &Call) {
    IRBuilder<> Builder(&Call);
    const CopyArguments Of = readCopy(Builder, Call);
    Call.replaceAllUsesWith(
        callAbi(Builder, AbiFunction::copy_lent,
                {Builder.getInt32(0), Call.getArgOperand(0), Of.From, Call.getArgOperand(2), Of.Kind,
                 Call.getArgOperand(static_cast<unsigned>(streamOperand(Call))),
                 ConstantPointerNull::get(Builder.getPtrTy()), Builder.getInt32(KESCO_ENDS_UNSEEN)}));
    Call.eraseFromParent();
}

} // namespace kesco
