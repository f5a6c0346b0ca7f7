#include "plugin/cuda/cuda_model.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ModRef.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kesco {

static StringMap<ApiFunction> makeModel() {
    StringMap<ApiFunction> Model;
    for (const char *Name : {"cudaMalloc", "cudaMallocPitch"})
        Model[Name] = {ApiFunction::Allocates, DeviceMemory};
    Model["cudaMallocManaged"] = {ApiFunction::Allocates, ManagedMemory};
    for (const char *Name : {"cudaMallocHost", "cudaHostAlloc"})
        Model[Name] = {ApiFunction::Allocates, PinnedMemory};
    for (const char *Name : {"cudaMallocAsync", "cudaMallocAsync_ptsz"})
        Model[Name] = {ApiFunction::AllocatesInStream, DeviceMemory};
    for (const char *Name : {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaStreamSynchronize_ptsz"})
        Model[Name] = {ApiFunction::Synchronises};
    for (const char *Name :
         {"cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName",
          "cudaGetDevice", "cudaGetDeviceCount", "cudaGetDeviceProperties", "cudaDeviceGetAttribute",
          "cudaMemGetInfo", "cudaFuncGetAttributes", "cudaDriverGetVersion", "cudaRuntimeGetVersion",
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
          "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"})
        Model[Name] = {ApiFunction::Harmless};
    for (const char *Name : {"cudaFree",
                             "cudaFreeHost",
                             "cudaFreeAsync",
                             "cudaMemcpy",
                             "cudaMemcpy2D",
                             "cudaMemcpyAsync",
                             "cudaMemcpyToSymbol",
                             "cudaMemcpyFromSymbol",
                             "cudaMemset",
                             "cudaMemsetAsync",
                             "cudaMemset2D",
                             "cudaMemPrefetchAsync",
                             "cudaMemAdvise",
                             "cudaStreamQuery",
                             "cudaEventCreate",
                             "cudaEventCreateWithFlags",
                             "cudaEventRecord",
                             "cudaEventSynchronize",
                             "cudaEventElapsedTime",
                             "cudaEventDestroy",
                             "cudaStreamCreate",
                             "cudaStreamCreateWithFlags",
                             "cudaStreamCreateWithPriority",
                             "cudaStreamDestroy",
                             "cudaStreamWaitEvent",
                             "cudaSetDevice",
                             "cudaDeviceReset"})
        Model[Name] = {ApiFunction::Barrier};
    return Model;
}

const ApiFunction *lookUpApi(StringRef Name) {
    static const StringMap<ApiFunction> Model = makeModel();
    auto Found = Model.find(Name);
    return Found == Model.end() ? nullptr : &Found->second;
}

const ApiFunction *lookUpApi(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->isDeclaration() ? lookUpApi(Callee->getName()) : nullptr;
}

static bool allocates(const ApiFunction &Api) {
    return Api.What == ApiFunction::Allocates || Api.What == ApiFunction::AllocatesInStream;
}

/// True for functions that write through their pointers before they return, and keep none.
static bool keepsNoPointer(const Function &F, const ApiFunction &Api) {
    return allocates(Api) || Api.What == ApiFunction::Harmless ||
           F.getName().starts_with("cudaStreamCreate") || F.getName().starts_with("cudaEventCreate");
}

static void setCapturesNothing(Function &F) {
    for (Argument &A : F.args())
        if (A.getType()->isPointerTy())
            A.addAttr(Attribute::getWithCaptureInfo(F.getContext(), CaptureInfo::none()));
}

void annotateApiDeclarations(Module &M) {
    for (Function &F : M) {
        const ApiFunction *Api = F.isDeclaration() ? lookUpApi(F.getName()) : nullptr;
        if (!Api || !F.getName().starts_with("cuda"))
            continue;
        F.setDoesNotThrow();
        if (Api->What == ApiFunction::Synchronises)
            F.setCannotDuplicate();
        if (Api->What == ApiFunction::Harmless)
            F.setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
        if (keepsNoPointer(F, *Api))
            setCapturesNothing(F);
        if (allocates(*Api))
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

static void expandAllocation(CallInst *Call, Memory Where) {
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
        const ApiFunction *Api = Call ? lookUpApi(*Call) : nullptr;
        if (!Api || !allocates(*Api) || Call->arg_size() < 1 ||
            !Call->getArgOperand(0)->getType()->isPointerTy() || !Call->getType()->isIntegerTy(32))
            continue;
        if (auto *Invoke = dyn_cast<InvokeInst>(Call))
            Call = changeToCall(Invoke);
        expandAllocation(cast<CallInst>(Call), Api->Where);
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
