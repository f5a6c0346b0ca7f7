#include "plugin/code/region_constant.h"

#include "plugin/code/runtime_abi.h"
#include "plugin/code/site_constant.h"
#include "plugin/plan/selection.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

/// For each lane of \p Plan, the level of its task's priority; NULL if all have the same.
static Constant *levelsOf(Module &M, const kesco_plan &Plan) {
    ArrayRef<uint8_t> Levels(Plan.lane_level, Plan.lane_count);
    if (all_equal(Levels))
        return ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
    return privateConstant(M, ConstantDataArray::get(M.getContext(), Levels));
}

static Constant *memoryOf(Module &M) {
    auto *Pointer = PointerType::getUnqual(M.getContext());
    return new GlobalVariable(M, Pointer, /*isConstant=*/false, GlobalValue::PrivateLinkage,
                              ConstantPointerNull::get(Pointer));
}

static Constant *historyOf(Module &M) {
    Constant *Empty = AbiConstant<kesco_history>::get(
        M.getContext(), 0, 0, 0, 0, ConstantPointerNull::get(PointerType::getUnqual(M.getContext())),
        ConstantPointerNull::get(PointerType::getUnqual(M.getContext())), 0, 0, 0, 0, 0);
    return new GlobalVariable(M, Empty->getType(), /*isConstant=*/false, GlobalValue::PrivateLinkage, Empty);
}

Constant *regionConstant(Module &M, const Function &Named, const ScheduledRegion &Planned, unsigned Events,
                         unsigned Mode) {
    const Op &First = Planned.R->ops.items[0];
    GlobalVariable *Global = privateConstant(
        M, AbiConstant<kesco_region>::get(
               M.getContext(), Planned.placed_lanes > 0 ? Planned.placed_lanes : Planned.plan->lane_count,
               Planned.placed_lanes > 0 ? Planned.placed_lanes : Events, levelsOf(M, *Planned.plan),
               textConstant(M, functionTitle(Named)), textConstant(M, First.source.file), First.source.line,
               Mode, Planned.may_replay, memoryOf(M), historyOf(M), Planned.placed_lanes > 0, Planned.joins));
    Global->setUnnamedAddr(GlobalValue::UnnamedAddr::None);
    return Global;
}

bool mayBeReplayed(const CallBase &Join) {
    const auto &Global = cast<GlobalVariable>(*Join.getArgOperand(2)->stripPointerCasts());
    const Constant *Replays = ConstantFoldLoadFromConst(
        const_cast<Constant *>(Global.getInitializer()), Type::getInt32Ty(Join.getContext()),
        APInt(64, offsetof(kesco_region, replays)), Global.getDataLayout());
    return !Replays->isNullValue();
}

} // namespace kesco
