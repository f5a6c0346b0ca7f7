#include "plugin/copy/loads_across_waits.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_library.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

static bool isWait(const Instruction *I) {
    const auto *Call = dyn_cast_or_null<CallBase>(I);
    const kesco_call *Api = Call ? lookUpApi(*Call) : nullptr;
    return Api && kesco_call_waits(Api);
}

/// What \p V is loaded from; itself, where it is not loaded.
static const Value *placeOf(const Value *V) {
    const auto *Load = dyn_cast<LoadInst>(V);
    return Load ? Load->getPointerOperand() : V;
}

/// Where what the launches of \p F are given comes from.
static SmallPtrSet<const Value *, 16> placesOfLaunches(const Function &F) {
    SmallPtrSet<const Value *, 16> Places;
    for (const CallBase &Call : callsIn(F))
        if (const Function *Callee = Call.getCalledFunction(); Callee && isKernelStub(*Callee))
            for (const Use &Given : Call.args())
                if (Given->getType()->isPointerTy())
                    Places.insert(placeOf(getUnderlyingObject(Given)));
    return Places;
}

/// True if \p Address leads into memory that no launch of the function is given, as far as is seen: that it
/// reaches by an argument or a variable of its own, or has not allocated by CUDA.
static bool isOfHost(const Value *Address, const SmallPtrSetImpl<const Value *> &Given) {
    constexpr unsigned MostSteps = 8;
    for (unsigned Step = 0; Step < MostSteps; ++Step) {
        const Value *Base = getUnderlyingObject(Address);
        if (Given.contains(placeOf(Base)))
            return false;
        const Function *Callee = calleeOf(*Base);
        if (isa<Argument>(Base) || isa<AllocaInst>(Base) || (Callee && !isCudaFunction(*Callee)))
            return true;
        if (!isa<LoadInst>(Base))
            return false;
        Address = placeOf(Base);
    }
    return false;
}

/// True if nothing comes of \p V but what launches are given.
static bool isForLaunches(const Value &V) {
    return all_of(V.users(), [](const User *By) {
        if (isa<GetElementPtrInst>(By))
            return isForLaunches(*By);
        const Function *Callee = calleeOf(*By);
        return isa<LoadInst>(By) || (Callee && isKernelStub(*Callee));
    });
}

/// What was last written of what \p Load loads, but for waits.
static const MemoryAccess *lastWritten(const LoadInst &Load, MemorySSA &Memory) {
    MemorySSAWalker &Walker = *Memory.getWalker();
    MemoryAccess *Last = Walker.getClobberingMemoryAccess(&Load);
    for (auto *Def = dyn_cast<MemoryDef>(Last); Def && isWait(Def->getMemoryInst());
         Def = dyn_cast<MemoryDef>(Last))
        Last = Walker.getClobberingMemoryAccess(Def->getDefiningAccess(), MemoryLocation::get(&Load));
    return Last;
}

bool mergeLoadsAcrossWaits(Function &F, FunctionAnalysisManager &Known) {
    if (none_of(instructions(F), [](const Instruction &I) { return isWait(&I); }))
        return false;
    const DominatorTree &Dominators = Known.getResult<DominatorTreeAnalysis>(F);
    MemorySSA &Memory = Known.getResult<MemorySSAAnalysis>(F).getMSSA();
    const SmallPtrSet<const Value *, 16> Given = placesOfLaunches(F);
    /* By address, and what was last written there. */
    MapVector<std::pair<const Value *, const MemoryAccess *>, SmallVector<LoadInst *, 2>> Loads;
    for (Instruction &I : instructions(F))
        if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple() && Load->getType()->isPointerTy() &&
                                                 isOfHost(Load->getPointerOperand(), Given))
            Loads[{Load->getPointerOperand(), lastWritten(*Load, Memory)}].push_back(Load);
    SmallPtrSet<LoadInst *, 8> Merged;
    for (const auto &[Place, Each] : Loads)
        for (LoadInst *Later : Each) {
            const auto *First = find_if(Each, [&](LoadInst *Earlier) {
                return Earlier != Later && !Merged.contains(Earlier) && Dominators.dominates(Earlier, Later);
            });
            if (First == Each.end() || !isForLaunches(*Later))
                continue;
            Later->replaceAllUsesWith(*First);
            Merged.insert(Later);
        }
    for (LoadInst *Each : Merged)
        Each->eraseFromParent();
    return !Merged.empty();
}

} // namespace kesco
