#include "plugin/region/objects.h"

#include "plugin/cuda/cuda_model.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

/// True for memory that no pointer of CUDA's leads into, unless the program registers it.
static bool isHostMemory(const Value *Base) {
    return isa<AllocaInst>(Base) || isa<GlobalVariable>(Base) || isNoAliasCall(Base);
}

/// True if offsets from \p Base can be compared: it is one address, or a new piece of memory each time. What
/// is loaded or chosen may be another pointer each time.
static bool isSteady(const Value *Base) {
    const auto *Call = dyn_cast<CallBase>(Base);
    return isa<Argument>(Base) || isHostMemory(Base) || (Call && isAllocation(*Call));
}

/// True for what leads nowhere: null, or what -ftrivial-auto-var-init=pattern gives to a variable, which is
/// no address that there may be.
static bool leadsNowhere(const Value *Base) {
    constexpr uint64_t Pattern = 0xAAAAAAAAAAAAAAAA;
    const auto *Cast = dyn_cast<ConstantExpr>(Base);
    const auto *Number = Cast && Cast->getOpcode() == Instruction::IntToPtr
                             ? dyn_cast<ConstantInt>(Cast->getOperand(0))
                             : nullptr;
    return isa<ConstantPointerNull>(Base) || isa<UndefValue>(Base) || (Number && Number->equalsInt(Pattern));
}

Objects findObjects(const Value *Pointer, bool IsHost) {
    Objects Result;
    SmallVector<const Value *, 4> Bases;
    getUnderlyingObjects(Pointer, Bases, /*LI=*/nullptr, /*MaxLookup=*/0);
    erase_if(Bases, leadsNowhere);
    for (const Value *Base : Bases) {
        const auto *Call = dyn_cast<CallBase>(Base);
        const auto *Load = dyn_cast<LoadInst>(Base);
        if (Call && isAllocation(*Call))
            Result.Allocations.push_back(Call);
        else if (IsHost && isHostMemory(Base))
            Result.HostMemory.push_back(Base);
        else
            Result.Origins.push_back(Load ? Load->getPointerOperand() : Base);
        Result.IsLoaded |= Load != nullptr;
    }
    if (Bases.size() == 1 && isSteady(Bases.front()))
        Result.Base = Bases.front();
    return Result;
}

bool isRestricted(const Value &Origin) {
    const auto *Parameter = dyn_cast<Argument>(&Origin);
    return Parameter && Parameter->hasNoAliasAttr();
}

} // namespace kesco
