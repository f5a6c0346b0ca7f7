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
    if (Name == "cudaMallocAsync")
        return AbiFunction::allocate_async;
    if (Name == "cudaMallocFromPoolAsync")
        return AbiFunction::allocate_from_pool;
    return std::nullopt;
}

/// True for a call that shows which memory there is, or that is a pointer's.
static bool showsMemory(StringRef Name) {
    return is_contained({"cudaMemGetInfo", "cudaPointerGetAttributes", "cuMemGetInfo_v2",
                         "cuPointerGetAttribute", "cuPointerGetAttributes", "cuMemGetAddressRange_v2"},
                        Name);
}

static bool needsAll(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    const kesco_call *Api = Callee ? lookUpApi(*Call) : nullptr;
    return Callee && ((Api && Api->effect == KESCO_ALLOCATES) || sameInRuntime(*Call) ||
                      showsMemory(Callee->getName()));
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
