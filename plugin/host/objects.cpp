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
        if (Call && isAllocation(*Call))
            Result.Allocations.push_back(Call);
        else if (!isa<ConstantPointerNull>(Base) && !isa<UndefValue>(Base))
            Result.Unknown = true;
    }
    if (Result.Unknown && Bases.size() == 1) {
        const auto *Load = dyn_cast<LoadInst>(Bases.front());
        Result.Origin = Load ? Load->getPointerOperand() : Bases.front();
    }
    return Result;
}

} // namespace kesco
