#include "plugin/region/function_ends.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

bool isEnd(const Instruction &I) {
    return isa<ReturnInst>(I) || isa<ResumeInst>(I) || isa<UnreachableInst>(I);
}

void visitEdges(const Edge &From, function_ref<bool(const Edge &)> Visit) {
    if (Visit(From))
        walkAlongEdges(
            beginOf(*From.To), [](const Instruction &) { return Walk::On; },
            [&](const Edge &At) { return !At.To->isEHPad() && Visit(At); });
}

const CallBase *lastCall(const BasicBlock &Block) {
    const Instruction *End = Block.getTerminator();
    if (const auto *Invoke = dyn_cast<InvokeInst>(End))
        return Invoke->doesNotReturn() ? Invoke : nullptr;
    return isa<UnreachableInst>(End) ? dyn_cast_or_null<CallBase>(End->getPrevNode()) : nullptr;
}

const Value *exitStatus(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    StringRef Name = Callee ? Callee->getName() : "";
    bool Exits = Name == "exit" || Name == "_exit" || Name == "_Exit" || Name == "quick_exit";
    return Exits ? Call.getArgOperand(0) : nullptr;
}

const Value *valueFrom(const Value *V, const Edge &At) {
    const auto *Merged = dyn_cast<PHINode>(V);
    return Merged && Merged->getParent() == At.To ? Merged->getIncomingValueForBlock(At.From) : V;
}

bool isZero(const Value *V) {
    const auto *Number = dyn_cast_or_null<ConstantInt>(V);
    return Number && Number->isZero();
}

} // namespace kesco
