#include "plugin/code/limits.h"

#include "plugin/code/runtime_abi.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

bool tellLimits(Function &F) {
    SmallVector<CallBase *, 4> Calls;
    for (Instruction &I : instructions(F)) {
        auto *Call = dyn_cast<CallBase>(&I);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        if (Callee && Callee->getName() == "cudaFuncSetAttribute" && Call->arg_size() == 3)
            Calls.push_back(Call);
    }
    for (CallBase *Call : Calls) {
        auto *Invoke = dyn_cast<InvokeInst>(Call);
        IRBuilder<> Builder(Invoke ? &*Invoke->getNormalDest()->getFirstInsertionPt() : Call->getNextNode());
        Builder.SetCurrentDebugLocation(Call->getDebugLoc());
        callAbi(Builder, AbiFunction::limit,
                {Call->getArgOperand(0), Call->getArgOperand(1), Call->getArgOperand(2)});
    }
    return !Calls.empty();
}

} // namespace kesco
