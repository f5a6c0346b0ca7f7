#include "plugin/host/region_entries.h"

#include "plugin/host/cuda_model.h"
#include "plugin/host/host_library.h"
#include "plugin/host/op_sites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace kesco {

/// True if \p Call may issue work to the device or wait for it, other than by a function of this unit.
static bool mayTouchDevice(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    if (!Callee)
        return !Call.isInlineAsm();
    if (isKernelStub(*Callee) || issuesOp(Call))
        return true;
    if (const ApiFunction *Api = lookUpApi(Call))
        return Api->What != ApiFunction::Harmless;
    return Callee->isDeclaration() && !Callee->isIntrinsic() && !isHostLibraryFunction(*Callee) &&
           !Callee->getName().starts_with("__kesco1_") && !Call.onlyReadsMemory();
}

/// True if code of other units or of libraries may call \p F. Nobody calls `main`, and before a module's
/// kernels are registered, it has no region.
static bool mayBeEntered(const Function &F) {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage() || isKernelStub(F) || F.getName() == "main" ||
        F.getName().starts_with("__cuda_") || F.hasFnAttribute(Attribute::Naked))
        return false;
    return !F.hasLocalLinkage() || F.hasAddressTaken();
}

/// The functions of \p M that touch the device, themselves or by others that they call and that nobody else
/// does.
static SmallPtrSet<const Function *, 16> functionsOnDevice(const Module &M) {
    SmallPtrSet<const Function *, 16> Found;
    SmallVector<const Function *, 16> Work;
    auto Add = [&](const Function &F) {
        if (!isKernelStub(F) && Found.insert(&F).second && !mayBeEntered(F))
            Work.push_back(&F);
    };
    for (const Function &F : M)
        for (const Instruction &I : instructions(F))
            if (const auto *Call = dyn_cast<CallBase>(&I); Call && mayTouchDevice(*Call))
                Add(F);
    while (!Work.empty())
        for (const User *U : Work.pop_back_val()->users())
            if (const auto *Call = dyn_cast<CallBase>(U))
                Add(*Call->getFunction());
    return Found;
}

/// The runtime's function. In a module that calls no other of the runtime's, it may be that there is none.
static Function &interruptFunction(Module &M) {
    static constexpr char Name[] = "__kesco1_interrupt";
    bool HasRuntime = any_of(M, [](const Function &F) { return F.getName().starts_with("__kesco1_"); });
    auto *F = cast<Function>(M.getOrInsertFunction(Name, Type::getVoidTy(M.getContext())).getCallee());
    if (!HasRuntime)
        F->setLinkage(GlobalValue::ExternalWeakLinkage);
    F->setDoesNotThrow();
    return *F;
}

static void closeAtEntry(Function &F, Function &Interrupt) {
    Instruction *First = &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    IRBuilder<> Builder(First);
    if (Interrupt.hasExternalWeakLinkage())
        Builder.SetInsertPoint(SplitBlockAndInsertIfThen(Builder.CreateIsNotNull(&Interrupt), First, false));
    if (DISubprogram *Scope = F.getSubprogram())
        Builder.SetCurrentDebugLocation(DILocation::get(F.getContext(), /*Line=*/0, /*Column=*/0, Scope));
    Builder.CreateCall(&Interrupt);
}

bool closeAtEntries(Module &M) {
    const SmallPtrSet<const Function *, 16> OnDevice = functionsOnDevice(M);
    SmallVector<Function *, 16> Entered;
    for (Function &F : M)
        if (OnDevice.contains(&F) && mayBeEntered(F))
            Entered.push_back(&F);
    if (Entered.empty())
        return false;
    Function &Interrupt = interruptFunction(M);
    for (Function *F : Entered)
        closeAtEntry(*F, Interrupt);
    return true;
}

} // namespace kesco
