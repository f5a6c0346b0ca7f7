#include "plugin/lift/ptx_summaries.h"

#include "plugin/device/summarise_module.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/ErrorHandling.h"

#include <cerrno>

using namespace llvm;

namespace kesco {

static void check(bool Good) {
    if (!Good)
        report_bad_alloc_error("kesco: access summaries");
}

/// Adds to \p Set what of its kernels \p Lifted could not make IR of.
static void addNotUnderstood(const LiftedModule &Lifted, kesco_summaries &Set) {
    for (const auto &Entry : Lifted.NotUnderstood) {
        kesco_summary *Summary = kesco_summaries_add(&Set, Entry.getKey().str().c_str());
        std::string Why = "its PTX has " + Entry.getValue() + ", which is not understood";
        check(Summary && kesco_summary_add_unseen(Summary, Why.c_str(), nullptr) == 0);
    }
}

/// String literals have their text for good: compilers name them as no variable is named that host code does
/// not know.
static void fillInLiterals(Module &M, const kesco_ptx_module &From, const VariableNames &Known) {
    for (const kesco_ptx_variable &Variable : ArrayRef(From.variables, From.variable_count)) {
        StringRef Name = Variable.name;
        GlobalVariable *Literal = M.getNamedGlobal(Name);
        if (!Literal || !Variable.is_own || !Variable.text || Known.contains(Name) ||
            !(Name.starts_with("$str") || Name.starts_with("_$_str")))
            continue;
        Literal->setInitializer(
            ConstantDataArray::get(M.getContext(), ArrayRef(Variable.text, Variable.size)));
        Literal->setConstant(true);
        Literal->setExternallyInitialized(false);
    }
}

static bool rename(Module &M, const VariableNames &Known) {
    for (const auto &[Old, New] : Known) {
        GlobalVariable *Variable = M.getNamedGlobal(Old);
        if (!Variable || Old == New)
            continue;
        Variable->setName(New);
        if (Variable->getName() != New)
            return false;
    }
    return true;
}

Error summarisePtx(StringRef Text, PointerQuestion IsPointer, const VariableNames &Known,
                   clang::SourceManager &Sources, kesco_summaries &Set) {
    kesco_ptx_module From;
    const char *Problem = nullptr;
    int Status = kesco_ptx_module_read(&From, Text.data(), Text.size(), &Problem);
    if (Status == -EBADMSG)
        return createStringError(Twine("its PTX has ") + Problem + ", which is not understood");
    check(Status == 0);
    LLVMContext Context;
    const LiftedModule Lifted = liftPtx(Context, From, IsPointer);
    fillInLiterals(*Lifted.M, From, Known);
    kesco_ptx_module_free(&From);
    if (!rename(*Lifted.M, Known))
        return createStringError("its PTX has a variable and something else that host code calls the same");
    Summaries Found;
    summariseModule(*Lifted.M, Sources, Found.Set, [](const Function &, const WritePlaces &) {});
    addNotUnderstood(Lifted, Found.Set);
    check(kesco_summaries_merge(&Set, &Found.Set) == 0);
    return Error::success();
}

} // namespace kesco
