#include "plugin/cuda/transfers.h"

#include "plugin/cuda/cuda_calls.h"
#include "plugin/ir/calls.h"
#include "plugin/llvm_version.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ModRef.h"

using namespace llvm;

namespace kesco {

/// cudaMemcpyKind and the offsets in cudaMemcpy3DParms (driver_types.h).
enum : unsigned { HostToDevice = 1, DeviceToHost = 2, DeviceToDevice = 3, ByPointers = 4 };
enum : unsigned {
    SourceArray = 0,
    SourcePointer = 32,
    TargetArray = 64,
    TargetPointer = 96,
    KindOfCopy = 152
};

static const kesco_call *rowOf(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    if (!Callee || !Callee->isDeclaration() || !Call.getType()->isIntegerTy())
        return nullptr;
    return kesco_call_find_op(Callee->getName().data(), Callee->getName().size(), Call.arg_size());
}

/// The name of the function that \p Call calls, without what marks the per-thread default stream.
static StringRef plainName(const CallBase &Call) {
    StringRef Name = Call.getCalledFunction()->getName();
    return Name.take_front(kesco_call_plain_length(Name.data(), Name.size()));
}

bool isTransfer(const CallBase &Call) {
    return rowOf(Call) != nullptr;
}

int streamOperand(const CallBase &Call) {
    return kesco_call_argument(rowOf(Call), KESCO_STREAM);
}

bool usesPerThreadStream(const CallBase &Call) {
    return plainName(Call) != Call.getCalledFunction()->getName();
}

std::string asynchronousName(const CallBase &Call) {
    return (plainName(Call) + "Async").str();
}

/// Where the operands of a copy are. False for a copy within the host.
static bool readDirection(const Value *Kind, Transfer &Result, TransferOperand &To, TransferOperand &From) {
    const auto *Number = dyn_cast<ConstantInt>(Kind);
    Result.Way = Transfer::Unknown;
    Result.MayBeByHost = !Number || Number->equalsInt(HostToDevice);
    To.In = From.In = TransferOperand::Either;
    if (!Number || Number->equalsInt(ByPointers))
        return true;
    bool ToDevice = Number->equalsInt(HostToDevice), ToHost = Number->equalsInt(DeviceToHost);
    if (!ToDevice && !ToHost && !Number->equalsInt(DeviceToDevice))
        return false;
    Result.Way = ToDevice ? Transfer::ToDevice : ToHost ? Transfer::ToHost : Transfer::OnDevice;
    To.In = ToHost ? TransferOperand::Host : TransferOperand::Device;
    From.In = ToDevice ? TransferOperand::Host : TransferOperand::Device;
    return true;
}

/// True if the copy of a cudaMemcpy3DParms goes between pointers alone. What arrays hold no pointer leads to.
static bool hasNoArrays(const CallBase &Call, const kesco_call &Row) {
    for (int I = kesco_call_argument(&Row, KESCO_ARRAY); I >= 0 && I < static_cast<int>(Call.arg_size()); ++I)
        if (!isa<ConstantPointerNull>(Call.getArgOperand(static_cast<unsigned>(I))))
            return false;
    return true;
}

/// Adds the side of \p Row that has these roles, if there is one: a pointer or a handle.
static void addOperand(const kesco_call &Row, kesco_call_role Pointer, kesco_call_role Symbol,
                       kesco_call_role Pitch, TransferOperand Side, Transfer &Result) {
    int Handle = kesco_call_argument(&Row, Symbol);
    int Argument = Handle < 0 ? kesco_call_argument(&Row, Pointer) : Handle;
    if (Argument < 0)
        return;
    Side.Argument = static_cast<unsigned>(Argument);
    if (Handle >= 0) {
        Side.In = TransferOperand::Symbol;
        Side.Offset = kesco_call_argument(&Row, KESCO_OFFSET);
    }
    Side.Size = kesco_call_argument(&Row, KESCO_SIZE);
    Side.Pitch = kesco_call_argument(&Row, Pitch);
    Side.Height = kesco_call_argument(&Row, KESCO_HEIGHT);
    Result.Operands.push_back(Side);
}

std::optional<Transfer> readTransfer(const CallBase &Call) {
    const kesco_call &Row = *rowOf(Call);
    int Direction = kesco_call_argument(&Row, KESCO_DIRECTION);
    bool HasMembers = kesco_call_argument(&Row, KESCO_STRUCT) >= 0;
    Transfer Result;
    Result.What = Row.op;
    Result.IsSynchronous = streamOperand(Call) < 0;
    TransferOperand To, From;
    if ((HasMembers && Direction < 0) || !hasNoArrays(Call, Row))
        return std::nullopt;
    if (Direction >= 0 &&
        !readDirection(Call.getArgOperand(static_cast<unsigned>(Direction)), Result, To, From))
        return std::nullopt;
    if (Row.op == KESCO_OP_PREFETCH)
        To.In = TransferOperand::Either;
    if (HasMembers) {
        To.Member = TargetPointer;
        From.Member = SourcePointer;
    }
    To.Write = true;
    addOperand(Row, KESCO_TO, KESCO_TO_SYMBOL, KESCO_TO_PITCH, To, Result);
    addOperand(Row, KESCO_FROM, KESCO_FROM_SYMBOL, KESCO_FROM_PITCH, From, Result);
    return Result;
}

/// True if the host may know after \p Call that the device is done with something.
static bool mayLetHostWait(const CallBase &Call) {
    const kesco_call &Row = *rowOf(Call);
    if (Row.op != KESCO_OP_COPY || streamOperand(Call) < 0)
        return streamOperand(Call) < 0;
    Transfer Result;
    TransferOperand To, From;
    int Direction = kesco_call_argument(&Row, KESCO_DIRECTION);
    readDirection(Call.getArgOperand(static_cast<unsigned>(Direction)), Result, To, From);
    return Result.Way == Transfer::ToHost || Result.Way == Transfer::Unknown;
}

void annotateTransfer(CallBase &Call) {
    Function &F = *Call.getCalledFunction();
    F.setDoesNotThrow();
    F.setCannotDuplicate();
    if (!mayLetHostWait(Call))
        Call.setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
    for (Argument &A : F.args())
        if (A.getType()->isPointerTy())
            A.addAttr(capturesNothing(F.getContext()));
}

CallBase *withMembers(CallBase &Call) {
    const kesco_call *Row = rowOf(Call);
    if (!Row || kesco_call_argument(Row, KESCO_STRUCT) < 0 || kesco_call_argument(Row, KESCO_ARRAY) >= 0)
        return &Call;
    CallInst *Old = plainCall(Call);
    IRBuilder<> Builder(Old);
    SmallVector<Value *, 8> Operands(Old->args());
    SmallVector<Type *, 8> Types(Old->getFunctionType()->params());
    Value *Struct = Old->getArgOperand(0);
    auto Add = [&](unsigned Offset, Type *Type) {
        Operands.push_back(Builder.CreateLoad(Type, Builder.CreatePtrAdd(Struct, Builder.getInt64(Offset))));
        Types.push_back(Type);
    };
    Add(TargetPointer, Builder.getPtrTy());
    Add(SourcePointer, Builder.getPtrTy());
    Add(KindOfCopy, Builder.getInt32Ty());
    Add(TargetArray, Builder.getPtrTy());
    Add(SourceArray, Builder.getPtrTy());
    Operands[0] = Constant::getNullValue(Struct->getType());
    CallInst *New = Builder.CreateCall(
        Old->getModule()->getOrInsertFunction((plainName(*Old) + ".members").str(),
                                              FunctionType::get(Old->getType(), Types, false)),
        Operands);
    New->copyMetadata(*Old);
    Old->replaceAllUsesWith(New);
    Old->eraseFromParent();
    return New;
}

bool mayCopyFromHost(const CallBase &Call) {
    const kesco_call &Row = *rowOf(Call);
    const int Direction = kesco_call_argument(&Row, KESCO_DIRECTION);
    if (Row.op != KESCO_OP_COPY || Direction < 0)
        return Row.op == KESCO_OP_COPY;
    const auto *Number = dyn_cast<ConstantInt>(Call.getArgOperand(static_cast<unsigned>(Direction)));
    return !Number || Number->isZero() || Number->equalsInt(HostToDevice);
}

CopyArguments readCopy(IRBuilderBase &Builder, CallBase &Copy) {
    const kesco_call &Row = *rowOf(Copy);
    const int Struct = kesco_call_argument(&Row, KESCO_STRUCT),
              Handle = kesco_call_argument(&Row, KESCO_FROM_SYMBOL);
    auto argument = [&](int At) { return Copy.getArgOperand(static_cast<unsigned>(At)); };
    auto member = [&](unsigned Offset, Type *Type) {
        return Builder.CreateLoad(Type, Builder.CreatePtrAdd(argument(Struct), Builder.getInt64(Offset)));
    };
    if (Struct >= 0)
        return {member(KindOfCopy, Builder.getInt32Ty()), member(SourcePointer, Builder.getPtrTy())};
    return {argument(kesco_call_argument(&Row, KESCO_DIRECTION)),
            argument(Handle < 0 ? kesco_call_argument(&Row, KESCO_FROM) : Handle)};
}

StringRef Transfer::title() const {
    static constexpr StringRef Copies[] = {"memcpy HtoD", "memcpy DtoH", "memcpy DtoD", "memcpy"};
    return What == KESCO_OP_COPY ? Copies[Way] : kesco_op_kind_name(What);
}

} // namespace kesco
