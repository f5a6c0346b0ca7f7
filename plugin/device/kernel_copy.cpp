#include "plugin/device/kernel_copy.h"

#include "plugin/device/memory.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/hindrances.h"
#include "plugin/ir/inline_calls.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace kesco {

bool isKernel(const Function &F) {
    return F.getCallingConv() == CallingConv::PTX_Kernel && !F.isDeclaration();
}

static constexpr char KeptTag[] = "kesco.kept"; ///< of accesses that are volatile only in the copy

/// True if \p Address leads to memory of a thread or block alone, or to constants, and nowhere else.
static bool isOwn(const Value *Address) {
    SmallVector<const Value *, 4> Bases;
    getUnderlyingObjects(Address, Bases, /*LI=*/nullptr, /*MaxLookup=*/0);
    return all_of(Bases, [](const Value *Base) {
        const auto *Passed = dyn_cast<Argument>(Base);
        const auto *Global = dyn_cast<GlobalVariable>(Base);
        return isa<AllocaInst>(Base) || isOwnSpace(Base->getType()->getPointerAddressSpace()) ||
               (Passed && Passed->hasByValAttr()) || (Global && isTable(*Global));
    });
}

static void setVolatile(Instruction &Access, bool Volatile) {
    if (auto *Load = dyn_cast<LoadInst>(&Access))
        Load->setVolatile(Volatile);
    else
        cast<StoreInst>(Access).setVolatile(Volatile);
}

/// No access to memory that others see may be optimised away: at -O0, the kernel makes it. Such accesses are
/// made volatile while the copy is simplified. \returns whether some turned out to need that no more.
static bool keepAccesses(Function &F) {
    bool Changed = false;
    for (Instruction &I : instructions(F)) {
        const Value *Address = getLoadStorePointerOperand(&I);
        if (!Address)
            continue;
        bool Own = isOwn(Address);
        if (I.hasMetadata(KeptTag) && Own) {
            setVolatile(I, false);
            I.setMetadata(KeptTag, nullptr);
            Changed = true;
        } else if (!Own && !I.isVolatile() && !I.isAtomic()) {
            setVolatile(I, true);
            I.setMetadata(KeptTag, MDNode::get(F.getContext(), {}));
        }
    }
    return Changed;
}

/// Assembly that says nothing of memory may access it all the same.
static void assumeAssemblyAccesses(Function &F) {
    for (CallBase &Call : callsIn(F))
        if (Call.isInlineAsm())
            Call.removeFnAttr(Attribute::Memory);
}

static void releaseAccesses(Function &F) {
    for (Instruction &I : instructions(F))
        if (I.hasMetadata(KeptTag)) {
            setVolatile(I, false);
            I.setMetadata(KeptTag, nullptr);
        }
}

/// Where no address comes in or goes out, nor an integer, which may be part of one, all calls may count as
/// one.
static bool handsOnAddresses(const Function &Callee) {
    auto MayHoldAddress = [](const Type *T) {
        return !T->isVoidTy() && !T->isFPOrFPVectorTy() &&
               !(T->isIntegerTy() && T->getIntegerBitWidth() < 64);
    };
    return MayHoldAddress(Callee.getReturnType()) || Callee.getReturnType()->isIntegerTy() ||
           any_of(Callee.args(), [&](const Argument &A) { return MayHoldAddress(A.getType()); });
}

/// As functions are that take an integer's bits for a float.
static bool isTiny(const Function &Callee) {
    constexpr unsigned Most = 8;
    return Callee.size() == 1 && Callee.getInstructionCount() <= Most;
}

/// \returns whether there were any.
static bool inlineCallees(Function &Kernel) {
    bool Changed = false;
    inlineCalls(
        Kernel, Kernel,
        [](const CallBase &Call) {
            return handsOnAddresses(*Call.getCalledFunction()) || isTiny(*Call.getCalledFunction());
        },
        [&](CallBase &Call, InlineFunctionInfo &Info) {
            bool Done = InlineFunction(Call, Info).isSuccess();
            Changed |= Done;
            return Done;
        });
    return Changed;
}

/// True if all that is done with \p Address is to load from there.
static bool isOnlyLoaded(const Value &Address) {
    return all_of(Address.users(), [&](const User *U) {
        if (isa<GetElementPtrInst>(U) || isa<CastInst>(U))
            return isOnlyLoaded(*U);
        const auto *Transfer = dyn_cast<AnyMemTransferInst>(U);
        return isa<LoadInst>(U) || isa<CmpInst>(U) || (Transfer && Transfer->getRawDest() != &Address);
    });
}

static void copyChangedStructs(Function &Kernel) {
    const DataLayout &Layout = Kernel.getDataLayout();
    for (Argument &A : Kernel.args()) {
        if (!A.hasByValAttr() || isOnlyLoaded(A))
            continue;
        IRBuilder<> Builder(&*Kernel.getEntryBlock().getFirstInsertionPt());
        Type *Struct = A.getParamByValType();
        AllocaInst *Local = Builder.CreateAlloca(Struct, Layout.getAllocaAddrSpace());
        A.replaceAllUsesWith(Local);
        Builder.CreateMemCpy(Local, Local->getAlign(), &A, A.getParamAlign(),
                             Layout.getTypeAllocSize(Struct));
    }
}

/// atomicInc and atomicDec are intrinsics to older releases of Clang, of which less is known.
static void makeAtomicsPlain(Function &F) {
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        auto *Call = dyn_cast<IntrinsicInst>(&I);
        const StringRef Name = Call ? Call->getCalledFunction()->getName() : "";
        const bool Increases = Name.starts_with("llvm.nvvm.atomic.load.inc.32");
        if (!Increases && !Name.starts_with("llvm.nvvm.atomic.load.dec.32"))
            continue;
        IRBuilder<> Builder(Call);
        Call->replaceAllUsesWith(Builder.CreateAtomicRMW(
            Increases ? AtomicRMWInst::UIncWrap : AtomicRMWInst::UDecWrap, Call->getArgOperand(0),
            Call->getArgOperand(1), MaybeAlign(), AtomicOrdering::Monotonic));
        Call->eraseFromParent();
    }
}

void KernelCopies::promoteLocals(Function &Kernel) {
    constexpr unsigned MostRounds = 8; /* each takes a level of pointers to pointers to locals */
    unsigned Round = 0;
    do {
        FunctionPassManager Passes;
        Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
        All.run(Passes, Kernel);
    } while (keepAccesses(Kernel) && ++Round < MostRounds);
}

void KernelCopies::simplify(Function &Kernel) {
    promoteLocals(Kernel);
    FunctionPassManager Passes;
    Passes.addPass(EarlyCSEPass());
    Passes.addPass(JumpThreadingPass()); /* ways out of the lives of locals, which meet first */
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    Passes.addPass(SimplifyCFGPass());
    All.run(Passes, Kernel);
    copyChangedStructs(Kernel);
    promoteLocals(Kernel);
    FunctionPassManager Again;
    Again.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    Again.addPass(SimplifyCFGPass());
    All.run(Again, Kernel);
}

KernelCopies::KernelCopies(const Module &Original) : Copy(CloneModule(Original)) {
    for (Function &F : *Copy) {
        if (F.isDeclaration())
            continue;
        removeHindrances(F);
        makeAtomicsPlain(F);
        assumeAssemblyAccesses(F);
        keepAccesses(F);
        if (isKernel(F))
            Kernels.push_back(&F);
    }
    for (Function *Kernel : Kernels) {
        inlineCallees(*Kernel);
        simplify(*Kernel);
        /* Simplification makes calls through pointers known. */
        if (inlineCallees(*Kernel))
            simplify(*Kernel);
    }
    for (Function &F : *Copy)
        releaseAccesses(F);
}

} // namespace kesco
