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
        if (Row->effect == KESCO_SYNCHRONISES)
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

static FunctionCallee allocationFunction(Module &M) {
    LLVMContext &Context = M.getContext();
    FunctionCallee Callee =
        M.getOrInsertFunction(AllocationName, PointerType::getUnqual(Context), Type::getInt32Ty(Context));
    auto *F = cast<Function>(Callee.getCallee());
    F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    F->setDoesNotThrow();
    F->setWillReturn();
    F->setReturnDoesNotAlias();
    F->addRetAttr(Attribute::NoUndef);
    return Callee;
}

static constexpr char MemoryTag[] = "kesco.memory";

static void expandAllocation(CallInst *Call, unsigned Where) {
    IRBuilder<> Builder(Call);
    Value *Out = Call->getArgOperand(0);
    Type *Pointer = Builder.getPtrTy();
    Value *Old = Builder.CreateLoad(Pointer, Out);
    Call->setArgOperand(0, Constant::getNullValue(Out->getType()));
    Builder.SetInsertPoint(Call->getNextNode());
    Builder.SetCurrentDebugLocation(Call->getDebugLoc());
    CallInst *New = Builder.CreateCall(allocationFunction(*Call->getModule()), {Call});
    New->setMetadata(MemoryTag,
                     MDNode::get(Call->getContext(), ConstantAsMetadata::get(Builder.getInt32(Where))));
    Value *Succeeded = Builder.CreateICmpEQ(Call, Constant::getNullValue(Call->getType()));
    Builder.CreateStore(Builder.CreateSelect(Succeeded, New, Old), Out);
}

void expandAllocations(Function &F) {
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        auto *Call = dyn_cast<CallBase>(&I);
        const kesco_call *Row = Call ? lookUpApi(*Call) : nullptr;
        if (!Row || !allocates(*Row) || Call->arg_size() < 1 ||
            !Call->getArgOperand(0)->getType()->isPointerTy() || !Call->getType()->isIntegerTy(32))
            continue;
        expandAllocation(plainCall(*Call), Row->memory);
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
