#include "plugin/code/open_regions.h"

#include "plugin/code/lending_calls.h"
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
    case AbiFunction::leave_behind_record:
    case AbiFunction::leave_by_event:
        return false;
    default:
        return std::nullopt;
    }
}

bool isOfJoiningRegions(AbiFunction Called) {
    return is_contained({AbiFunction::join,
                         AbiFunction::expect,
                         AbiFunction::awaited,
                         AbiFunction::op,
                         AbiFunction::place,
                         AbiFunction::launch,
                         AbiFunction::set,
                         AbiFunction::set_joined,
                         AbiFunction::copy,
                         AbiFunction::copy_joined,
                         AbiFunction::copy_lent,
                         AbiFunction::copied,
                         AbiFunction::guard,
                         AbiFunction::guard_box,
                         AbiFunction::guard_part,
                         AbiFunction::guard_pieces,
                         AbiFunction::guard_range,
                         AbiFunction::guards,
                         AbiFunction::claimed,
                         AbiFunction::fetch,
                         AbiFunction::fetch_overwritten,
                         AbiFunction::fetch_part,
                         AbiFunction::leave,
                         AbiFunction::leave_own,
                         AbiFunction::leave_by_next,
                         AbiFunction::leave_by_wait,
                         AbiFunction::leave_by_record,
                         AbiFunction::leave_by_event,
                         AbiFunction::leave_behind,
                         AbiFunction::leave_behind_record,
                         AbiFunction::wait_lent,
                         AbiFunction::allocate,
                         AbiFunction::allocate_managed,
                         AbiFunction::allocate_async,
                         AbiFunction::allocate_from_pool,
                         AbiFunction::give_back,
                         AbiFunction::settle_lent,
                         AbiFunction::ask_lent,
                         AbiFunction::synchronize,
                         AbiFunction::touch,
                         AbiFunction::touch_member,
                         AbiFunction::cover,
                         AbiFunction::settle,
                         AbiFunction::settle_visible,
                         AbiFunction::settle_by_next,
                         AbiFunction::tell,
                         AbiFunction::late_error},
                        Called);
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
