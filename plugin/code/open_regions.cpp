#include "plugin/code/open_regions.h"

#include "plugin/code/lending_calls.h"
#include "plugin/code/runtime_abi.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace kesco {

std::optional<bool> isOpenBehind(const Instruction &I) {
    const std::optional<AbiFunction> Called = calledAbi(I);
    if (!Called)
        return isOpenBehindLending(I);
    switch (*Called) {
    case AbiFunction::borrow:
    case AbiFunction::enter:
    case AbiFunction::enter_behind:
    case AbiFunction::join:
        return true;
    case AbiFunction::leave:
    case AbiFunction::leave_for:
    case AbiFunction::leave_behind:
        return false;
    default:
        return std::nullopt;
    }
}

/// \returns whether a region may be open at the end of \p Block.
static bool visit(BasicBlock &Block, bool IsOpen, RegionChange Changes,
                  function_ref<void(Instruction &, bool)> See) {
    for (Instruction &I : Block) {
        See(I, IsOpen);
        IsOpen = Changes(I).value_or(IsOpen);
    }
    return IsOpen;
}

void visitWithRegions(Function &F, RegionChange Changes, function_ref<void(Instruction &, bool)> See) {
    SmallPtrSet<BasicBlock *, 16> Open;
    SmallVector<BasicBlock *, 16> Work;
    for (BasicBlock &Block : F)
        Work.push_back(&Block);
    while (!Work.empty()) {
        BasicBlock *Block = Work.pop_back_val();
        if (!visit(*Block, Open.contains(Block), Changes, [](Instruction &, bool) {}))
            continue;
        for (BasicBlock *Successor : successors(Block))
            if (Open.insert(Successor).second)
                Work.push_back(Successor);
    }
    for (BasicBlock &Block : F)
        visit(Block, Open.contains(&Block), Changes, See);
}

} // namespace kesco
