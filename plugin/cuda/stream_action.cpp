#include "plugin/cuda/stream_action.h"

#include "plugin/cuda/op_sites.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

/// A helper with more instructions, before any optimisation, is more than its call.
static constexpr unsigned MostInWrapper = 200;

bool actsOnLegacyStream(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->isDeclaration() || !Call->getType()->isIntegerTy(32))
        return false;
    StringRef Name = Callee->getName();
    if (Name == "cudaDeviceSynchronize")
        return true;
    bool PerThreadDefault = Name.consume_back("_ptsz");
    unsigned Operand = Name == "cudaEventRecord" ? 1 : 0;
    if ((Operand == 0 && Name != "cudaStreamSynchronize") || Call->arg_size() != Operand + 1)
        return false;
    std::optional<unsigned> Stream = constantStream(*Call->getArgOperand(Operand));
    return Stream == LegacyStream || (Stream == 0u && !PerThreadDefault);
}

bool wrapsAction(const Function &F) {
    return F.getInstructionCount() <= MostInWrapper && any_of(instructions(F), actsOnLegacyStream);
}

} // namespace kesco
