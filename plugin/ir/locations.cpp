#include "plugin/ir/locations.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kesco {

static bool isInCudaHeader(const DILocation &Where) {
    return sys::path::filename(Where.getFilename()) == "cuda_runtime.h";
}

DebugLoc placeInProgram(const DebugLoc &Where) {
    const DILocation *Next = Where.get();
    while (Next && Next->getInlinedAt() && isInCudaHeader(*Next))
        Next = Next->getInlinedAt();
    return Next;
}

std::string fileFromHere(const DILocalScope &Where) {
    const StringRef Name = Where.getFilename(), Folder = Where.getDirectory();
    const DICompileUnit *Unit = Where.getSubprogram()->getUnit();
    if (Folder.empty() || sys::path::is_absolute(Name) || (Unit && Unit->getDirectory() == Folder))
        return Name.str();
    SmallString<256> Path(Folder);
    sys::path::append(Path, Name);
    return Path.str().str();
}

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
