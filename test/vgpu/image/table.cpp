#include "image.h"
#include "test/vgpu/device.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace vgpu {
namespace {

/// What a kernel's call graph contains.
struct Reach {
    bool Meets = false;       ///< threads meet
    uint64_t SharedBytes = 0; ///< static shared memory
};

/// Follows calls; an indirect call may reach every function whose address is taken.
Reach reach(const Image &I, Function *Kernel) {
    SetVector<Function *> Functions;
    Functions.insert(Kernel);
    Reach Result;
    for (size_t Next = 0; Next < Functions.size(); Next++) {
        Function *F = Functions[Next];
        Result.Meets |= meetsThreads(*F);
        Result.SharedBytes += I.SharedBytes.lookup(F);
        for (Instruction &Inst : instructions(*F)) {
            auto *Call = dyn_cast<CallBase>(&Inst);
            if (!Call)
                continue;
            if (Function *Callee = Call->getCalledFunction()) {
                Functions.insert(Callee);
                continue;
            }
            for (Function &Other : I.M)
                if (Other.hasAddressTaken())
                    Functions.insert(&Other);
        }
    }
    return Result;
}

Type *parameterType(const Argument &A) {
    return A.hasByValAttr() ? A.getParamByValType() : A.getType();
}

/// void entry(void **args): one thread. A struct passed by value is copied, as it is the thread's own.
Function *makeEntry(Image &I, Function *Kernel) {
    LLVMContext &Context = I.M.getContext();
    IRBuilder<> B(Context);
    auto *Type = FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false);
    auto *Entry =
        Function::Create(Type, GlobalValue::InternalLinkage, "vgpu_entry." + Kernel->getName(), I.M);
    Entry->setDoesNotThrow();
    B.SetInsertPoint(BasicBlock::Create(Context, "", Entry));
    const DataLayout &DL = I.M.getDataLayout();
    SmallVector<Value *> Arguments;
    for (Argument &A : Kernel->args()) {
        Value *Slot = B.CreateConstInBoundsGEP1_32(B.getPtrTy(), Entry->getArg(0), A.getArgNo());
        Value *From = B.CreateLoad(B.getPtrTy(), Slot);
        if (A.hasByValAttr()) {
            const Align Alignment = A.getParamAlign().value_or(DL.getABITypeAlign(A.getParamByValType()));
            AllocaInst *Copy = B.CreateAlloca(A.getParamByValType());
            Copy->setAlignment(Alignment);
            B.CreateMemCpy(Copy, Alignment, From, Align(1), DL.getTypeAllocSize(A.getParamByValType()));
            Arguments.push_back(Copy);
        } else if (A.getType()->isIntegerTy(1)) {
            Arguments.push_back(B.CreateTrunc(B.CreateLoad(B.getInt8Ty(), From), A.getType()));
        } else {
            Arguments.push_back(B.CreateAlignedLoad(A.getType(), From, Align(1)));
        }
    }
    B.CreateCall(Kernel, Arguments);
    B.CreateRetVoid();
    return Entry;
}

Constant *makeName(Module &M, StringRef Text) {
    auto *Data = ConstantDataArray::getString(M.getContext(), Text);
    return new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "vgpu_name");
}

GlobalVariable *makeArray(Module &M, Type *Element, ArrayRef<Constant *> Elements) {
    auto *Type = ArrayType::get(Element, Elements.size());
    return new GlobalVariable(M, Type, true, GlobalValue::PrivateLinkage, ConstantArray::get(Type, Elements),
                              "vgpu_table");
}

} // namespace

void addTable(Image &I) {
    Module &M = I.M;
    const DataLayout &DL = M.getDataLayout();
    Type *Pointer = PointerType::get(M.getContext(), 0);
    IntegerType *Int = Type::getInt32Ty(M.getContext()), *Long = Type::getInt64Ty(M.getContext());
    auto *KernelType = StructType::get(Pointer, Pointer, Int, Pointer, Int, Int, Pointer, Long);
    auto *VariableType = StructType::get(Pointer, Pointer, Long, Int);
    SmallVector<Constant *> Kernels, Variables;
    Constant *Shared =
        I.Shared ? static_cast<Constant *>(I.Shared) : ConstantPointerNull::get(cast<PointerType>(Pointer));
    const uint64_t SharedSize = I.Shared ? DL.getTypeAllocSize(I.Shared->getValueType()) : 0;
    for (Function *Kernel : I.Kernels) {
        const Reach Facts = reach(I, Kernel);
        Function *Entry = makeEntry(I, Kernel);
        SmallVector<Constant *> Sizes;
        for (const Argument &A : Kernel->args()) {
            Type *T = parameterType(A);
            Sizes.push_back(
                ConstantInt::get(Int, A.hasByValAttr() ? DL.getTypeAllocSize(T) : DL.getTypeStoreSize(T)));
        }
        Kernels.push_back(ConstantStruct::get(
            KernelType, {makeName(M, Kernel->getName()), Entry, ConstantInt::get(Int, Sizes.size()),
                         makeArray(M, Int, Sizes), ConstantInt::get(Int, Facts.SharedBytes),
                         ConstantInt::get(Int, Facts.Meets), Shared, ConstantInt::get(Long, SharedSize)}));
    }
    for (const Variable &V : I.Variables)
        Variables.push_back(ConstantStruct::get(
            VariableType, {makeName(M, V.Storage->getName()), V.Storage,
                           ConstantInt::get(Long, DL.getTypeAllocSize(V.Storage->getValueType())),
                           ConstantInt::get(Int, V.Kind)}));
    auto *Table = ConstantStruct::getAnon(
        {ConstantInt::get(Int, VGPU_MODULE_VERSION), ConstantInt::get(Int, Kernels.size()),
         makeArray(M, KernelType, Kernels), ConstantInt::get(Int, Variables.size()),
         makeArray(M, VariableType, Variables)});
    new GlobalVariable(M, Table->getType(), true, GlobalValue::ExternalLinkage, Table, VGPU_MODULE_SYMBOL);
    /* The entries pass the copies themselves. */
    for (Function *Kernel : I.Kernels)
        for (Argument &A : Kernel->args())
            if (A.hasByValAttr())
                Kernel->removeParamAttr(A.getArgNo(), Attribute::ByVal);
}

} // namespace vgpu
