#include "plugin/cuda/host_library.h"

#include "plugin/cuda/host_functions.h"
#include "plugin/cuda/host_summary.h"
#include "plugin/llvm_version.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"

using namespace llvm;

namespace kesco {

static unsigned traitsOf(const Function &F) {
    StringRef Name = GlobalValue::dropLLVMManglingEscape(F.getName());
    return kesco_host_traits(Name.data(), Name.size());
}

static const TargetLibraryInfoImpl &libraryOf(const Module &M) {
    static const TargetLibraryInfoImpl Library(Triple(M.getTargetTriple()));
    return Library;
}

static bool isKnownToLlvm(const Function &F) {
    LibFunc Found;
    return libraryOf(*F.getParent()).getLibFunc(F, Found) && !(traitsOf(F) & KESCO_HOST_ACTIVE);
}

unsigned libraryTraits(const Function &F) {
    return F.isDeclaration() ? traitsOf(F) : 0;
}

bool isHostLibraryFunction(const Function &F) {
    return F.isDeclarationForLinker() && !F.isIntrinsic() &&
           (isKnownToLlvm(F) || traitsOf(F) & KESCO_HOST_PLAIN);
}

/// True if LLVM says of \p F that it touches nothing but its arguments and what no
/// code but its own knows. Memory that is allocated and given back is such to LLVM, but a program may have
/// functions of its own for that.
static bool isPassive(const Function &F) {
    Module Scratch("", F.getContext());
    Scratch.setTargetTriple(F.getParent()->getTargetTriple());
    Scratch.setDataLayout(F.getParent()->getDataLayout());
    Function *Known = Function::Create(F.getFunctionType(), Function::ExternalLinkage, F.getName(), Scratch);
    inferNonMandatoryLibFuncAttrs(*Known, TargetLibraryInfo(libraryOf(*F.getParent())));
    MemoryEffects Left = withoutErrno(Known->getMemoryEffects())
                             .getWithoutLoc(IRMemLocation::ArgMem)
                             .getWithoutLoc(IRMemLocation::InaccessibleMem);
    return Left.onlyReadsMemory() && !Known->hasFnAttribute(Attribute::AllocKind) &&
           !Known->returnDoesNotAlias();
}

bool mayCallBack(const Function &F) {
    return !(traitsOf(F) & KESCO_HOST_COMPUTES) && !(isKnownToLlvm(F) && isPassive(F));
}

bool readsClock(const Function &F) {
    return F.isDeclaration() ? traitsOf(F) & KESCO_HOST_CLOCK : hostFunctionDoes(F, HostTrait::Clock);
}

bool actsOnFiles(const Function &F) {
    return F.isDeclaration() ? traitsOf(F) & KESCO_HOST_FILES : hostFunctionDoes(F, HostTrait::Files);
}

bool comparesByGiven(const Function &F) {
    return F.isDeclaration() && (F.getName() == "qsort" || F.getName() == "bsearch");
}

const Function *comparisonOf(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    if (!Callee || !comparesByGiven(*Callee) || Call.arg_size() < 4)
        return nullptr;
    const auto *Given = dyn_cast<Function>(Call.getArgOperand(Call.arg_size() - 1));
    return Given && !Given->isDeclaration() && !Given->isInterposable() ? Given : nullptr;
}

bool isOfLibrary(const Function &F) {
    static constexpr StringLiteral Reserved[] = {"_ZSt", "_ZNSt", "_ZNKSt", "__", "pthread_"};
    return any_of(Reserved, [&](StringRef Begin) { return F.getName().starts_with(Begin); });
}

bool isCudaFunction(const Function &F) {
    return F.isDeclaration() && traitsOf(F) & KESCO_HOST_CUDA;
}

bool describesError(const Function &F) {
    return F.getName() == "cudaGetErrorString" || F.getName() == "cudaGetErrorName";
}

bool throwsFromLibrary(const Function &F) {
    return F.isDeclaration() && traitsOf(F) & KESCO_HOST_THROWS;
}

} // namespace kesco
