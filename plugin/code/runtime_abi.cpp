#include "plugin/code/runtime_abi.h"

#include "plugin/ir/calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

namespace {

/// What a function of C looks like to LLVM.
template <typename Type>
struct Signature;
template <typename Result, typename... Parameters>
struct Signature<Result(Parameters...)> {
    static FunctionType *get(LLVMContext &Context) {
        return FunctionType::get(abiType<Result>(Context), {abiType<Parameters>(Context)...}, false);
    }
};

struct Entry {
    StringLiteral Name;
    FunctionType *(*getType)(LLVMContext &);
};

} // namespace

/// By AbiFunction.
static constexpr Entry Entries[] = {
#define KESCO_ABI_FUNCTION(result, name, parameters)                                                         \
    {"__kesco1_" #name, Signature<decltype(__kesco1_##name)>::get},
#include "runtime/kesco_abi.def"
};

FunctionCallee declareAbi(Module &M, AbiFunction F) {
    const Entry &E = Entries[static_cast<size_t>(F)];
    LLVMContext &Context = M.getContext();
    AttributeList NoThrow = AttributeList::get(Context, AttributeList::FunctionIndex, {Attribute::NoUnwind});
    return M.getOrInsertFunction(E.Name, E.getType(Context), NoThrow);
}

CallInst *callAbi(IRBuilderBase &Builder, AbiFunction F, ArrayRef<Value *> Arguments) {
    return Builder.CreateCall(declareAbi(*Builder.GetInsertBlock()->getModule(), F), Arguments);
}

std::optional<AbiFunction> findAbi(StringRef Name) {
    const Entry *Found = find_if(Entries, [&](const Entry &E) { return E.Name == Name; });
    if (Found == std::end(Entries))
        return std::nullopt;
    return static_cast<AbiFunction>(Found - Entries);
}

std::optional<AbiFunction> calledAbi(const Instruction &I) {
    const Function *Callee = calleeOf(I);
    return Callee ? findAbi(Callee->getName()) : std::nullopt;
}

bool usesRuntime(const Module &M) {
    return any_of(M, [](const Function &F) { return !F.use_empty() && findAbi(F.getName()).has_value(); });
}

/// Writes a call of CUDA's function \p Name, which is given \p Arguments, and the return of what it returns,
/// at the end of \p Block.
static void writeCallAndReturn(BasicBlock *Block, StringRef Name, ArrayRef<Value *> Arguments) {
    Function &Caller = *Block->getParent();
    SmallVector<Type *, 3> Types;
    for (const Value *Argument : Arguments)
        Types.push_back(Argument->getType());
    IRBuilder<> Builder(Block);
    Builder.CreateRet(Builder.CreateCall(Caller.getParent()->getOrInsertFunction(
                                             Name, FunctionType::get(Caller.getReturnType(), Types, false)),
                                         Arguments));
}

/// Writes the program's wait, in the place of which __kesco1_wait_lent is, into \p Caller, which is given the
/// same: it begins at the end of \p None.
static void writeWait(Function &Caller, BasicBlock *None) {
    LLVMContext &Context = Caller.getContext();
    BasicBlock *Device = BasicBlock::Create(Context, "", &Caller),
               *Stream = BasicBlock::Create(Context, "", &Caller),
               *Free = BasicBlock::Create(Context, "", &Caller);
    IRBuilder<> Builder(None);
    Value *Reach = Caller.getArg(2), *Of = Caller.getArg(1);
    SwitchInst *Which = Builder.CreateSwitch(Reach, Stream);
    Which->addCase(Builder.getInt32(KESCO_REACH_DEVICE), Device);
    Which->addCase(Builder.getInt32(KESCO_REACH_DEVICE | KESCO_REACH_FREES), Free);
    writeCallAndReturn(Device, "cudaDeviceSynchronize", {});
    writeCallAndReturn(Free, "cudaFree", {Of});
    writeCallAndReturn(Stream, "cudaStreamSynchronize", {Of});
}

/// Writes what the program does in the place of its call of \p Called, which is not there, into \p Caller, at
/// the end of \p None. False where that is nothing.
static bool writeProgramsOwn(std::optional<AbiFunction> Called, Function &Caller, BasicBlock *None) {
    SmallVector<Value *, 3> Arguments(make_pointer_range(Caller.args()));
    if (Called == AbiFunction::wait_lent)
        writeWait(Caller, None);
    else if (Called == AbiFunction::allocate)
        writeCallAndReturn(None, "cudaMalloc", Arguments);
    else if (Called == AbiFunction::allocate_managed)
        writeCallAndReturn(None, "cudaMallocManaged", Arguments);
    else if (Called == AbiFunction::allocate_async)
        writeCallAndReturn(None, "cudaMallocAsync", Arguments);
    else if (Called == AbiFunction::allocate_from_pool)
        writeCallAndReturn(None, "cudaMallocFromPoolAsync", Arguments);
    else
        return false;
    return true;
}

/// Makes a function of the runtime one that may be missing.
static void makeOptional(Function &F) {
    Function *Caller = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage,
                                        F.getName() + ".if.there", F.getParent());
    Caller->setDoesNotThrow();
    F.replaceAllUsesWith(Caller);
    F.setLinkage(GlobalValue::ExternalWeakLinkage);
    BasicBlock *Entry = BasicBlock::Create(F.getContext(), "", Caller),
               *Call = BasicBlock::Create(F.getContext(), "", Caller),
               *None = BasicBlock::Create(F.getContext(), "", Caller);
    IRBuilder<> Builder(Entry);
    Builder.CreateCondBr(Builder.CreateIsNotNull(&F), Call, None);
    Builder.SetInsertPoint(Call);
    SmallVector<Value *, 2> Arguments(make_pointer_range(Caller->args()));
    CallInst *Called = Builder.CreateCall(&F, Arguments);
    const bool HasResult = !Called->getType()->isVoidTy();
    HasResult ? Builder.CreateRet(Called) : Builder.CreateRetVoid();
    if (writeProgramsOwn(findAbi(F.getName()), *Caller, None))
        return;
    Builder.SetInsertPoint(None);
    HasResult ? Builder.CreateRet(Constant::getNullValue(Called->getType())) : Builder.CreateRetVoid();
}

void makeRuntimeOptional(Module &M) {
    for (Function &F : make_early_inc_range(M))
        if (F.isDeclaration() && !F.hasExternalWeakLinkage() && findAbi(F.getName()))
            makeOptional(F);
}

} // namespace kesco
