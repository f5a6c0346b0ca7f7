#include "plugin/code/transfer_code.h"

#include "plugin/code/runtime_abi.h"
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

} // namespace kesco
