#include "plugin/ir/hindrances.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

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

void removeHindrances(Function &F) {
    F.removeFnAttr(Attribute::OptimizeNone);
    F.removeFnAttr(Attribute::NoInline);
    for (Instruction &I : make_early_inc_range(instructions(F)))
        if (isa<LifetimeIntrinsic>(I))
            I.eraseFromParent();
        else if (auto *Question = dyn_cast<IntrinsicInst>(&I);
                 Question && Question->getIntrinsicID() == Intrinsic::is_constant)
            leaveOpen(*Question);
}

} // namespace kesco
