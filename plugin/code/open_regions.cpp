#include "plugin/code/open_regions.h"

#include "plugin/code/lending_calls.h"
#include "plugin/code/runtime_abi.h"
#include "plugin/ir/walk.h"

using namespace llvm;

namespace kesco {

std::optional<bool> isOpenAfter(const Instruction &I) {
    const std::optional<AbiFunction> Called = calledAbi(I);
    if (!Called)
        return isOpenAfterLending(I);
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
    enum : unsigned { Closed = 1, Open = 2 };
    const auto States = flowForward(
        F, [](const BasicBlock &) { return Closed; },
        [&](const BasicBlock &Block, unsigned Before) {
            const bool IsOpen =
                visit(const_cast<BasicBlock &>(Block), Before & Open, Changes, [](Instruction &, bool) {});
            return IsOpen ? Open : Closed;
        });
    for (BasicBlock &Block : F)
        visit(Block, States.lookup(&Block) & Open, Changes, See);
}

} // namespace kesco
