#include "plugin/code/lent_waits.h"

#include "plugin/code/lazy_wait_code.h"
#include "plugin/code/runtime_abi.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_library.h"
#include "plugin/ir/calls.h"
#include "plugin/region/error_end.h"
#include "plugin/region/error_test.h"
#include "plugin/region/failure_path.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

/// A question for an error that the program looks at.
static bool isQuestion(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && asksForError(*Call) && !Call->use_empty();
}

/// True for any other call of CUDA's that may return an error of a kernel, which the program looks at.
static bool returnsError(const CallBase &Call) {
    return !Call.use_empty() && mayReturnError(Call);
}

/// The call whose error \p F, which is seen wherever it is called, returns, as CUDA's templates do; null for
/// none.
static const CallBase *passedOn(const Function &F) {
    if (F.isDeclaration() || F.size() > 1 || !(F.hasLocalLinkage() || F.hasLinkOnceLinkage()))
        return nullptr;
    const auto *Return = dyn_cast<ReturnInst>(F.front().getTerminator());
    const auto *Call = Return ? dyn_cast_or_null<CallBase>(Return->getReturnValue()) : nullptr;
    return Call && Call->hasOneUse() && returnsError(*Call) ? Call : nullptr;
}

/// True for a memset or copy within the device, as an op of a region that joins, whose result the program
/// looks at.
static bool isCheckedTransfer(const Instruction &I) {
    const std::optional<AbiFunction> Called = calledAbi(I);
    return (Called == AbiFunction::set_joined || Called == AbiFunction::copy_joined) && !I.use_empty();
}

/// True for a question, or any other call that may show an error of a kernel to the function that it is in.
static bool mayShowError(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isQuestion(I) || isCheckedTransfer(I))
        return Call;
    const Function *Callee = Call->getCalledFunction();
    return (returnsError(*Call) && passedOn(*Call->getFunction()) != Call) ||
           (Callee && !Call->use_empty() && passedOn(*Callee));
}

/// KESCO_REACH_ of \p I, if it waits for the device, as it frees memory, too, or the default stream, else 0.
static unsigned reachOf(const Instruction &I) {
    if (waitsForDevice(I))
        return KESCO_REACH_DEVICE;
    if (frees(I))
        return KESCO_REACH_DEVICE | KESCO_REACH_FREES;
    return isa_and_nonnull<ConstantPointerNull>(streamWaitedFor(I)) ? KESCO_REACH_STREAM : 0;
}

/// True if \p F uses nothing of another function's.
static bool isByItself(const Function &F) {
    return all_of(instructions(F), [&](const Instruction &I) {
        return all_of(I.operands(), [&](const Use &Operand) {
            const auto *Other = dyn_cast<Instruction>(Operand.get());
            const auto *Given = dyn_cast<Argument>(Operand.get());
            return (!Other || Other->getFunction() == &F) && (!Given || Given->getParent() == &F);
        });
    });
}

/// A function that is given an error, and does what the program does where \p Call returns it; null where
/// that takes more than the error, or goes on with the program.
static Function *failureOf(const CallBase &Call) {
    const FailurePath Path(Call);
    if (Path.empty())
        return nullptr;
    const Function &In = *Call.getFunction();
    LLVMContext &Context = In.getContext();
    Function *Made = Function::Create(
        FunctionType::get(Type::getVoidTy(Context), {Type::getInt32Ty(Context)}, false),
        GlobalValue::InternalLinkage, In.getName() + ".failed", *const_cast<Module *>(In.getParent()));
    Path.copyBefore(*ReturnInst::Create(Context, BasicBlock::Create(Context, "", Made)), *Made->getArg(0));
    stripDebugInfo(*Made);
    if (isByItself(*Made) && endForErrors(*Made)) {
        Made->setDoesNotThrow();
        return Made;
    }
    Made->eraseFromParent();
    return nullptr;
}

/// The same for \p Wait, at which nobody looks, by a question of its function; nothing where that asks, and
/// does what cannot be done elsewhere. Null where it does not ask.
static std::optional<Function *> failureOfQuestion(const CallBase &Wait) {
    bool Asks = false;
    for (const Instruction &I : instructions(*Wait.getFunction())) {
        if (!isQuestion(I))
            continue;
        Asks = true;
        if (Function *Made = failureOf(cast<CallBase>(I)))
            return Made;
    }
    return Asks ? std::nullopt : std::optional<Function *>(nullptr);
}

/// What is to be told of an error of \p Wait, which may be put off; nothing where it may not.
static std::optional<Function *> failureOfWait(const CallBase &Wait, kesco_elision Elide) {
    if (Elide == KESCO_ELIDE_NONE)
        return std::nullopt;
    if (Elide == KESCO_ELIDE_UNCHECKED)
        return Wait.use_empty() && none_of(instructions(*Wait.getFunction()), isQuestion)
                   ? std::optional<Function *>(nullptr)
                   : std::nullopt;
    if (Function *Made = failureOf(Wait))
        return Made;
    return Wait.use_empty() ? failureOfQuestion(Wait) : std::nullopt;
}

/// Erases \p I, which may be null, if it is one of the runtime's calls that close regions around waits.
/// \returns whether it is.
static bool eraseLeave(Instruction *I) {
    const std::optional<AbiFunction> Called = I ? calledAbi(*I) : std::nullopt;
    const bool IsLeave = Called && is_contained({AbiFunction::leave, AbiFunction::leave_own,
                                                 AbiFunction::leave_by_next, AbiFunction::leave_by_wait,
                                                 AbiFunction::leave_behind, AbiFunction::settle_by_next},
                                                *Called);
    if (IsLeave)
        I->eraseFromParent();
    return IsLeave;
}

/// KESCO_ENDS_ of \p Failed, which failureOf has made; of none, nobody sees the error.
static ConstantInt *endOfFailure(IRBuilderBase &Builder, const Function *Failed) {
    return Builder.getInt32(Failed ? *endForErrors(*Failed) : static_cast<uint32_t>(KESCO_ENDS_UNSEEN));
}

/// Has the run put \p Wait off where it may.
static void leaveToRuntime(CallInst &Wait, Value &Lent, const kesco_wait_options &Options) {
    Instruction *Next = Wait.getNextNode();
    if (const auto *Branch = dyn_cast<BranchInst>(Next); Branch && Branch->isUnconditional())
        Next = &*Branch->getSuccessor(0)->getFirstNonPHIIt();
    Instruction *Behind = Next->getNextNode();
    const bool WasLeft = calledAbi(*Next) == AbiFunction::leave_behind && eraseLeave(Next);
    const std::optional<Function *> Failed = failureOfWait(Wait, Options.elide);
    IRBuilder<> Builder(WasLeft ? Behind : &Wait);
    if (!Failed) {
        if (WasLeft)
            callAbi(Builder, AbiFunction::leave_behind, {&Wait});
        return;
    }
    Builder.SetInsertPoint(&Wait);
    const unsigned Reach = reachOf(Wait);
    Constant *None = ConstantPointerNull::get(Builder.getPtrTy());
    Value *Stream = Reach == KESCO_REACH_DEVICE ? None : Wait.getArgOperand(0);
    Value *Told = *Failed ? static_cast<Value *>(*Failed) : None;
    CallInst *Made = callAbi(Builder, AbiFunction::wait_lent,
                             {&Lent, Stream, Builder.getInt32(Reach), Told, endOfFailure(Builder, *Failed)});
    while (eraseLeave(Made->getPrevNode()))
        ;
    Wait.replaceAllUsesWith(Made);
    Wait.eraseFromParent();
}

/// What the host waits for beside \p Copy, the run may put off.
static void lendCopy(CallBase &Copy, Value &Lent, const kesco_wait_options &Options) {
    const std::optional<Function *> Failed = failureOfWait(Copy, Options.elide);
    if (!Failed)
        return;
    IRBuilder<> Builder(&Copy);
    const unsigned Last = Copy.arg_size() - 1;
    Copy.setArgOperand(0, &Lent);
    if (*Failed)
        Copy.setArgOperand(Last - 1, *Failed);
    Copy.setArgOperand(Last, endOfFailure(Builder, *Failed));
}

void lendWaits(Function &F, Value &Lent, const kesco_wait_options &Options) {
    SmallVector<CallBase *, 4> Waits;
    for (Instruction &I : instructions(F))
        if (reachOf(I) != 0)
            Waits.push_back(cast<CallBase>(&I));
        else if (calledAbi(I) == AbiFunction::copy_lent)
            lendCopy(cast<CallBase>(I), Lent, Options);
    for (CallBase *Wait : Waits)
        leaveToRuntime(*plainCall(*Wait), Lent, Options);
}

/// True for a copy whose wait is not put off (lendCopy).
static bool isAloneCopy(const Instruction &I) {
    const auto *Lent = calledAbi(I) == AbiFunction::copy_lent
                           ? dyn_cast<ConstantInt>(cast<CallBase>(I).getArgOperand(0))
                           : nullptr;
    return Lent && Lent->isZero();
}

/// True for waits that the run may put off. What is told of errors is their last argument but one.
static bool isLentWait(std::optional<AbiFunction> Called) {
    return Called == AbiFunction::wait_lent || Called == AbiFunction::copy_lent;
}

/// How \p F ends the program for errors of its waits and questions: KESCO_ENDS_.
static uint32_t endsOf(const Function &F) {
    uint32_t Ends = KESCO_ENDS_NOT;
    for (const Instruction &I : instructions(F)) {
        const std::optional<AbiFunction> Called = calledAbi(I);
        if ((!Called && reachOf(I) != 0) || isAloneCopy(I))
            return KESCO_ENDS_SEVERAL; /* what follows from its error is done there alone */
        if (!isLentWait(Called) && Called != AbiFunction::ask_lent)
            continue;
        const auto &Call = cast<CallBase>(I);
        const auto This =
            static_cast<uint32_t>(cast<ConstantInt>(Call.getArgOperand(Call.arg_size() - 1))->getZExtValue());
        if (Ends <= KESCO_ENDS_UNSEEN)
            Ends = std::max(Ends, This);
        else if (This != KESCO_ENDS_UNSEEN && This != Ends)
            return KESCO_ENDS_SEVERAL;
    }
    return Ends;
}

void tellEnds(Function &F) {
    const uint32_t Ends = endsOf(F);
    IRBuilder<> Builder(F.getContext());
    for (Instruction &I : instructions(F)) {
        const std::optional<AbiFunction> Called = calledAbi(I);
        if (Called == AbiFunction::join)
            cast<CallBase>(I).setArgOperand(3, Builder.getInt32(Ends));
        else if (isLentWait(Called) && Ends == KESCO_ENDS_SEVERAL &&
                 isa<Function>(cast<CallBase>(I).getArgOperand(cast<CallBase>(I).arg_size() - 2)))
            cast<CallBase>(I).setArgOperand(0, Builder.getInt32(0)); /* each at its place */
    }
}

std::optional<bool> tellsLentWaits(const Instruction &I, const kesco_wait_options &Options) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || Call->isInlineAsm())
        return Call && Options.clocks_observe ? std::optional(false) : std::nullopt;
    if (is_contained({Intrinsic::trap, Intrinsic::ubsantrap, Intrinsic::debugtrap}, Call->getIntrinsicID()))
        return false; /* the program ends there */
    if (mayShowError(I))
        return true;
    const Function *Callee = Call->getCalledFunction();
    if (!Callee || !Callee->isDeclaration())
        return std::nullopt;
    const bool Tells = (Options.clocks_observe && readsClock(*Callee)) || actsOnFiles(*Callee);
    return Tells ? std::optional(false) : std::nullopt;
}

/// Where the op begins that \p I issues; \p I where it issues none.
static Instruction &beginOf(Instruction &I) {
    Instruction *Begin = isCheckedTransfer(I) ? &I : nullptr;
    while (Begin && calledAbi(*Begin) != AbiFunction::op)
        Begin = Begin->getPrevNode();
    return Begin ? *Begin : I;
}

void settleLentWaits(Instruction &Before, bool Asks, const kesco_wait_options &Options) {
    const bool MayBeLate = Options.elide != KESCO_ELIDE_NONE && Options.elide != KESCO_ELIDE_UNCHECKED;
    Function *Failed = Asks && MayBeLate ? failureOf(cast<CallBase>(Before)) : nullptr;
    IRBuilder<> Builder(&beginOf(Before));
    if (Failed)
        callAbi(Builder, AbiFunction::ask_lent, {Failed, endOfFailure(Builder, Failed)});
    else
        callAbi(Builder, AbiFunction::settle_lent, {Builder.getInt32(Asks)});
}

} // namespace kesco
