#include "plugin/ir/locations.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

bool stripLocations(Module &M) {
    bool Changed = StripDebugInfo(M);
    NamedMDNode *Flags = M.getModuleFlagsMetadata();
    if (!Flags)
        return Changed;
    SmallVector<MDNode *, 8> Kept;
    for (MDNode *Flag : Flags->operands())
        if (cast<MDString>(Flag->getOperand(1))->getString() != "Debug Info Version")
            Kept.push_back(Flag);
    Flags->clearOperands();
    for (MDNode *Flag : Kept)
        Flags->addOperand(Flag);
    return Changed;
}

} // namespace kesco
