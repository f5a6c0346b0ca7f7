#include "plugin/code/region_entries.h"

#include "plugin/cuda/glue.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/ir/walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace kesco {

/// True if \p Call may issue work to the device or wait for it, other than by a function of this unit. What
/// may stand in an open region is none of these: there, the function that makes the call is called as it is.
static bool mayTouchDevice(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    if (!Callee)
        return !Call.isInlineAsm() && classify(Call).What == Glue::Stops;
    if (isKernelStub(*Callee) || issuesOp(Call))
        return true;
    return Callee->isDeclaration() && !Callee->getName().starts_with("__kesco1_") &&
           classify(Call).What == Glue::Stops;
}

/// True for a call that opens a region or closes one: behind it, no other function's is open.
static bool opensOrCloses(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && (Callee->getName().starts_with("__kesco1_enter") ||
                      Callee->getName().starts_with("__kesco1_leave"));
}

/// True if code of other units or of libraries may call \p F. Nobody calls `main`, and before a module's
/// kernels are registered, it has no region.
static bool mayBeEntered(const Function &F) {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage() || isKernelStub(F) || F.getName() == "main" ||
        F.getName().starts_with("__cuda_") || F.hasFnAttribute(Attribute::Naked))
        return false;
    return !F.hasLocalLinkage() || F.hasAddressTaken();
}

/// The functions of \p M that control may come to from code that nobody sees, by way of others of \p M
/// perhaps.
static SmallVector<Function *, 16> enteredFunctions(Module &M) {
    SmallSetVector<Function *, 16> Found;
    for (Function &F : M)
        if (mayBeEntered(F))
            Found.insert(&F);
    for (unsigned Next = 0; Next < Found.size(); ++Next)
        for (Instruction &I : instructions(*Found[Next]))
            if (auto *Call = dyn_cast<CallBase>(&I))
                if (Function *Callee = Call->getCalledFunction();
                    Callee && Callee->hasLocalLinkage() && !Callee->isDeclaration() && !isKernelStub(*Callee))
                    Found.insert(Callee);
    return Found.takeVector();
}

/// The calls in \p F that touch the device with no such call before, on some way from its entry.
static SmallVector<CallBase *, 4> firstOnDevice(Function &F) {
    SmallVector<CallBase *, 4> Found;
    walkForward(beginOf(F.getEntryBlock()), [&](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        if (!Call || !(opensOrCloses(*Call) || mayTouchDevice(*Call)))
            return Walk::On;
        if (!opensOrCloses(*Call))
            Found.push_back(const_cast<CallBase *>(Call));
        return Walk::Turn;
    });
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

static void closeBefore(CallBase &Call, Function &Interrupt) {
    Instruction *Next = &Call;
    if (Interrupt.hasExternalWeakLinkage())
        Next = SplitBlockAndInsertIfThen(IRBuilder<>(Next).CreateIsNotNull(&Interrupt), Next, false);
    IRBuilder<> Builder(Next);
    Builder.SetCurrentDebugLocation(Call.getDebugLoc());
    Builder.CreateCall(&Interrupt);
}

bool closeAtEntries(Module &M) {
    SmallVector<CallBase *, 16> First;
    for (Function *F : enteredFunctions(M))
        append_range(First, firstOnDevice(*F));
    if (First.empty())
        return false;
    Function &Interrupt = interruptFunction(M);
    for (CallBase *Call : First)
        closeBefore(*Call, Interrupt);
    return true;
}

} // namespace kesco
