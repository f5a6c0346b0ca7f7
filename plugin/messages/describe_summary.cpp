#include "plugin/messages/describe_summary.h"

#include "plugin/messages/describe_range.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace kesco {

using Words = SmallVector<std::string, 8>;

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

static char *nameOfInteger(const void *K, uint32_t Parameter, uint32_t Offset) {
    return strdup(
        memberName(*static_cast<const Kernel *>(K), Parameter, Offset, &KernelParameter::Integers).c_str());
}

/// Which bytes past a pointer; empty for any.
static std::string rangeOf(const Kernel &K, const char *Range) {
    const kesco_range_names Names = {nameOfInteger, &K};
    char *Text = Range ? kesco_describe_range(Range, &Names) : nullptr;
    std::string Result = Text ? Text : "";
    free(Text);
    return Result;
}

static void addAccesses(const Kernel &K, unsigned Effect, const char *Verb, Words &Parts) {
    const kesco_summary &S = *K.Summary;
    Words Names;
    for (const kesco_parameter_access &Access : ArrayRef(S.parameters, S.parameter_count))
        if (Access.effect & Effect)
            Names.push_back(memberName(K, Access.parameter, Access.offset, &KernelParameter::Members) +
                            rangeOf(K, Effect == KESCO_READS ? Access.read_within : Access.written_within));
    for (const kesco_variable_access &Access : ArrayRef(S.variables, S.variable_count))
        if (Access.effect & Effect)
            Names.push_back("variable " + variableName(Access.name));
    if (!Names.empty())
        Parts.push_back(Verb + (" " + join(Names, ", ")));
}

static const char *verbOf(unsigned Effect) {
    if (Effect == (KESCO_READS | KESCO_WRITES))
        return "reads and writes";
    return Effect == KESCO_WRITES ? "writes" : "reads";
}

std::string describeSummary(const Kernel &K) {
    const kesco_summary &S = *K.Summary;
    Words Parts;
    addAccesses(K, KESCO_READS, "reads", Parts);
    addAccesses(K, KESCO_WRITES, "writes", Parts);
    static constexpr std::pair<unsigned, const char *> Flags[] = {{KESCO_PRINTS, "prints"},
                                                                  {KESCO_USES_HEAP, "uses the device heap"},
                                                                  {KESCO_MAY_TRAP, "may trap"},
                                                                  {KESCO_WAITS, "may wait for other blocks"}};
    for (const auto &[Flag, Text] : Flags)
        if (S.flags & Flag)
            Parts.push_back(Text);
    if (S.beyond.effect)
        Parts.push_back(verbOf(S.beyond.effect) +
                        (std::string(" memory that no argument names: ") + S.beyond.why) +
                        placeInSource(S.beyond.at));
    if (S.hidden.runs)
        Parts.push_back(std::string("runs code that is not seen: ") + S.hidden.why +
                        placeInSource(S.hidden.at));
    return Parts.empty() ? "touches no memory" : join(Parts, "; ");
}

} // namespace kesco
