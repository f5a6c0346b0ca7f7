#include "image.h"
#include "test/vgpu/device_abi.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Regex.h"

#include <cstddef>

using namespace llvm;

namespace vgpu {
namespace {

class CallLowering {
  public:
    explicit CallLowering(Image &Img) : I(Img), Context(Img.M.getContext()) {
    }

    void run();

  private:
    void lowerIntrinsic(CallBase *Call, StringRef Name);
    void lowerInlineAsm(CallBase *Call);
    Value *lowerAsmAccess(IRBuilder<> &B, CallBase *Call, StringRef Text);
    Value *lowerAsmInstruction(IRBuilder<> &B, CallBase *Call, StringRef Text);
    void lowerExternal(Function *F);
    bool lowerAtomic(CallBase *Call, StringRef Name);
    Value *lowerInline(IRBuilder<> &B, CallBase *Call, StringRef Name);
    Value *readRegister(IRBuilder<> &B, StringRef Name);
    Value *isInSpace(IRBuilder<> &B, StringRef Space, Value *Pointer);
    Value *callLibrary(IRBuilder<> &B, const Twine &Name, ArrayRef<Value *> Arguments, Type *Result);
    Value *unmodelled(IRBuilder<> &B, StringRef Name, Type *Result);
    static void finish(CallBase *Call, Value *Result);

    Image &I;
    LLVMContext &Context;
};

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

void CallLowering::finish(CallBase *Call, Value *Result) {
    if (!Call->getType()->isVoidTy())
        Call->replaceAllUsesWith(Result);
    Call->eraseFromParent();
}

/// Ends the process with status 65 if it is reached. Returns a value of the type to go on compiling with.
Value *CallLowering::unmodelled(IRBuilder<> &B, StringRef Name, Type *Result) {
    const std::string Where =
        "reached in device function " + demangle(B.GetInsertBlock()->getParent()->getName());
    Type *Pointer = PointerType::get(Context, 0);
    FunctionCallee End =
        I.M.getOrInsertFunction("vgpu_unmodelled", Type::getVoidTy(Context), Pointer, Pointer);
    cast<Function>(End.getCallee())->setDoesNotReturn();
    B.CreateCall(End, {B.CreateGlobalString(Name), B.CreateGlobalString(Where)});
    return Result->isVoidTy() ? nullptr : Constant::getNullValue(Result);
}

/// Calls the library's function; null if the library has none or the types cannot travel.
Value *CallLowering::callLibrary(IRBuilder<> &B, const Twine &Name, ArrayRef<Value *> Arguments,
                                 Type *Result) {
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
int registerOffset(StringRef Name) {
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
Value *CallLowering::readRegister(IRBuilder<> &B, StringRef Name) {
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

Value *CallLowering::isInSpace(IRBuilder<> &B, StringRef Space, Value *Pointer) {
    Value *InLibrary = callLibrary(B, "vgpu_nvvm_isspacep_" + Space, {Pointer}, B.getInt1Ty());
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

/// Scoped atomics, "add.gen.f.cta...": one device is one scope here.
bool CallLowering::lowerAtomic(CallBase *Call, StringRef Name) {
    SmallVector<StringRef, 4> Parts;
    Name.split(Parts, '.');
    IRBuilder<> B(Call);
    const AtomicOrdering Order = AtomicOrdering::SequentiallyConsistent;
    if (Parts[0] == "cas") {
        Value *Pair = B.CreateAtomicCmpXchg(Call->getArgOperand(0), Call->getArgOperand(1),
                                            Call->getArgOperand(2), MaybeAlign(), Order, Order);
        finish(Call, B.CreateExtractValue(Pair, 0));
        return true;
    }
    const bool Real = Call->getType()->isFloatingPointTy();
    const auto Operation = StringSwitch<AtomicRMWInst::BinOp>(Parts[0])
                               .Case("add", Real ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                               .Case("and", AtomicRMWInst::And)
                               .Case("or", AtomicRMWInst::Or)
                               .Case("xor", AtomicRMWInst::Xor)
                               .Case("max", AtomicRMWInst::Max)
                               .Case("min", AtomicRMWInst::Min)
                               .Case("exch", AtomicRMWInst::Xchg)
                               .Case("inc", AtomicRMWInst::UIncWrap)
                               .Case("dec", AtomicRMWInst::UDecWrap)
                               .Default(AtomicRMWInst::BAD_BINOP);
    if (Operation == AtomicRMWInst::BAD_BINOP)
        return false;
    finish(Call,
           B.CreateAtomicRMW(Operation, Call->getArgOperand(0), Call->getArgOperand(1), MaybeAlign(), Order));
    return true;
}

/// What needs no call. Returns the result (the call itself if it has none), or null if it is another
/// intrinsic.
Value *CallLowering::lowerInline(IRBuilder<> &B, CallBase *Call, StringRef Name) {
    if (Name.consume_front("read.ptx.sreg."))
        return readRegister(B, Name);
    if (Name.starts_with("membar.") || Name.starts_with("fence."))
        return B.CreateFence(AtomicOrdering::SequentiallyConsistent);
    if (Name.starts_with("ldu.global.") || Name.starts_with("ldg.global."))
        return B.CreateLoad(Call->getType(), Call->getArgOperand(0));
    if (Name.consume_front("isspacep."))
        return isInSpace(B, Name, Call->getArgOperand(0));
    if (Name.starts_with("prefetch"))
        return Call;
    if (Name == "reflect" || Name.starts_with("reflect."))
        return ConstantInt::get(Call->getType(), 0);
    if (Name.starts_with("move."))
        return Call->getArgOperand(0);
    return nullptr;
}

void CallLowering::lowerIntrinsic(CallBase *Call, StringRef Name) {
    IRBuilder<> B(Call);
    StringRef Short = Name;
    Short.consume_front("llvm.nvvm.");
    if (Short.starts_with("atomic.") && lowerAtomic(Call, Short.drop_front(strlen("atomic."))))
        return;
    Value *Result = lowerInline(B, Call, Short);
    if (!Result) {
        std::string Symbol = "vgpu_nvvm_" + Short.str();
        std::replace(Symbol.begin(), Symbol.end(), '.', '_');
        const SmallVector<Value *> Arguments(Call->args());
        Result = callLibrary(B, Symbol, Arguments, Call->getType());
    }
    finish(Call, Result ? Result : unmodelled(B, Name, Call->getType()));
}

/// Scalar loads and stores with a cache operator, "ld.global.cg.s32 $0, [$1]". Null if it is something else.
Value *CallLowering::lowerAsmAccess(IRBuilder<> &B, CallBase *Call, StringRef Text) {
    SmallVector<StringRef> Parts;
    if (Regex("^ld\\.global\\.[a-z]+\\.([suf])([0-9]+) \\$0, *\\[\\$1\\]$").match(Text, &Parts)) {
        Value *Pointer = B.CreateIntToPtr(Call->getArgOperand(0), B.getPtrTy());
        const bool Volatile = cast<InlineAsm>(Call->getCalledOperand())->hasSideEffects();
        if (Parts[1] == "f")
            return B.CreateLoad(Call->getType(), Pointer, Volatile);
        Value *Loaded = B.CreateLoad(B.getIntNTy(std::stoi(Parts[2].str())), Pointer, Volatile);
        return B.CreateIntCast(Loaded, Call->getType(), Parts[1] == "s");
    }
    if (Regex("^st\\.global\\.[a-z]+\\.([suf])([0-9]+) \\[\\$0\\], *\\$1$").match(Text, &Parts)) {
        Value *Pointer = B.CreateIntToPtr(Call->getArgOperand(0), B.getPtrTy()),
              *Stored = Call->getArgOperand(1);
        if (Parts[1] != "f")
            Stored = B.CreateTrunc(Stored, B.getIntNTy(std::stoi(Parts[2].str())));
        return B.CreateStore(Stored, Pointer);
    }
    return nullptr;
}

/// Reads of a special register, "mov.u32 $0, %laneid", and instructions that the library has as vgpu_asm_*:
/// "shf.l.wrap.b32 $0, $1, $2, $3" is vgpu_asm_shf_l_wrap_b32. Null if it is something else.
Value *CallLowering::lowerAsmInstruction(IRBuilder<> &B, CallBase *Call, StringRef Text) {
    SmallVector<StringRef> Parts;
    if (Regex("^mov\\.[us](32|64) \\$0, *%([a-z0-9_]+(\\.[xyz])?)$").match(Text, &Parts)) {
        std::string Register = Parts[2].str();
        if (Value *Read = readRegister(B, Register))
            return Read;
        std::replace(Register.begin(), Register.end(), '.', '_');
        return callLibrary(B, "vgpu_nvvm_read_ptx_sreg_" + Register, {}, Call->getType());
    }
    if (!Regex("^([a-z0-9_.]+)( \\$0(, *\\$[1-9])*)?$").match(Text, &Parts))
        return nullptr;
    std::string Symbol = "vgpu_asm_" + Parts[1].str();
    std::replace(Symbol.begin(), Symbol.end(), '.', '_');
    const SmallVector<Value *> Arguments(Call->args());
    return callLibrary(B, Symbol, Arguments, Call->getType());
}

/// Inline asm of the kind that CUDA's own headers use.
void CallLowering::lowerInlineAsm(CallBase *Call) {
    IRBuilder<> B(Call);
    const auto *Asm = cast<InlineAsm>(Call->getCalledOperand());
    std::string Text = StringRef(Asm->getAsmString()).trim(" \t\n;{}").str();
    std::replace(Text.begin(), Text.end(), '\t', ' ');
    Type *Result = Call->getType();
    if (Text.empty() && Result->isVoidTy())
        return finish(Call, nullptr);
    if (Text.empty() && Call->arg_size() == 1 && Call->getArgOperand(0)->getType() == Result)
        return finish(Call, Call->getArgOperand(0));
    Value *Value = lowerAsmAccess(B, Call, Text);
    if (!Value)
        Value = lowerAsmInstruction(B, Call, Text);
    if (!Value || (!Result->isVoidTy() && Value->getType() != Result))
        Value = unmodelled(B, "inline asm '" + Text.substr(0, 60) + "'", Result);
    finish(Call, Value);
}

/// A function without a body: the library's, or one that ends with "not modelled".
void CallLowering::lowerExternal(Function *F) {
    const std::string Symbol = "vgpu_fn_" + F->getName().str();
    if (I.Exports.contains(Symbol)) {
        F->setName(Symbol);
        return;
    }
    for (User *U : make_early_inc_range(F->users())) {
        auto *Call = dyn_cast<CallBase>(U);
        if (!Call || Call->getCalledOperand() != F)
            continue;
        IRBuilder<> B(Call);
        finish(Call, unmodelled(B, demangle(F->getName()), Call->getType()));
    }
    if (F->use_empty())
        return F->eraseFromParent();
    IRBuilder<> B(BasicBlock::Create(Context, "", F));
    unmodelled(B, demangle(F->getName()), F->getReturnType());
    B.CreateUnreachable();
    F->setLinkage(GlobalValue::InternalLinkage);
}

void CallLowering::run() {
    SmallVector<CallBase *> Asms;
    for (Function &F : I.M)
        for (Instruction &Inst : instructions(F))
            if (auto *Call = dyn_cast<CallBase>(&Inst); Call && Call->isInlineAsm())
                Asms.push_back(Call);
    for (CallBase *Call : Asms)
        lowerInlineAsm(Call);
    SmallVector<Function *> Declarations;
    for (Function &F : I.M)
        if (F.isDeclaration() && !F.getName().starts_with("vgpu_"))
            Declarations.push_back(&F);
    for (Function *F : Declarations) {
        if (!F->isIntrinsic()) {
            lowerExternal(F);
            continue;
        }
        const std::string Name = F->getName().str();
        const bool Trap = Name == "llvm.trap" || Name.rfind("llvm.ubsantrap", 0) == 0;
        if (!Trap && Name != "llvm.debugtrap" && Name.rfind("llvm.nvvm.", 0) != 0)
            continue;
        for (User *U : make_early_inc_range(F->users())) {
            auto *Call = cast<CallBase>(U);
            IRBuilder<> B(Call);
            if (Trap)
                finish(Call, callLibrary(B, "vgpu_asm_trap", {}, Call->getType()));
            else if (Name == "llvm.debugtrap")
                finish(Call, nullptr);
            else
                lowerIntrinsic(Call, Name);
        }
        F->eraseFromParent();
    }
}

} // namespace

void lowerCalls(Image &I) {
    CallLowering(I).run();
}

bool meetsThreads(const Function &F) {
    static const char *const Meetings[] = {"shfl_",    "vote_",      "match_", "redux_", "bar_",
                                           "barrier_", "activemask", "elect_", "exit"};
    for (const Instruction &Inst : instructions(F)) {
        const auto *Call = dyn_cast<CallBase>(&Inst);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        StringRef Name = Callee ? Callee->getName() : "";
        if (!Name.consume_front("vgpu_nvvm_") && !Name.consume_front("vgpu_asm_"))
            continue;
        for (const char *Meeting : Meetings)
            if (Name.starts_with(Meeting))
                return true;
    }
    return false;
}

} // namespace vgpu
