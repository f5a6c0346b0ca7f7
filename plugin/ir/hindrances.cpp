#include "plugin/ir/hindrances.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kesco {

void removeHindrances(Function &F) {
    F.removeFnAttr(Attribute::OptimizeNone);
    F.removeFnAttr(Attribute::NoInline);
    for (Instruction &I : make_early_inc_range(instructions(F)))
        if (isa<LifetimeIntrinsic>(I))
            I.eraseFromParent();
}

} // namespace kesco
