#include "plugin/cuda/transfers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ModRef.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kesco {

namespace {

/// cudaMemcpyKind and the offsets in cudaMemcpy3DParms (driver_types.h).
enum : unsigned { HostToDevice = 1, DeviceToHost = 2, DeviceToDevice = 3, ByPointers = 4 };
enum : unsigned {
    SourceArray = 0,
    SourcePointer = 32,
    TargetArray = 64,
    TargetPointer = 96,
    KindOfCopy = 152
};

/// Which operand of a function is what; -1 for what it does not have.
struct Layout {
    enum Form {
        Plain,
        ToSymbol,
        FromSymbol,
        Struct, ///< all is in a cudaMemcpy3DParms, the first operand
        Members ///< the same, with what counts of it as further operands (withMembers)
    };
    StringRef Name; ///< of the function, without what plainName takes off
    kesco_op_kind What;
    Form Is;
    int To, From, Size, ToPitch, FromPitch, Height, Offset, Direction;
    int Stream;          ///< -1: the function is synchronous
    unsigned Arguments;  ///< how many operands it has
    StringRef OtherForm; ///< of a synchronous function: the asynchronous one
};

constexpr Layout Layouts[] = {
    {"cudaMemcpy", KESCO_OP_COPY, Layout::Plain, 0, 1, 2, -1, -1, -1, -1, 3, -1, 4, "cudaMemcpyAsync"},
    {"cudaMemcpyAsync", KESCO_OP_COPY, Layout::Plain, 0, 1, 2, -1, -1, -1, -1, 3, 4, 5, ""},
    {"cudaMemcpy2D", KESCO_OP_COPY, Layout::Plain, 0, 2, 4, 1, 3, 5, -1, 6, -1, 7, "cudaMemcpy2DAsync"},
    {"cudaMemcpy2DAsync", KESCO_OP_COPY, Layout::Plain, 0, 2, 4, 1, 3, 5, -1, 6, 7, 8, ""},
    {"cudaMemcpy3D", KESCO_OP_COPY, Layout::Struct, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1,
     "cudaMemcpy3DAsync"},
    {"cudaMemcpy3DAsync", KESCO_OP_COPY, Layout::Struct, -1, -1, -1, -1, -1, -1, -1, -1, 1, 2, ""},
    {"cudaMemcpyToSymbol", KESCO_OP_COPY, Layout::ToSymbol, 0, 1, 2, -1, -1, -1, 3, 4, -1, 5,
     "cudaMemcpyToSymbolAsync"},
    {"cudaMemcpyToSymbolAsync", KESCO_OP_COPY, Layout::ToSymbol, 0, 1, 2, -1, -1, -1, 3, 4, 5, 6, ""},
    {"cudaMemcpyFromSymbol", KESCO_OP_COPY, Layout::FromSymbol, 0, 1, 2, -1, -1, -1, 3, 4, -1, 5,
     "cudaMemcpyFromSymbolAsync"},
    {"cudaMemcpyFromSymbolAsync", KESCO_OP_COPY, Layout::FromSymbol, 0, 1, 2, -1, -1, -1, 3, 4, 5, 6, ""},
    {"cudaMemset", KESCO_OP_MEMSET, Layout::Plain, 0, -1, 2, -1, -1, -1, -1, -1, -1, 3, "cudaMemsetAsync"},
    {"cudaMemsetAsync", KESCO_OP_MEMSET, Layout::Plain, 0, -1, 2, -1, -1, -1, -1, -1, 3, 4, ""},
    {"cudaMemset2D", KESCO_OP_MEMSET, Layout::Plain, 0, -1, 3, 1, -1, 4, -1, -1, -1, 5, "cudaMemset2DAsync"},
    {"cudaMemset2DAsync", KESCO_OP_MEMSET, Layout::Plain, 0, -1, 3, 1, -1, 4, -1, -1, 5, 6, ""},
    {"cudaMemPrefetchAsync", KESCO_OP_PREFETCH, Layout::Plain, 0, -1, 1, -1, -1, -1, -1, -1, 4, 5, ""},
    {"cudaMemPrefetchAsync", KESCO_OP_PREFETCH, Layout::Plain, 0, -1, 1, -1, -1, -1, -1, -1, 3, 4,
     ""}, /* up to CUDA 12 */
    {"cudaMemPrefetchAsync_v2", KESCO_OP_PREFETCH, Layout::Plain, 0, -1, 1, -1, -1, -1, -1, -1, 4, 5, ""},
    {"cudaMallocAsync", KESCO_OP_ALLOCATE, Layout::Plain, -1, -1, -1, -1, -1, -1, -1, -1, 2, 3, ""},
    {"cudaFreeAsync", KESCO_OP_FREE, Layout::Plain, 0, -1, -1, -1, -1, -1, -1, -1, 1, 2, ""},
    {"cudaMemcpy3D.members", KESCO_OP_COPY, Layout::Members, 1, 2, -1, -1, -1, -1, -1, 3, -1, 6,
     "cudaMemcpy3DAsync"},
    {"cudaMemcpy3DAsync.members", KESCO_OP_COPY, Layout::Members, 2, 3, -1, -1, -1, -1, -1, 4, 1, 7, ""},
};

} // namespace

/// \p Name without what marks the functions that take stream 0 for the per-thread default stream.
static StringRef plainName(StringRef Name) {
    if (!Name.consume_back("_ptds"))
        Name.consume_back("_ptsz");
    return Name;
}

static const Layout *layoutOf(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    if (!Callee || !Callee->isDeclaration() || !Callee->getName().starts_with("cuda") ||
        !Call.getType()->isIntegerTy())
        return nullptr;
    const Layout *Found = find_if(Layouts, [&](const Layout &Form) {
        return Form.Name == plainName(Callee->getName()) && Form.Arguments == Call.arg_size();
    });
    return Found == std::end(Layouts) ? nullptr : Found;
}

bool isTransfer(const CallBase &Call) {
    return layoutOf(Call) != nullptr;
}

int streamOperand(const CallBase &Call) {
    return layoutOf(Call)->Stream;
}

bool usesPerThreadStream(const CallBase &Call) {
    StringRef Name = Call.getCalledFunction()->getName();
    return plainName(Name) != Name;
}

StringRef asynchronousName(const CallBase &Call) {
    return layoutOf(Call)->OtherForm;
}

/// Where the operands of a copy are. False for a copy within the host.
static bool readDirection(const Value *Kind, Transfer &Result, TransferOperand &To, TransferOperand &From) {
    const auto *Number = dyn_cast<ConstantInt>(Kind);
    Result.Way = Transfer::Unknown;
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
static bool hasNoArrays(const CallBase &Call, const Layout &Form) {
    for (int I = Form.Direction + 1; I < static_cast<int>(Form.Arguments); ++I)
        if (!isa<ConstantPointerNull>(Call.getArgOperand(static_cast<unsigned>(I))))
            return false;
    return true;
}

static void addOperands(const Layout &Form, Transfer &Result, TransferOperand To, TransferOperand From) {
    if (Form.To >= 0) {
        To.Argument = static_cast<unsigned>(Form.To);
        To.Write = true;
        To.Size = Form.Size;
        To.Pitch = Form.ToPitch;
        To.Height = Form.Height;
        Result.Operands.push_back(To);
    }
    if (Form.From >= 0) {
        From.Argument = static_cast<unsigned>(Form.From);
        From.Size = Form.Size;
        From.Pitch = Form.FromPitch;
        From.Height = Form.Height;
        Result.Operands.push_back(From);
    }
}

std::optional<Transfer> readTransfer(const CallBase &Call) {
    const Layout &Form = *layoutOf(Call);
    Transfer Result;
    Result.What = Form.What;
    Result.IsSynchronous = Form.Stream < 0;
    TransferOperand To, From;
    if (Form.Is == Layout::Struct || (Form.Is == Layout::Members && !hasNoArrays(Call, Form)))
        return std::nullopt;
    if (Form.Direction >= 0 &&
        !readDirection(Call.getArgOperand(static_cast<unsigned>(Form.Direction)), Result, To, From))
        return std::nullopt;
    if (Form.What == KESCO_OP_PREFETCH)
        To.In = TransferOperand::Either;
    if (Form.Is == Layout::ToSymbol || Form.Is == Layout::FromSymbol) {
        TransferOperand &Symbol = Form.Is == Layout::ToSymbol ? To : From;
        Symbol.In = TransferOperand::Symbol;
        Symbol.Offset = Form.Offset;
    }
    if (Form.Is == Layout::Members) {
        To.Member = TargetPointer;
        From.Member = SourcePointer;
    }
    addOperands(Form, Result, To, From);
    return Result;
}

/// True if the host may know behind \p Call that the device is done with something.
static bool mayLetHostWait(const CallBase &Call) {
    const Layout &Form = *layoutOf(Call);
    if (Form.What != KESCO_OP_COPY || Form.Stream < 0)
        return Form.Stream < 0;
    Transfer Result;
    TransferOperand To, From;
    readDirection(Call.getArgOperand(static_cast<unsigned>(Form.Direction)), Result, To, From);
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
            A.addAttr(Attribute::getWithCaptureInfo(F.getContext(), CaptureInfo::none()));
}

CallBase *withMembers(CallBase &Call) {
    const Layout *Form = isTransfer(Call) ? layoutOf(Call) : nullptr;
    if (!Form || Form->Is != Layout::Struct)
        return &Call;
    auto *Invoke = dyn_cast<InvokeInst>(&Call);
    CallInst *Old = Invoke ? changeToCall(Invoke) : cast<CallInst>(&Call);
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
    const Function *Callee = Old->getCalledFunction();
    CallInst *New = Builder.CreateCall(
        Old->getModule()->getOrInsertFunction((plainName(Callee->getName()) + ".members").str(),
                                              FunctionType::get(Old->getType(), Types, false)),
        Operands);
    New->copyMetadata(*Old);
    Old->replaceAllUsesWith(New);
    Old->eraseFromParent();
    return New;
}

StringRef Transfer::title() const {
    static constexpr StringRef Copies[] = {"memcpy HtoD", "memcpy DtoH", "memcpy DtoD", "memcpy"};
    return What == KESCO_OP_COPY ? Copies[Way] : kesco_op_kind_name(What);
}

} // namespace kesco
