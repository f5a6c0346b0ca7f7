#include "plugin/region/path_copier.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kesco {

Instruction *branchForError(Instruction &At, Value &Error, bool ComesBack) {
    Value *Failed = IRBuilder<>(&At).CreateIsNotNull(&Error);
    return SplitBlockAndInsertIfThen(Failed, At.getIterator(), /*Unreachable=*/!ComesBack,
                                     MDBuilder(At.getContext()).createUnlikelyBranchWeights());
}

PathCopier::PathCopier(Instruction &End, const ErrorTest &Test, Value &Error) : Builder(&End), Test(Test) {
    Map[Test.Teller] = &Error;
}

Value *PathCopier::mapped(const Value &V) const {
    const auto Known = Map.find(&V);
    return Known == Map.end() ? const_cast<Value *>(&V) : static_cast<Value *>(Known->second);
}

void PathCopier::map(const Value &I, Value *V) {
    Map[&I] = V;
}

/// A copy of \p I, if there is to be one; else null.
static Instruction *copyOf(const Instruction &I) {
    if (const auto *Invoke = dyn_cast<InvokeInst>(&I))
        return createCallMatchingInvoke(const_cast<InvokeInst *>(Invoke));
    return I.isTerminator() || I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst() ? nullptr : I.clone();
}

void PathCopier::copy(const Instruction &I) {
    if (const Value *Kept = Test.keptIn(I)) {
        Map[&I] = const_cast<Value *>(Kept);
    } else if (Instruction *New = copyOf(I)) {
        Builder.Insert(New);
        New->setDebugLoc(I.getDebugLoc());
        RemapInstruction(New, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
        Map[&I] = New;
    }
}

} // namespace kesco
