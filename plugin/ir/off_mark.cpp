#include "plugin/ir/off_mark.h"

using namespace llvm;

namespace kesco {

static constexpr char MarkName[] = "kesco.off";

void markOff(Function &F, StringRef Why) {
    F.addFnAttr(MarkName, Why);
}

StringRef whyOff(const Function &F) {
    return F.getFnAttribute(MarkName).getValueAsString();
}

void clearOffMarks(Module &M) {
    for (Function &F : M)
        F.removeFnAttr(MarkName);
}

} // namespace kesco
