#include "plugin/cuda/cuda_model.h"

#include "plugin/ir/calls.h"
#include "plugin/llvm_version.h"

#include "llvm/IR/Attributes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ModRef.h"

using namespace llvm;

namespace kesco {

static const kesco_call *rowOf(const Function *Callee) {
    if (!Callee || !Callee->isDeclaration())
        return nullptr;
    return kesco_call_find(Callee->getName().data(), Callee->getName().size());
}

const kesco_call *lookUpApi(const CallBase &Call) {
    return rowOf(Call.getCalledFunction());
}

static bool allocates(const kesco_call &Row) {
    return Row.effect == KESCO_ALLOCATES || Row.effect == KESCO_ALLOCATES_IN_STREAM;
}

static void setCapturesNothing(Function &F) {
    for (Argument &A : F.args())
        if (A.getType()->isPointerTy())
            A.addAttr(capturesNothing(F.getContext()));
}

void annotateApiDeclarations(Module &M) {
    for (Function &F : M) {
        const kesco_call *Row = rowOf(&F);
        if (!Row)
            continue;
        F.setDoesNotThrow();
        if (kesco_call_waits(Row))
            F.setCannotDuplicate();
        if (Row->effect == KESCO_HARMLESS)
            F.setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
        if (allocates(*Row) || Row->effect == KESCO_HARMLESS || Row->effect == KESCO_CREATES)
            setCapturesNothing(F);
        if (allocates(*Row))
            F.setMemoryEffects(MemoryEffects::argMemOnly(ModRefInfo::Mod) |
                               MemoryEffects::inaccessibleMemOnly());
    }
}

static constexpr char AllocationName[] = "kesco.allocation";

static constexpr char MemoryTag[] = "kesco.memory";

/// A function of the model without effects, whose result is a value of its own for each call that it is of.
static Function *valueFunction(Module &M, StringRef Name, Type *Result) {
    auto *F =
        cast<Function>(M.getOrInsertFunction(Name, Result, Type::getInt32Ty(M.getContext())).getCallee());
    F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    F->setDoesNotThrow();
    F->setWillReturn();
    F->addRetAttr(Attribute::NoUndef);
    return F;
}

static Function *allocationFunction(Module &M) {
    Function *F = valueFunction(M, AllocationName, PointerType::getUnqual(M.getContext()));
    F->setReturnDoesNotAlias();
    return F;
}

/// What an allocation stores in one place if it succeeds.
struct Stored {
    Value *Out;
    Function *Fresh; ///< the new value is its result
    Value *Old;
};

/// All that \p Call stores: in place of its pointers, which it loses, since what is kept in the same struct
/// as a pitch would be taken for changed.
static SmallVector<Stored, 4> storesOf(CallInst &Call, const kesco_call &Row, IRBuilder<> &Builder) {
    Module &M = *Call.getModule();
    Type *Size = Builder.getInt64Ty();
    Function *Amount = valueFunction(M, "kesco.pitch", Size);
    Value *Out = Call.getArgOperand(0);
    SmallVector<Stored, 4> Stores = {{Out, allocationFunction(M), nullptr}};
    int Pitch = kesco_call_argument(&Row, KESCO_PITCH_OUT);
    if (Pitch > 0 && Pitch < static_cast<int>(Call.arg_size()))
        Stores.push_back({Call.getArgOperand(Pitch), Amount, nullptr});
    if (kesco_call_argument(&Row, KESCO_PITCHED_OUT) == 0)
        for (unsigned Member = 1; Member < 4; ++Member) // cudaPitchedPtr: ptr, pitch, xsize, ysize
            Stores.push_back({Builder.CreateConstInBoundsGEP1_64(Size, Out, Member), Amount, nullptr});
    for (Stored &Store : Stores)
        Store.Old = Builder.CreateLoad(Store.Fresh->getReturnType(), Store.Out);
    for (int I : {0, Pitch})
        if (I >= 0)
            Call.setArgOperand(I, Constant::getNullValue(Out->getType()));
    return Stores;
}

static void expandAllocation(CallInst *Call, const kesco_call &Row) {
    IRBuilder<> Builder(Call);
    SmallVector<Stored, 4> Stores = storesOf(*Call, Row, Builder);
    Builder.SetInsertPoint(Call->getNextNode());
    Builder.SetCurrentDebugLocation(Call->getDebugLoc());
    Value *Succeeded = Builder.CreateICmpEQ(Call, Constant::getNullValue(Call->getType()));
    for (const Stored &Store : Stores) {
        CallInst *New = Builder.CreateCall(Store.Fresh, {Call});
        if (isAllocation(*New))
            New->setMetadata(MemoryTag, MDNode::get(Call->getContext(),
                                                    ConstantAsMetadata::get(Builder.getInt32(Row.memory))));
        Builder.CreateStore(Builder.CreateSelect(Succeeded, New, Store.Old), Store.Out);
    }
}

void expandAllocations(Function &F) {
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        auto *Call = dyn_cast<CallBase>(&I);
        const kesco_call *Row = Call ? lookUpApi(*Call) : nullptr;
        if (!Row || !allocates(*Row) || Call->arg_size() < 1 ||
            !Call->getArgOperand(0)->getType()->isPointerTy() || !Call->getType()->isIntegerTy(32))
            continue;
        expandAllocation(plainCall(*Call), *Row);
    }
}

bool isAllocation(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->getName() == AllocationName;
}

Memory memoryOf(const CallBase &Allocation) {
    const MDNode *Node = Allocation.getMetadata(MemoryTag);
    return Node ? static_cast<Memory>(mdconst::extract<ConstantInt>(Node->getOperand(0))->getZExtValue())
                : AnyMemory;
}

} // namespace kesco
