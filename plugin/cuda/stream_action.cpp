#include "plugin/cuda/stream_action.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/op_sites.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

/// A helper with more instructions, before any optimisation, is more than its call.
static constexpr int MostInWrapper = 200;

bool actsOnLegacyStream(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->isDeclaration() || !Call->getType()->isIntegerTy(32))
        return false;
    StringRef Name = Callee->getName();
    bool PerThreadDefault = Name.consume_back("_ptsz");
    const kesco_call *Row = kesco_call_find(Name.data(), Name.size());
    if (!Row || (Row->effect != KESCO_SYNCHRONISES && Row->effect != KESCO_RECORDS) ||
        kesco_call_argument_count(Row) != Call->arg_size())
        return false;
    int Operand = kesco_call_argument(Row, KESCO_STREAM);
    if (Operand < 0)
        return true;
    std::optional<unsigned> Stream = constantStream(*Call->getArgOperand(static_cast<unsigned>(Operand)));
    return Stream == LegacyStream || (Stream == 0u && !PerThreadDefault);
}

static bool waitsOrActs(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const kesco_call *Row = Call ? lookUpApi(*Call) : nullptr;
    return actsOnLegacyStream(I) || (Row && kesco_call_waits(Row));
}

/// The ends of variables' lives are only written where the compiler optimises.
bool isWrapperSized(const Function &F) {
    return count_if(instructions(F), [](const Instruction &I) { return !I.isLifetimeStartOrEnd(); }) <=
           MostInWrapper;
}

bool wrapsAction(const Function &F) {
    return isWrapperSized(F) && any_of(instructions(F), waitsOrActs);
}

} // namespace kesco
