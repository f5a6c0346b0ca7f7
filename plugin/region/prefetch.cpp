#include "plugin/region/prefetch.h"

#include "plugin/copy/normalise.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/ir/walk.h"
#include "plugin/region/objects.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

std::vector<BitVector> findEarlier(const Region &R) {
    std::vector<BitVector> Earlier(R.ops.count, BitVector(R.ops.count));
    for (unsigned From = 0; From < R.ops.count; ++From) {
        SmallVector<unsigned, 16> Work(all(R.ops.items[From].way.next).begin(),
                                       all(R.ops.items[From].way.next).end());
        while (!Work.empty()) {
            unsigned To = Work.pop_back_val();
            if (Earlier[To].test(From))
                continue;
            Earlier[To].set(From);
            append_range(Work, all(R.ops.items[To].way.next));
        }
    }
    return Earlier;
}

static bool uses(const Op &O, unsigned Object) {
    return any_of(all(O.memory.pointers), [&](const kesco_pointer &P) { return P.object == Object; });
}

void findPrefetchesToDevice(Region &R) {
    const std::vector<BitVector> Earlier = findEarlier(R);
    for (unsigned Object = 0; Object < R.objects.count; ++Object) {
        if (!(R.objects.items[Object].where & ManagedMemory) || any_of(all(R.ops), [&](const Op &O) {
                return O.op.kind == KESCO_OP_PREFETCH && uses(O, Object);
            }))
            continue;
        for (unsigned I = 0; I < R.ops.count; ++I) {
            bool IsFirst = none_of(Earlier[I].set_bits(), [&](unsigned Other) {
                return Other < I && uses(R.ops.items[Other], Object);
            });
            if (R.ops.items[I].op.kind != KESCO_OP_KERNEL || !IsFirst)
                continue;
            for (const kesco_pointer &P : all(R.ops.items[I].memory.pointers))
                if (P.object == Object) {
                    R.append(R.fetches, kesco_fetch{I, P});
                    break;
                }
        }
    }
}

/// The managed allocations that the host may read, one pass after the other, behind \p From before another op
/// is issued.
static SmallSetVector<const CallBase *, 4> findReadManaged(const Instruction &From, const LoopInfo &Loops) {
    SmallSetVector<const CallBase *, 4> Found;
    walkForward(behind(From), [&](const Instruction &I) {
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
