#include "plugin/lift/ptx_summaries.h"

#include "plugin/device/summarise_module.h"
#include "plugin/lift/lift.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

#include <cerrno>

using namespace llvm;

namespace kesco {

static void check(bool Good) {
    if (!Good)
        report_bad_alloc_error("kesco: access summaries");
}

static bool ask(const void *Question, const char *Kernel, unsigned Parameter, uint64_t Offset) {
    return (*static_cast<const PointerQuestion *>(Question))(Kernel, Parameter, Offset);
}

static bool nameVariables(kesco_lifted &Lifted, const kesco_ptx_module &From, const VariableNames &Known) {
    SmallVector<kesco_variable_name, 16> Names;
    for (const auto &[Device, Host] : Known)
        Names.push_back({Device.data(), Host.c_str()});
    return kesco_lifted_name_variables(&Lifted, &From, Names.data(), Names.size());
}

/// Adds to \p Set what of its kernels \p Lifted could not make IR of.
static void addNotLifted(const kesco_lifted &Lifted, kesco_summaries &Set) {
    for (const kesco_not_lifted &Entry : ArrayRef(Lifted.not_lifted, Lifted.not_lifted_count)) {
        kesco_summary *Summary = kesco_summaries_add(&Set, Entry.kernel);
        std::string Why = std::string("its PTX has ") + Entry.what + ", which is not understood";
        check(Summary && kesco_summary_add_unseen(Summary, Why.c_str(), nullptr) == 0);
    }
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
    kesco_lifted Lifted;
    check(kesco_lift_ptx(wrap(&Context), &From, {ask, &IsPointer}, &Lifted) == 0);
    const bool Named = nameVariables(Lifted, From, Known);
    kesco_ptx_module_free(&From);
    if (Named) {
        Summaries Found;
        summariseModule(*unwrap(Lifted.module), Sources, Found.Set,
                        [](const Function &, const WritePlaces &) {});
        addNotLifted(Lifted, Found.Set);
        check(kesco_summaries_merge(&Set, &Found.Set) == 0);
    }
    kesco_lifted_free(&Lifted);
    if (!Named)
        return createStringError("its PTX has a variable and something else that host code calls the same");
    return Error::success();
}

} // namespace kesco
