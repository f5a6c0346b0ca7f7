#include "plugin/code/allocations.h"

#include "plugin/code/open_regions.h"
#include "plugin/code/runtime_abi.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/ir/calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

/// The runtime's function that does the same as \p Call, if there is one.
static std::optional<AbiFunction> sameInRuntime(const CallBase &Call) {
    const StringRef Name = Call.getCalledFunction()->getName();
    if (Name == "cudaMalloc")
        return AbiFunction::allocate;
    if (Name == "cudaMallocManaged")
        return AbiFunction::allocate_managed;
    return std::nullopt;
}

static bool needsAll(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const kesco_call *Api = Call ? lookUpApi(*Call) : nullptr;
    return Api && (Api->effect == KESCO_ALLOCATES || StringRef(Api->name) == "cudaMemGetInfo");
}

bool letAllocationsHaveAll(Function &F, bool IsCalledWithin) {
    SmallVector<CallBase *, 8> Calls;
    if (F.isDeclaration())
        return false;
    visitWithRegions(F, isOpenAfter, [&](Instruction &I, bool MayBeOpen) {
        if ((MayBeOpen || IsCalledWithin) && needsAll(I))
            Calls.push_back(cast<CallBase>(&I));
    });
    for (CallBase *Call : Calls) {
        const std::optional<AbiFunction> Same = sameInRuntime(*Call);
        FunctionCallee Callee = Same ? declareAbi(*F.getParent(), *Same) : FunctionCallee();
        if (Callee && Callee.getFunctionType() == Call->getFunctionType()) {
            Call->setCalledFunction(Callee);
            continue;
        }
        IRBuilder<> Builder(Call);
        callAbi(Builder, AbiFunction::give_back);
    }
    return !Calls.empty();
}

} // namespace kesco
