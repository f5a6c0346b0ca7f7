#include "plugin/kernels/effects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace kesco {

using Written = SmallVector<unsigned, 4>;
using Effects = SmallVector<Effect, 8>;

std::string placeInSource(const char *Place) {
    return Place ? " (line " + std::string(Place) + ")" : "";
}

std::string variableName(StringRef Name) {
    /* With -fgpu-rdc, names of static variables end so. */
    for (StringRef Suffix : {"__static__", "__intern__"})
        Name = Name.substr(0, Name.find(Suffix));
    return demangle(Name);
}

/// What the launch says is written; nothing, with the reason in \p Why, where it does not.
static std::optional<Written> annotatedOutputs(const KernelFacts &Facts, GivenOutputs Outputs,
                                               std::string &Why) {
    if (Facts.Outputs)
        return Facts.Outputs;
    if (!Facts.OutputsParameter)
        return std::nullopt;
    Why = "the argument for 'outputs' is no constant; give it a number";
    if (!Outputs || *Outputs < 0 || *Outputs > UINT32_MAX)
        return std::nullopt;
    Why = "'outputs' is " + std::to_string(*Outputs) + ", but the kernel has fewer pointer parameters";
    return firstPointerParameters(Facts, static_cast<unsigned>(*Outputs));
}

static std::optional<Written> annotatedOutputs(const Kernel &K, GivenOutputs Outputs) {
    std::string Why;
    return K.Facts ? annotatedOutputs(*K.Facts, Outputs, Why) : std::nullopt;
}

static Effect anywhere(const Twine &Why, bool Write = true) {
    return {Effect::Anywhere, Write, 0, 0, Why.str()};
}

static ArrayRef<kesco_parameter_access> parametersOf(const kesco_summary &Summary) {
    return ArrayRef(Summary.parameters, Summary.parameter_count);
}

/// Notes that \p Parameter is a plain pointer through which the launch goes.
static void addParameter(Effects &All, unsigned Parameter, bool Write) {
    for (Effect &Known : All)
        if (Known.What == Effect::Pointer && Known.Parameter == Parameter && Known.Offset == 0) {
            if (Write && !Known.Write)
                Known.Within.clear();
            Known.Write |= Write;
            return;
        }
    All.push_back({Effect::Pointer, Write, Parameter, 0, ""});
}

/// What annotations cannot speak of: where pointers in structs, handles and pointers to pointers lead.
static Effect opaque(const KernelParameter &P, StringRef Advice) {
    return anywhere("parameter '" + P.Name + "' may lead to memory that the annotation does not name; " +
                    Advice);
}

/// One for each effect, or none.
static SmallVector<std::string, 2> rangesOf(const kesco_parameter_access &Access) {
    SmallVector<std::string, 2> Within;
    for (auto [Effect, Range] :
         {std::pair(KESCO_READS, Access.read_within), std::pair(KESCO_WRITES, Access.written_within)}) {
        if (!(Access.effect & Effect))
            continue;
        if (!Range)
            return {};
        if (!is_contained(Within, Range))
            Within.push_back(Range);
    }
    return Within;
}

static bool readsAndWrites(unsigned Effect) {
    return (Effect & KESCO_READS) && (Effect & KESCO_WRITES);
}

static void addSummary(Effects &All, const kesco_summary &Summary) {
    for (const kesco_parameter_access &Access : parametersOf(Summary))
        All.push_back({Effect::Pointer, (Access.effect & KESCO_WRITES) != 0, Access.parameter, Access.offset,
                       "", rangesOf(Access), readsAndWrites(Access.effect)});
    for (const kesco_variable_access &Access : ArrayRef(Summary.variables, Summary.variable_count))
        All.push_back({Access.kind == KESCO_CONSTANT ? Effect::Constant : Effect::Variable,
                       (Access.effect & KESCO_WRITES) != 0,
                       0,
                       0,
                       variableName(Access.name),
                       {},
                       readsAndWrites(Access.effect)});
    static constexpr std::pair<unsigned, StringLiteral> Shared[] = {{KESCO_PRINTS, PrintBuffer},
                                                                    {KESCO_USES_HEAP, DeviceHeap},
                                                                    {KESCO_WAITS, SpinLoop},
                                                                    {KESCO_MAY_TRAP, MayTrap}};
    for (const auto &[Flag, Name] : Shared)
        if (Summary.flags & Flag)
            All.push_back({Effect::Shared, true, 0, 0, Name.str()});
    if (Summary.beyond.effect)
        All.push_back(anywhere(Twine("it ") + (Summary.beyond.effect & KESCO_WRITES ? "writes" : "reads") +
                                   " memory that no argument names: " + Summary.beyond.why +
                                   placeInSource(Summary.beyond.at) +
                                   "; pass a pointer to that memory as a parameter of its own",
                               (Summary.beyond.effect & KESCO_WRITES) != 0));
}

/// What \p K touches by its parameters as its declaration has them, \p Outputs of which it writes. \p Advice:
/// for those that pointers may be in.
static void addParameters(Effects &All, const Kernel &K, const Written &Outputs, const char *Advice) {
    for (unsigned I = 0; I < K.Facts->Parameters.size(); ++I) {
        const KernelParameter &P = K.Facts->Parameters[I];
        if (P.What == KernelParameter::Opaque)
            All.push_back(opaque(P, Advice));
        else if (P.What == KernelParameter::Pointer)
            addParameter(All, I, is_contained(Outputs, I));
    }
}

/// Code that nobody sees does what the annotation says.
static void addUnseen(Effects &All, const Kernel &K, const std::optional<Written> &Outputs) {
    if (!Outputs)
        All.push_back(anywhere(Twine("it runs code that is not seen: ") + K.Summary->hidden.why +
                               placeInSource(K.Summary->hidden.at) +
                               "; say with kesco_outputs what the kernel writes"));
    else
        addParameters(All, K, {}, "pass the pointers in it as parameters of their own");
}

static Effects effectsBySummary(const Kernel &K, GivenOutputs Outputs) {
    Effects All;
    addSummary(All, *K.Summary);
    std::optional<Written> Annotated = annotatedOutputs(K, Outputs);
    if (K.Summary->hidden.runs)
        addUnseen(All, K, Annotated);
    if (Annotated)
        for (unsigned Parameter : *Annotated)
            addParameter(All, Parameter, true);
    return All;
}

/// How to come to know more of a kernel that has no summary.
static const char *adviceWithoutSummary(const Kernel &K) {
    return K.IsDefined ? "compile its device code in the same step, for its access summary"
                       : "define it in this source file, for its access summary";
}

static Effects effectsOfUnknown(const Kernel &K, StringRef Why) {
    std::string Reason = Why.str();
    if (Why.empty())
        Reason = K.IsDefined
                     ? "this compilation has no device code with its access summary; say it with "
                       "kesco_outputs"
                     : "the kernel is defined elsewhere, so its access summary is not at hand; say it "
                       "with kesco_outputs";
    return {anywhere("what the kernel writes is unknown: " + Reason)};
}

static bool isShared(StringRef Global) {
    return Global == PrintBuffer || Global == SpinLoop || Global == MayTrap;
}

static Effects effectsBySource(const Kernel &K, GivenOutputs Outputs) {
    if (!K.Facts)
        return {
            anywhere("what the kernel touches is unknown: its declaration was not seen; declare it outside "
                     "of system headers")};
    std::string Why;
    std::optional<Written> Annotated = annotatedOutputs(*K.Facts, Outputs, Why);
    if (!Annotated)
        return effectsOfUnknown(K, Why);
    Effects All;
    if (!K.Facts->Hidden.empty())
        All.push_back(anywhere(K.Facts->Hidden + "; " + adviceWithoutSummary(K)));
    for (const std::string &Global : K.Facts->Globals)
        All.push_back({isShared(Global) ? Effect::Shared : Effect::Variable, true, 0, 0, Global});
    addParameters(All, K, *Annotated, adviceWithoutSummary(K));
    return All;
}

Effects effectsOf(const Kernel &K, GivenOutputs Outputs) {
    if (K.Summary)
        return effectsBySummary(K, Outputs);
    if (K.IsMissing)
        return {anywhere("what the kernel touches is unknown: the device code has access summaries, but not "
                         "its; compile both sides of the program together")};
    return effectsBySource(K, Outputs);
}

std::string findDeniedWrite(const Kernel &K, GivenOutputs Outputs) {
    if (!K.Summary || !K.Facts || K.Facts->Outputs || !K.Facts->OutputsParameter)
        return "";
    std::optional<Written> Said = annotatedOutputs(K, Outputs);
    if (!Said)
        return "";
    for (const kesco_parameter_access &Access : parametersOf(*K.Summary)) {
        if (!(Access.effect & KESCO_WRITES) || Access.parameter >= K.Facts->Parameters.size())
            continue;
        const KernelParameter &P = K.Facts->Parameters[Access.parameter];
        if (P.IsPointer && !is_contained(*Said, Access.parameter))
            return "the launch says that 'outputs' is " + std::to_string(Outputs.value_or(0)) +
                   ", but kernel '" + K.Facts->Title + "' writes '" + P.Name + "' too" +
                   placeInSource(Access.written_at);
    }
    return "";
}

bool trustsAnnotation(const Kernel &K) {
    return K.Summary && K.Summary->hidden.runs && K.Facts && (K.Facts->Outputs || K.Facts->OutputsParameter);
}

Written findIdleOutputs(const Kernel &K) {
    Written Idle;
    if (!K.Summary || K.Summary->hidden.runs || K.Summary->beyond.effect & KESCO_WRITES || !K.Facts ||
        !K.Facts->Outputs)
        return Idle;
    for (unsigned Parameter : *K.Facts->Outputs)
        if (!(kesco_summary_effect(K.Summary, Parameter, 0) & KESCO_WRITES))
            Idle.push_back(Parameter);
    return Idle;
}

} // namespace kesco
