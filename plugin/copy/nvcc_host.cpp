#include "plugin/copy/nvcc_host.h"

#include "plugin/cuda/op_sites.h"
#include "plugin/ir/analyses.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kesco {

static SmallSetVector<Function *, 16> findKernels(const Module &M, const SourceFacts &Facts) {
    SmallSetVector<Function *, 16> Kernels;
    for (const auto &Known : Facts.Kernels)
        if (Function *Kernel = M.getFunction(Known.getKey()))
            Kernels.insert(Kernel);
    if (const Function *Register = M.getFunction("__cudaRegisterFunction"))
        for (const User *U : Register->users())
            if (const auto *Call = dyn_cast<CallBase>(U); Call && Call->arg_size() > 2)
                if (auto *Kernel = dyn_cast<Function>(Call->getArgOperand(1)->stripPointerCasts()))
                    Kernels.insert(Kernel);
    return Kernels;
}

/// True for what a kernel calls to be launched; the last takes the addresses of structs for that.
static bool launchesForKernel(const Function &F) {
    return !F.isDeclaration() &&
           (F.getName().contains("__device_stub_") || F.getName().contains("__cudaLaunchKernel_helper") ||
            F.getName().contains("__cudaAddressOf"));
}

static CallBase *findCallToInline(Function &Kernel) {
    for (CallBase &Call : callsIn(Kernel))
        if (const Function *Callee = Call.getCalledFunction(); Callee && launchesForKernel(*Callee))
            return &Call;
    return nullptr;
}

/// Inlines it. \returns which functions that were.
static SmallSetVector<Function *, 4> inlineStub(Function &Kernel) {
    SmallSetVector<Function *, 4> Inlined;
    while (CallBase *Call = findCallToInline(Kernel)) {
        Function *Callee = Call->getCalledFunction();
        InlineFunctionInfo Info;
        if (!InlineFunction(*Call, Info).isSuccess())
            break;
        Inlined.insert(Callee);
    }
    return Inlined;
}

/// What a struct on the stack is a copy of that nothing else changes; null where that is not so.
static Argument *copiedFrom(AllocaInst &Copy, MemTransferInst *&Transfer) {
    Transfer = nullptr;
    for (User *U : Copy.users())
        if (auto *Writer = dyn_cast<MemTransferInst>(U); Writer && Writer->getRawDest() == &Copy) {
            if (Transfer)
                return nullptr;
            Transfer = Writer;
        } else if (auto *Store = dyn_cast<StoreInst>(U); !Store || Store->getValueOperand() != &Copy) {
            return nullptr;
        }
    auto *From = Transfer ? dyn_cast<Argument>(Transfer->getRawSource()) : nullptr;
    return From && From->getParamByValType() == Copy.getAllocatedType() ? From : nullptr;
}

/// A struct that the kernel's function is given in memory is its own: it need not be copied to be handed on.
static void dropCopies(Function &Kernel) {
    for (Instruction &I : make_early_inc_range(Kernel.getEntryBlock())) {
        auto *Copy = dyn_cast<AllocaInst>(&I);
        MemTransferInst *Transfer = nullptr;
        Argument *From = Copy ? copiedFrom(*Copy, Transfer) : nullptr;
        if (!From)
            continue;
        Transfer->eraseFromParent();
        Copy->replaceAllUsesWith(From);
        Copy->eraseFromParent();
    }
}

static void simplify(Function &Kernel, Analyses &All) {
    for (Instruction &I : make_early_inc_range(instructions(Kernel)))
        if (isa<LifetimeIntrinsic>(I))
            I.eraseFromParent();
    FunctionPassManager Passes;
    Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    Passes.addPass(EarlyCSEPass());
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    Passes.addPass(EarlyCSEPass());
    All.run(Passes, Kernel);
}

/// Of `failed ? (void)0 : launch`, the block of the first branch.
static void removeEmptyBlocks(Module &M) {
    SmallVector<BasicBlock *, 16> Empty;
    for (Function &F : M)
        for (CallBase &Push : make_filter_range(callsIn(F), isPushConfiguration))
            for (User *Test : Push.users())
                for (User *Branch : Test->users())
                    if (auto *Ways = dyn_cast<BranchInst>(Branch); Ways && Ways->isConditional())
                        for (BasicBlock *Way : Ways->successors())
                            if (isa<BranchInst>(Way->front()) && Way->getSingleSuccessor())
                                Empty.push_back(Way);
    for (BasicBlock *Block : Empty)
        TryToSimplifyUncondBranchFromEmptyBlock(Block);
}

void takeNvccHost(Module &M, const SourceFacts &Facts) {
    Analyses All;
    SmallSetVector<Function *, 16> Dead;
    for (Function *Kernel : findKernels(M, Facts)) {
        Kernel->addFnAttr(StubTag);
        if (Kernel->isDeclaration())
            continue;
        for (Function *Inlined : inlineStub(*Kernel))
            Dead.insert(Inlined);
        simplify(*Kernel, All);
        dropCopies(*Kernel);
    }
    for (Function *Inlined : Dead)
        if (Inlined->use_empty() && (Inlined->hasLocalLinkage() || Inlined->hasHiddenVisibility()))
            Inlined->eraseFromParent();
    removeEmptyBlocks(M);
}

bool launchesPerThread(const Module &M) {
    return M.getFunction("__cudaLaunchKernel_ptsz") || M.getFunction("cudaLaunchKernel_ptsz");
}

} // namespace kesco
