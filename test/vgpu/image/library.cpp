#include "library.h"
#include "test/vgpu/device_abi.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"

#include <algorithm>
#include <cstddef>

using namespace llvm;

namespace vgpu {
namespace {

/// How a type travels to a C function; null if it cannot.
Type *abiType(Type *T) {
    if (auto *Int = dyn_cast<IntegerType>(T)) {
        if (Int->getBitWidth() <= 32)
            return Type::getInt32Ty(T->getContext());
        return Int->getBitWidth() == 64 ? T : nullptr;
    }
    if (T->isPointerTy())
        return PointerType::get(T->getContext(), 0);
    return T->isFloatTy() || T->isDoubleTy() || T->isVoidTy() ? T : nullptr;
}

Value *toAbi(IRBuilder<> &B, Value *V) {
    Type *T = abiType(V->getType());
    if (V->getType()->isPointerTy())
        return B.CreateAddrSpaceCast(V, T);
    return V->getType()->isIntegerTy() ? B.CreateZExt(V, T) : V;
}

/// A predicate is true when it is not 0; other results are cut to their width.
Value *fromAbi(IRBuilder<> &B, Value *V, Type *T) {
    if (T->isIntegerTy(1))
        return B.CreateIsNotNull(V);
    if (T->isPointerTy())
        return B.CreateAddrSpaceCast(V, T);
    return T->isIntegerTy() ? B.CreateTrunc(V, T) : V;
}

} // namespace

Value *unmodelled(Image &I, IRBuilder<> &B, StringRef Name, Type *Result) {
    const std::string Where =
        "reached in device function " + demangle(B.GetInsertBlock()->getParent()->getName());
    LLVMContext &Context = I.M.getContext();
    Type *Pointer = PointerType::get(Context, 0);
    FunctionCallee End =
        I.M.getOrInsertFunction("vgpu_unmodelled", Type::getVoidTy(Context), Pointer, Pointer);
    cast<Function>(End.getCallee())->setDoesNotReturn();
    B.CreateCall(End, {B.CreateGlobalString(Name), B.CreateGlobalString(Where)});
    return Result->isVoidTy() ? nullptr : Constant::getNullValue(Result);
}

Value *callLibrary(Image &I, IRBuilder<> &B, const Twine &Name, ArrayRef<Value *> Arguments, Type *Result) {
    LLVMContext &Context = I.M.getContext();
    const std::string Symbol = Name.str();
    auto *Pair = dyn_cast<StructType>(Result);
    Type *First = Pair ? Pair->getElementType(0) : Result;
    if (!I.Exports.contains(Symbol) || !abiType(First) || (Pair && Pair->getNumElements() != 2))
        return nullptr;
    SmallVector<Value *> Values;
    SmallVector<Type *> Types;
    for (Value *Argument : Arguments) {
        if (!abiType(Argument->getType()))
            return nullptr;
        Values.push_back(toAbi(B, Argument));
    }
    AllocaInst *Second = nullptr;
    if (Pair) {
        BasicBlock &Entry = B.GetInsertBlock()->getParent()->getEntryBlock();
        Second = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(Type::getInt32Ty(Context));
        Values.push_back(Second);
    }
    for (Value *V : Values)
        Types.push_back(V->getType());
    FunctionCallee Callee = I.M.getOrInsertFunction(Symbol, FunctionType::get(abiType(First), Types, false));
    CallInst *Called = B.CreateCall(Callee, Values);
    Called->addFnAttr(Attribute::Convergent);
    Called->addFnAttr(Attribute::NoMerge); // the active mask depends on the place of the call
    Value *Value = Called;
    if (!Result->isVoidTy())
        Value = fromAbi(B, Value, First);
    if (!Pair)
        return Value;
    llvm::Value *Flag = fromAbi(B, B.CreateLoad(Type::getInt32Ty(Context), Second), Pair->getElementType(1));
    return B.CreateInsertValue(B.CreateInsertValue(PoisonValue::get(Pair), Value, 0), Flag, 1);
}

/// Offset of a special register in struct vgpu_registers, or -1.
static int registerOffset(StringRef Name) {
    const auto [Group, Axis] = Name.rsplit('.');
    const int Base = StringSwitch<int>(Group)
                         .Case("tid", offsetof(struct vgpu_registers, tid))
                         .Case("ntid", offsetof(struct vgpu_registers, ntid))
                         .Case("ctaid", offsetof(struct vgpu_registers, ctaid))
                         .Case("nctaid", offsetof(struct vgpu_registers, nctaid))
                         .Default(-1);
    if (Base >= 0 && Axis.size() == 1 && Axis >= "x" && Axis <= "z")
        return Base + (Axis[0] - 'x') * static_cast<int>(sizeof(uint32_t));
    return StringSwitch<int>(Name)
        .Case("laneid", offsetof(struct vgpu_registers, laneid))
        .Case("warpid", offsetof(struct vgpu_registers, warpid))
        .Case("dynamic_smem_size", offsetof(struct vgpu_registers, dynamic_shared))
        .Default(-1);
}

/// A register's value is the thread's own: it is the same whenever this thread runs.
Value *readRegister(Image &I, IRBuilder<> &B, StringRef Name) {
    LLVMContext &Context = I.M.getContext();
    Type *Int = Type::getInt32Ty(Context);
    if (Name == "warpsize")
        return ConstantInt::get(Int, VGPU_WARP_SIZE);
    const int Offset = registerOffset(Name);
    if (Offset < 0)
        return nullptr;
    LoadInst *Load = B.CreateLoad(Int, B.CreateConstInBoundsGEP1_32(B.getInt8Ty(), I.Registers, Offset));
    Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(Context, {}));
    return Load;
}

Value *isInSpace(Image &I, IRBuilder<> &B, StringRef Space, Value *Pointer) {
    Value *InLibrary = callLibrary(I, B, "vgpu_nvvm_isspacep_" + Space, {Pointer}, B.getInt1Ty());
    if (!InLibrary || !I.Shared)
        return InLibrary;
    Value *Start = B.CreatePtrToInt(I.Shared, B.getInt64Ty());
    Value *Offset = B.CreateSub(B.CreatePtrToInt(Pointer, B.getInt64Ty()), Start);
    const uint64_t Size = I.M.getDataLayout().getTypeAllocSize(I.Shared->getValueType());
    Value *InImage = B.CreateICmpULT(Offset, B.getInt64(Size));
    if (Space == "shared")
        return B.CreateOr(InLibrary, InImage);
    return Space == "global" ? B.CreateAnd(InLibrary, B.CreateNot(InImage)) : InLibrary;
}

} // namespace vgpu
