#include "plugin/host/objects.h"

#include "plugin/host/cuda_model.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

Objects findObjects(const Value *Pointer) {
    Objects Result;
    SmallVector<const Value *, 4> Bases;
    getUnderlyingObjects(Pointer, Bases, /*LI=*/nullptr, /*MaxLookup=*/0);
    for (const Value *Base : Bases) {
        const auto *Call = dyn_cast<CallBase>(Base);
        const auto *Load = dyn_cast<LoadInst>(Base);
        if (Call && isAllocation(*Call))
            Result.Allocations.push_back(Call);
        else if (!isa<ConstantPointerNull>(Base) && !isa<UndefValue>(Base))
            Result.Origins.push_back(Load ? Load->getPointerOperand() : Base);
    }
    return Result;
}

bool isRestricted(const Value &Origin) {
    const auto *Parameter = dyn_cast<Argument>(&Origin);
    return Parameter && Parameter->hasNoAliasAttr();
}

} // namespace kesco
