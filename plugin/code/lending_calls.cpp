#include "plugin/code/lending_calls.h"

#include "plugin/code/runtime_abi.h"
#include "plugin/ir/calls.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace kesco {

static constexpr char LendName[] = "kesco.lend", CloseName[] = "kesco.close",
                      GiveBackName[] = "kesco.give.back", ExpectName[] = "kesco.expect";

/// Of no page is more read than of the one that the function's code begins in.
static constexpr uint64_t PageSize = 4096;

/// What -fsanitize=function puts in front of a function, before a number of its type: marks stand before
/// both.
static constexpr uint32_t SanitizerSignature = 0xc105cafe;

namespace {

/// Writes the body of a function of the module's own.
class Body {
  public:
    explicit Body(Function &F) : F(F), Builder(newBlock()) {
    }

    BasicBlock *newBlock() {
        return BasicBlock::Create(F.getContext(), "", &F);
    }

    /// Goes on in a block that is come to where \p Holds, and elsewhere to \p Other.
    void goOnIf(Value *Holds, BasicBlock *Other) {
        BasicBlock *Next = newBlock();
        Builder.CreateCondBr(Holds, Next, Other);
        Builder.SetInsertPoint(Next);
    }

    /// Writes \p Then for where \p Holds, and the function's end.
    void onlyIf(Value *Holds, function_ref<void()> Then) {
        BasicBlock *End = newBlock();
        goOnIf(Holds, End);
        Then();
        Builder.CreateBr(End);
        Builder.SetInsertPoint(End);
        Builder.CreateRetVoid();
    }

    void close(Value *IsOpen, Value *What) {
        callAbi(Builder, AbiFunction::leave_for, {What});
        Builder.CreateStore(Builder.getFalse(), IsOpen);
    }

    Function &F;
    IRBuilder<> Builder;
};

} // namespace

static void writeLendBody(Function &F) {
    Body Written(F);
    IRBuilder<> &Builder = Written.Builder;
    Value *Callee = F.getArg(0), *IsOpen = F.getArg(1), *IsTold = F.getArg(2), *What = F.getArg(3);
    BasicBlock *Unknown = Written.newBlock(), *Unmarked = Written.newBlock(), *Other = Written.newBlock(),
               *End = Written.newBlock();
    const auto load = [&](Type *Loaded, Value *From) {
        LoadInst *Result = Builder.CreateAlignedLoad(Loaded, From, Align(1));
        Result->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(F.getContext(), {}));
        return Result;
    };
    Builder.CreateStore(Builder.getFalse(), IsTold);
    Value *InPage = Builder.CreateAnd(Builder.CreatePtrToInt(Callee, Builder.getInt64Ty()), PageSize - 1);
    Written.goOnIf(Builder.CreateICmpUGE(InPage, Builder.getInt64(sizeof(uint64_t))), Unknown);
    Value *Near = Builder.CreatePtrAdd(Callee, Builder.getInt64(-sizeof(uint64_t))),
          *Far = Builder.CreatePtrAdd(Near, Builder.getInt64(-sizeof(uint64_t)));
    Value *IsChecked =
        Builder.CreateICmpEQ(load(Builder.getInt32Ty(), Near), Builder.getInt32(SanitizerSignature));
    Value *IsFarInPage = Builder.CreateICmpUGE(InPage, Builder.getInt64(2 * sizeof(uint64_t)));
    Written.goOnIf(Builder.CreateOr(Builder.CreateNot(IsChecked), IsFarInPage), Unknown);
    Value *Mark = load(Builder.getInt64Ty(), Builder.CreateSelect(IsChecked, Far, Near));
    Written.goOnIf(Builder.CreateICmpEQ(Mark, Builder.getInt64(KESCO_MARK_BORROWS)), Unmarked);
    Written.goOnIf(Builder.CreateIsNotNull(callAbi(Builder, AbiFunction::lend, {Callee})), Unknown);
    Builder.CreateStore(Builder.getTrue(), IsOpen);
    Builder.CreateRetVoid();
    Builder.SetInsertPoint(Unmarked);
    Builder.CreateCondBr(Builder.CreateICmpEQ(Mark, Builder.getInt64(KESCO_MARK_HARMLESS)), End, Other);
    Builder.SetInsertPoint(Other);
    Builder.CreateStore(Builder.CreateICmpEQ(Mark, Builder.getInt64(KESCO_MARK_REGIONS)), IsTold);
    Builder.CreateBr(Unknown);
    Builder.SetInsertPoint(Unknown);
    Written.goOnIf(Builder.CreateLoad(Builder.getInt1Ty(), IsOpen), End);
    Written.close(IsOpen, What);
    Builder.CreateBr(End);
    Builder.SetInsertPoint(End);
    Builder.CreateRetVoid();
}

static void writeCloseBody(Function &F) {
    Body Written(F);
    IRBuilder<> &Builder = Written.Builder;
    Written.onlyIf(Builder.CreateLoad(Builder.getInt1Ty(), F.getArg(0)),
                   [&] { Written.close(F.getArg(0), F.getArg(1)); });
}

/// The function of this name, which takes \p Arguments; \p Write writes its body.
static Function &ownFunction(Module &M, StringRef Name, ArrayRef<Value *> Arguments,
                             void (*Write)(Function &)) {
    if (Function *Made = M.getFunction(Name))
        return *Made;
    SmallVector<Type *, 4> Types;
    for (const Value *Argument : Arguments)
        Types.push_back(Argument->getType());
    Function *Made = Function::Create(FunctionType::get(Type::getVoidTy(M.getContext()), Types, false),
                                      GlobalValue::InternalLinkage, Name, M);
    Made->setDoesNotThrow();
    Made->addFnAttr(Attribute::AlwaysInline);
    Write(*Made);
    return *Made;
}

static void callOwn(IRBuilderBase &Builder, StringRef Name, ArrayRef<Value *> Arguments,
                    void (*Write)(Function &)) {
    Builder.CreateCall(&ownFunction(*Builder.GetInsertBlock()->getModule(), Name, Arguments, Write),
                       Arguments);
}

static void writeGiveBackBody(Function &F) {
    Body Written(F);
    IRBuilder<> &Builder = Written.Builder;
    Written.onlyIf(Builder.CreateIsNull(F.getArg(1)),
                   [&] { callOwn(Builder, CloseName, {F.getArg(0), F.getArg(2)}, writeCloseBody); });
}

void writeLend(IRBuilderBase &Builder, Value &Callee, const LendingState &State, StringRef What) {
    callOwn(Builder, LendName, {&Callee, &State.IsOpen, &State.IsTold, Builder.CreateGlobalString(What)},
            writeLendBody);
}

void writeClose(IRBuilderBase &Builder, Value &IsOpen, StringRef What) {
    callOwn(Builder, CloseName, {&IsOpen, Builder.CreateGlobalString(What)}, writeCloseBody);
}

void writeGiveBack(IRBuilderBase &Builder, Value &IsOpen, Value &Borrowed, StringRef What) {
    callOwn(Builder, GiveBackName, {&IsOpen, &Borrowed, Builder.CreateGlobalString(What)}, writeGiveBackBody);
}

/// The linker's symbol of this name in the program or library that \p M becomes a part of.
static Constant &linkerSymbol(Module &M, StringRef Name) {
    auto *Symbol = cast<GlobalVariable>(M.getOrInsertGlobal(Name, Type::getInt8Ty(M.getContext())));
    if (Symbol->isDeclaration()) {
        Symbol->setLinkage(GlobalValue::ExternalWeakLinkage);
        Symbol->setVisibility(GlobalValue::HiddenVisibility);
        Symbol->setDSOLocal(true);
    }
    return *Symbol;
}

/// A function that calls \p Called with as many of \p Arguments, if the linker has the first.
static Function &callIfThere(Module &M, AbiFunction Called, StringRef Name, ArrayRef<Value *> Arguments) {
    Function *Made = Function::Create(FunctionType::get(Type::getVoidTy(M.getContext()), false),
                                      GlobalValue::InternalLinkage, Name, M);
    Made->setDoesNotThrow();
    Body Written(*Made);
    Written.onlyIf(Written.Builder.CreateIsNotNull(Arguments.front()),
                   [&] { callAbi(Written.Builder, Called, Arguments); });
    return *Made;
}

static void writeExpectBody(Function &F) {
    Body Written(F);
    IRBuilder<> &Builder = Written.Builder;
    Value *IsOpen = Builder.CreateLoad(Builder.getInt1Ty(), F.getArg(0)),
          *IsTold = Builder.CreateLoad(Builder.getInt1Ty(), F.getArg(1));
    Written.onlyIf(Builder.CreateOr(IsOpen, IsTold),
                   [&] { callAbi(Builder, AbiFunction::expect_calls, {F.getArg(2), F.getArg(3)}); });
}

void writeExpectation(IRBuilderBase &Builder, const LendingState &State, Value &Left) {
    Type *Number = Builder.getInt64Ty();
    auto *Place =
        new GlobalVariable(*Builder.GetInsertBlock()->getModule(), Number, /*isConstant=*/false,
                           GlobalValue::InternalLinkage, ConstantInt::get(Number, 0), "kesco.place");
    callOwn(Builder, ExpectName, {&State.IsOpen, &State.IsTold, Place, &Left}, writeExpectBody);
}

void announceBorrowing(Module &M) {
    constexpr int Priority = 65535;
    Value *Begin = &linkerSymbol(M, "__ehdr_start"), *End = &linkerSymbol(M, "_end");
    appendToGlobalCtors(M, &callIfThere(M, AbiFunction::announce, "kesco.announce", {Begin, End}), Priority);
    appendToGlobalDtors(M, &callIfThere(M, AbiFunction::withdraw, "kesco.withdraw", {Begin}), Priority);
}

std::optional<bool> isOpenAfterLending(const Instruction &I) {
    const Function *Callee = calleeOf(I);
    if (!Callee || !Callee->hasLocalLinkage())
        return std::nullopt;
    if (Callee->getName() == LendName)
        return true;
    return Callee->getName() == CloseName || Callee->getName() == GiveBackName ? std::optional(false)
                                                                               : std::nullopt;
}

} // namespace kesco
