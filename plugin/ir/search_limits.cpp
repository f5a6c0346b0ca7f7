#include "plugin/ir/search_limits.h"

#include "plugin/llvm_version.h"

#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace kesco {

namespace {

struct Limit {
    const char *Option; ///< of LLVM, a cl::opt<unsigned>
    unsigned Wide;
    unsigned Own = 0; ///< what it was
};

} // namespace

static Limit Limits[] = {{"capture-tracking-max-uses-to-explore", 10000}, {"memssa-check-limit", 1000}};
static unsigned Count = 0; ///< of those that there are

static cl::opt<unsigned> *optionOf(const Limit &L) {
    return static_cast<cl::opt<unsigned> *>(cl::getRegisteredOptions().lookup(L.Option));
}

WideSearch::WideSearch() {
    if (!SearchesNarrowly || Count++ > 0)
        return;
    for (Limit &L : Limits)
        if (cl::opt<unsigned> *Option = optionOf(L)) {
            L.Own = Option->getValue();
            Option->setValue(std::max(L.Own, L.Wide));
        }
}

WideSearch::~WideSearch() {
    if (!SearchesNarrowly || --Count > 0)
        return;
    for (const Limit &L : Limits)
        if (cl::opt<unsigned> *Option = optionOf(L))
            Option->setValue(L.Own);
}

} // namespace kesco
