#include "plugin/ir/hindrances.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kesco {

/// __builtin_constant_p says what the optimiser comes to know, which the copy knows but -O0 does not.
static void leaveOpen(IntrinsicInst &Question) {
    IRBuilder<> Builder(&*Question.getFunction()->getEntryBlock().begin());
    AllocaInst *Unknown = Builder.CreateAlloca(Question.getType());
    Builder.SetInsertPoint(&Question);
    Question.replaceAllUsesWith(Builder.CreateLoad(Question.getType(), Unknown, /*isVolatile=*/true));
    Question.eraseFromParent();
}

/// True if \p Block only tells of undefined behaviour, as sanitizers do, and goes on to \p Next or ends.
static bool isReport(const BasicBlock &Block, const BasicBlock &Next) {
    const Instruction *End = Block.getTerminator();
    const bool GoesOn = isa<BranchInst>(End) && Block.getSingleSuccessor() == &Next;
    return (GoesOn || isa<UnreachableInst>(End)) && any_of(Block, [](const Instruction &I) {
               return isa<CallBase>(I) && I.hasMetadata(LLVMContext::MD_nosanitize);
           });
}

/// Takes from \p Report, which is never reached, what it would tell. \p Unused takes that.
static void forgetTold(BasicBlock &Report, SmallVectorImpl<WeakTrackingVH> &Unused) {
    for (Instruction &I : Report)
        if (auto *Call = dyn_cast<CallBase>(&I))
            for (Use &Argument : Call->args())
                if (isa<Instruction>(Argument)) {
                    Unused.emplace_back(Argument.get());
                    Argument.set(Constant::getNullValue(Argument->getType()));
                }
}

/// Lets \p Check, a sanitizer's, come out as it does where the program's behaviour is defined. \p Unused
/// takes what it was computed from: an address that is looked at keeps its variable in memory.
static void passCheck(BranchInst &Check, SmallVectorImpl<WeakTrackingVH> &Unused) {
    for (unsigned Failed : {0u, 1u})
        if (isReport(*Check.getSuccessor(Failed), *Check.getSuccessor(1 - Failed))) {
            Unused.emplace_back(Check.getCondition());
            forgetTold(*Check.getSuccessor(Failed), Unused);
            Check.setCondition(ConstantInt::getBool(Check.getContext(), Failed == 1));
            return;
        }
}

/// A pointer that comes into scope again, in another pass of a loop, has nothing of what it was before.
static void unsetWhereScopeBegins(LifetimeIntrinsic &Marker) {
    if (Marker.getIntrinsicID() != Intrinsic::lifetime_start)
        return;
    auto *Variable = dyn_cast<AllocaInst>(Marker.getArgOperand(Marker.arg_size() - 1));
    if (Variable && Variable->getAllocatedType()->isPointerTy())
        new StoreInst(UndefValue::get(Variable->getAllocatedType()), Variable,
                      std::next(Marker.getIterator()));
}

void removeHindrances(Function &F) {
    F.removeFnAttr(Attribute::OptimizeNone);
    F.removeFnAttr(Attribute::NoInline);
    SmallVector<WeakTrackingVH, 16> Unused;
    for (Instruction &I : make_early_inc_range(instructions(F)))
        if (auto *Marker = dyn_cast<LifetimeIntrinsic>(&I)) {
            unsetWhereScopeBegins(*Marker);
            I.eraseFromParent();
        } else if (isa<InstrProfInstBase>(I))
            I.eraseFromParent();
        else if (auto *Branch = dyn_cast<BranchInst>(&I);
                 Branch && Branch->isConditional() && Branch->hasMetadata(LLVMContext::MD_nosanitize))
            passCheck(*Branch, Unused);
        else if (auto *Question = dyn_cast<IntrinsicInst>(&I);
                 Question && Question->getIntrinsicID() == Intrinsic::is_constant)
            leaveOpen(*Question);
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(Unused);
}

} // namespace kesco
