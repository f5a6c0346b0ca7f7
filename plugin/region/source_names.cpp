#include "plugin/region/source_names.h"

#include "plugin/cuda/op_sites.h"
#include "plugin/ir/place_numbers.h"

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
    return findOwn(Facts.Launches, Call.getDebugLoc().get(), Call);
}

/// What \p Given, an argument, is called where \p Rest follows the parameter's name.
static std::string withRest(StringRef Given, StringRef Rest, bool IsPlace) {
    if (IsPlace)
        return Given.consume_front("&") ? Given.str() : ("*" + Given).str();
    if (Given.starts_with("&") && Rest.consume_front("->"))
        return (Given.drop_front() + "." + Rest).str();
    return (Given + Rest).str();
}

/// What the caller of \p Call calls what is \p Name inside; nothing where it has no name for it.
static std::optional<std::string> nameOutside(StringRef Name, const CallFacts &Call) {
    const bool IsPlace = Name.consume_front("*");
    const StringRef Head = Name.take_while([](char C) { return isAlnum(C) || C == '_'; });
    StringRef Rest = Name.drop_front(Head.size());
    if (Head == "this") {
        if (Call.Object.empty())
            return Name.str();
        return Rest.consume_front("->") ? (Call.Object + (Call.IsPointed ? "->" : ".") + Rest).str()
                                        : Call.Object;
    }
    if (auto Given = Call.Arguments.find(Head.str()); Given != Call.Arguments.end())
        return withRest(Given->second, Rest, IsPlace);
    if (Call.Result.empty())
        return std::nullopt;
    return Call.IsStruct ? Call.Result + Rest.str() : Call.Result;
}

bool SourceNames::handOn(std::string &Name, const DILocation *Where) const {
    for (Where = Where ? Where->getInlinedAt() : nullptr; Where; Where = Where->getInlinedAt()) {
        auto Call = Facts.Calls.find(placeOf(*Where));
        std::optional<std::string> Next =
            Call == Facts.Calls.end() ? std::nullopt : nameOutside(Name, Call->second);
        if (!Next)
            return false;
        Name = std::move(*Next);
    }
    return true;
}

std::string SourceNames::outside(std::string Name, const DILocation *Where) const {
    if (!Name.empty())
        handOn(Name, Where);
    return Name;
}

std::string SourceNames::allocation(const CallBase &Call) const {
    /* CUDA's headers have templates around their functions. */
    for (const DILocation *Where = Call.getDebugLoc().get(); Where; Where = Where->getInlinedAt())
        if (const auto *Found = findOwn(Facts.Allocations, Where, Call)) {
            std::string Name = Found->second;
            return handOn(Name, Where) ? Name : "";
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
