#include "older_calls.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace vgpu {

namespace {

/// CUDA 12's form is known by how many arguments it has, and by one that is an int.
struct OlderForm {
    StringRef Name;
    unsigned Arguments;
    std::optional<unsigned> Int;
};

const OlderForm OlderForms[] = {{"cudaMemPrefetchAsync", 4, 2},
                                {"cudaMemPrefetchAsync_ptsz", 4, 2},
                                {"cudaMemAdvise", 4, 3},
                                {"cudaGraphAddDependencies", 4, std::nullopt}};

bool isOf(const OlderForm &Form, const Function &F) {
    return F.isDeclaration() && F.arg_size() == Form.Arguments &&
           (!Form.Int || F.getArg(*Form.Int)->getType()->isIntegerTy(32));
}

} // namespace

void renameOlderCalls(Module &M) {
    for (const OlderForm &Form : OlderForms) {
        Function *F = M.getFunction(Form.Name);
        if (F && isOf(Form, *F))
            F->setName("vgpu_12_" + Form.Name);
    }
}

} // namespace vgpu
