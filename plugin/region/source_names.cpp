#include "plugin/region/source_names.h"

#include "plugin/cuda/op_sites.h"
#include "plugin/ir/locations.h"
#include "plugin/ir/place_numbers.h"
#include "plugin/region/name_in_pass.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

#include <optional>

using namespace llvm;

namespace kesco {

static SourcePlace placeOf(const DILocation &Where) {
    return {sys::path::filename(Where.getFilename()).str(), Where.getLine(), Where.getColumn()};
}

/// Of what \p Known has at \p Where, where \p Call stands or is inlined, what is its own; null where that
/// cannot be told.
template <typename Map>
static auto findOwn(const Map &Known, const DILocation *Where, const CallBase &Call)
    -> decltype(&*Known.begin()->second.begin()) {
    auto Found = Where ? Known.find(placeOf(*Where)) : Known.end();
    const PlaceNumbers::Number Number = PlaceNumbers::of(Call);
    if (Found == Known.end() || Found->second.size() != Number.Of)
        return nullptr;
    return &*std::next(Found->second.begin(), Number.Which);
}

unsigned SourceNames::kindOf(const CallBase &Call) {
    enum { Nothing, Op, Allocation };
    const StringRef Name = Call.getCalledFunction() ? Call.getCalledFunction()->getName() : "";
    if (Name.starts_with("cudaMalloc") || Name == "cudaHostAlloc")
        return Allocation;
    return isPushConfiguration(Call) || Name.starts_with("cudaMem") || Name == "cudaFreeAsync" ? Op : Nothing;
}

const LaunchFacts *SourceNames::launch(const CallBase &Call) const {
    return findOwn(Facts.Launches, placeInProgram(Call.getDebugLoc()).get(), Call);
}

/// What \p Given, an argument, is called where \p Rest follows the parameter's name.
static std::string withRest(StringRef Given, StringRef Rest, bool IsPlace) {
    if (IsPlace)
        return Given.consume_front("&") ? Given.str() : ("*" + Given).str();
    if (Given.starts_with("&") && Rest.consume_front("->"))
        return (Given.drop_front() + "." + Rest).str();
    return (Given + Rest).str();
}

/// \p Rest, after a parameter's name, with what \p Call gives for parameters in it.
static std::string withArguments(StringRef Rest, const CallFacts &Call) {
    return replaceWords(Rest, [&](StringRef Word) -> std::optional<std::string> {
        auto Given = Call.Arguments.find(Word.str());
        if (Given == Call.Arguments.end() || StringRef(Given->second).starts_with("&"))
            return std::nullopt;
        return Given->second;
    });
}

/// What the caller of \p Call calls what is \p Name inside; nothing where it has no name for it.
static std::optional<std::string> nameOutside(StringRef Name, const CallFacts &Call) {
    const bool IsPlace = Name.consume_front("*");
    const StringRef Head = Name.take_while([](char C) { return isAlnum(C) || C == '_'; });
    const std::string After = withArguments(Name.drop_front(Head.size()), Call);
    StringRef Rest = After;
    if (Head == "this") {
        if (Call.Object.empty())
            return (Head + Rest).str();
        return Rest.consume_front("->") ? (Call.Object + (Call.IsPointed ? "->" : ".") + Rest).str()
                                        : Call.Object;
    }
    if (auto Given = Call.Arguments.find(Head.str()); Given != Call.Arguments.end())
        return withRest(Given->second, Rest, IsPlace);
    if (Call.Result.empty())
        return std::nullopt;
    return Call.IsStruct ? Call.Result + Rest.str() : Call.Result;
}

/// True if \p A and \p B stand in one copy of one function.
static bool areInOneFunction(const DILocation &A, const DILocation &B) {
    return A.getInlinedAt() == B.getInlinedAt() &&
           A.getScope()->getSubprogram() == B.getScope()->getSubprogram();
}

/// What \p Name, which stands at \p Where, is called in those passes that are \p Of loops there.
std::string SourceNames::inPasses(std::string Name, const DILocation &Where, Passes Of) const {
    for (const PassNumbers::Number &In : Of) {
        auto Loop = Facts.Loops.find(placeOf(*In.Loop));
        if (areInOneFunction(*In.Loop, Where) && Loop != Facts.Loops.end() && !Loop->second.Variable.empty())
            Name = nameInPass(Name, Loop->second, In);
    }
    return Name;
}

CallFacts SourceNames::inPasses(CallFacts Call, const DILocation &Where, Passes Of) const {
    if (Of.empty())
        return Call;
    Call.Object = inPasses(std::move(Call.Object), Where, Of);
    Call.Result = inPasses(std::move(Call.Result), Where, Of);
    for (auto &Argument : Call.Arguments)
        Argument.second = inPasses(std::move(Argument.second), Where, Of);
    return Call;
}

bool SourceNames::handOn(std::string &Name, const DILocation *Where, Passes Of) const {
    if (Where)
        Name = inPasses(std::move(Name), *Where, Of);
    for (Where = Where ? Where->getInlinedAt() : nullptr; Where; Where = Where->getInlinedAt()) {
        auto Call = Facts.Calls.find(placeOf(*Where));
        std::optional<std::string> Next =
            Call == Facts.Calls.end() ? std::nullopt : nameOutside(Name, inPasses(Call->second, *Where, Of));
        if (!Next)
            return false;
        Name = std::move(*Next);
    }
    return true;
}

std::string SourceNames::outside(std::string Name, const CallBase &Call) const {
    if (!Name.empty())
        handOn(Name, placeInProgram(Call.getDebugLoc()).get(), PassNumbers::of(Call));
    return Name;
}

std::string SourceNames::allocation(const CallBase &Call) const {
    /* CUDA's headers have templates around their functions. */
    for (const DILocation *Where = Call.getDebugLoc().get(); Where; Where = Where->getInlinedAt())
        if (const auto *Found = findOwn(Facts.Allocations, Where, Call)) {
            std::string Name = Found->second;
            return handOn(Name, Where, PassNumbers::of(Call)) ? Name : "";
        }
    return "";
}

std::string placeInFunction(const DILocation *Where) {
    while (Where && Where->getInlinedAt())
        Where = Where->getInlinedAt();
    if (!Where || Where->getLine() == 0)
        return "";
    return (sys::path::filename(Where->getFilename()) + ":" + Twine(Where->getLine())).str();
}

} // namespace kesco
