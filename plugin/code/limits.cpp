#include "plugin/code/limits.h"

#include "plugin/code/region_closer.h"
#include "plugin/code/runtime_abi.h"
#include "plugin/ir/calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace kesco {

bool tellLimits(Module &M) {
    SmallVector<CallBase *, 8> Calls = callsOf(M, "cudaFuncSetAttribute");
    erase_if(Calls, [](const CallBase *Call) { return Call->arg_size() != 3; });
    for (CallBase *Call : Calls) {
        IRBuilder<> Builder(afterReturn(*Call));
        Builder.SetCurrentDebugLocation(Call->getDebugLoc());
        callAbi(Builder, AbiFunction::limit,
                {Call->getArgOperand(0), Call->getArgOperand(1), Call->getArgOperand(2)});
    }
    return !Calls.empty();
}

} // namespace kesco
