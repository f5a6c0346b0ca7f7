#include "plugin/messages/describe_summary.h"

#include "plugin/messages/summary_words.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace llvm;

namespace kesco {

std::string kernelTitle(const Kernel &K) {
    return K.Facts ? K.Facts->Title : demangle(K.Summary->name);
}

/// What people call what stands at \p Offset in the parameter; \p Members has the names of those of its kind.
static std::string memberName(const Kernel &K, unsigned Parameter, unsigned Offset,
                              std::map<unsigned, std::string> KernelParameter::*Members) {
    std::string Name = "parameter " + std::to_string(Parameter + 1);
    if (!K.Facts || Parameter >= K.Facts->Parameters.size())
        return Name;
    const KernelParameter &P = K.Facts->Parameters[Parameter];
    if (!P.Name.empty())
        Name = P.Name;
    auto Member = (P.*Members).find(Offset);
    if (Member != (P.*Members).end())
        return Name + "." + Member->second;
    return Offset == 0 ? Name : Name + "+" + std::to_string(Offset);
}

template <std::map<unsigned, std::string> KernelParameter::*Members>
static char *nameOf(const void *K, uint32_t Parameter, uint32_t Offset) {
    return strdup(memberName(*static_cast<const Kernel *>(K), Parameter, Offset, Members).c_str());
}

static char *nameOfVariable(const char *Name) {
    return strdup(variableName(Name).c_str());
}

std::string describeSummary(const Kernel &K) {
    const kesco_summary_names Names = {
        nameOf<&KernelParameter::Members>, nameOfVariable, {nameOf<&KernelParameter::Integers>, &K}};
    const std::unique_ptr<char, decltype(&free)> Text(kesco_summary_words(K.Summary, &Names), free);
    if (!Text)
        report_bad_alloc_error("kesco: what a kernel does");
    return Text.get();
}

} // namespace kesco
