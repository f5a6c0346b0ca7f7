#include "plugin/ir/hindrances.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"

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

/// Lets \p Check, a sanitizer's, come out as it does where the program's behaviour is defined.
static void passCheck(BranchInst &Check) {
    for (unsigned Failed : {0u, 1u})
        if (isReport(*Check.getSuccessor(Failed), *Check.getSuccessor(1 - Failed))) {
            Check.setCondition(ConstantInt::getBool(Check.getContext(), Failed == 1));
            return;
        }
}

void removeHindrances(Function &F) {
    F.removeFnAttr(Attribute::OptimizeNone);
    F.removeFnAttr(Attribute::NoInline);
    for (Instruction &I : make_early_inc_range(instructions(F)))
        if (isa<LifetimeIntrinsic, InstrProfInstBase>(I))
            I.eraseFromParent();
        else if (auto *Branch = dyn_cast<BranchInst>(&I);
                 Branch && Branch->isConditional() && Branch->hasMetadata(LLVMContext::MD_nosanitize))
            passCheck(*Branch);
        else if (auto *Question = dyn_cast<IntrinsicInst>(&I);
                 Question && Question->getIntrinsicID() == Intrinsic::is_constant)
            leaveOpen(*Question);
}

} // namespace kesco
