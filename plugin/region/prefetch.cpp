#include "plugin/region/prefetch.h"

#include "plugin/copy/normalise.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/ir/walk.h"
#include "plugin/region/objects.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

/// The managed allocations that the host may read, one pass after the other, after \p From before another op
/// is issued.
static SmallSetVector<const CallBase *, 4> findReadManaged(const Instruction &From, const LoopInfo &Loops) {
    SmallSetVector<const CallBase *, 4> Found;
    walkForward(after(From), [&](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        if (Call && NormalisedModule::siteOf(*Call))
            return Walk::Turn;
        const auto *Load = dyn_cast<LoadInst>(&I);
        const Loop *Around = Loops.getLoopFor(I.getParent());
        if (!Load || !Around || Around->isLoopInvariant(Load->getPointerOperand()))
            return Walk::On;
        for (const CallBase *Allocation : findObjects(Load->getPointerOperand(), false).Allocations)
            if (memoryOf(*Allocation) == ManagedMemory)
                Found.insert(Allocation);
        return Walk::On;
    });
    return Found;
}

/// Where the program keeps the pointer to what \p Allocation made: a variable that is there all the time.
/// Null if that cannot be seen.
static Value *variableOf(const CallBase &Allocation, const Function &F, const NormalisedModule &Copy) {
    const auto *Copied = dyn_cast<CallBase>(Allocation.getArgOperand(0));
    const auto *Made = Copied ? dyn_cast_or_null<CallBase>(Copy.originalOf(F, *Copied)) : nullptr;
    if (!Made || Made->arg_empty())
        return nullptr;
    Value *Address = Made->getArgOperand(0);
    const auto *Local = dyn_cast<AllocaInst>(Address);
    return (Local && Local->isStaticAlloca()) || isa<GlobalVariable>(Address) ? Address : nullptr;
}

void findPrefetchesToHost(Region &R, const Function &F, ArrayRef<const Instruction *> Barriers,
                          NormalisedModule &Copy) {
    Function &Copied = *Copy.copyOf(F);
    const LoopInfo &Loops = Copy.analyses().getResult<LoopAnalysis>(Copied);
    for (const Instruction *Barrier : Barriers) {
        const auto *Call = dyn_cast<CallBase>(Barrier);
        const kesco_call *Api = Call ? lookUpApi(*Call) : nullptr;
        if (!Api || Api->effect != KESCO_SYNCHRONISES || Barrier->isTerminator())
            continue;
        for (const CallBase *Allocation : findReadManaged(*Barrier, Loops))
            if (Value *Variable = variableOf(*Allocation, F, Copy))
                R.PrefetchesToHost.emplace_back(Copy.originalOf(F, *Barrier), Variable);
    }
}

} // namespace kesco
