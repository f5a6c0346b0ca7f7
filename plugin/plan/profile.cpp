#include "plugin/plan/profile.h"

#include "plugin/plan/selection.h"
#include "runtime/watch/profile_format.h"

#include "llvm/IR/Function.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace llvm;

namespace kesco {

namespace {

/// An entry of the file.
struct ProfiledOp {
    std::string Function, File, Kind, Name;
    int64_t Line = 0, CallLine = 0, Count = 0;
    double Mean = 0;
};

/// The file.
struct ProfiledRun {
    int64_t Version = 0;
    std::vector<ProfiledOp> Ops;
};

bool fromJSON(const json::Value &From, ProfiledOp &To, json::Path Where) {
    json::ObjectMapper Map(From, Where);
    if (!Map || !Map.map(KESCO_PROFILE_KEY_FUNCTION, To.Function) ||
        !Map.map(KESCO_PROFILE_KEY_FILE, To.File) || !Map.map(KESCO_PROFILE_KEY_LINE, To.Line) ||
        !Map.map(KESCO_PROFILE_KEY_CALL_LINE, To.CallLine) || !Map.map(KESCO_PROFILE_KEY_KIND, To.Kind) ||
        !Map.map(KESCO_PROFILE_KEY_NAME, To.Name) || !Map.map(KESCO_PROFILE_KEY_COUNT, To.Count) ||
        !Map.map(KESCO_PROFILE_KEY_MEAN, To.Mean))
        return false;
    if (!std::isfinite(To.Mean) || To.Mean < 0) {
        Where.field(KESCO_PROFILE_KEY_MEAN).report("expected microseconds, 0 or more");
        return false;
    }
    return true;
}

bool fromJSON(const json::Value &From, ProfiledRun &To, json::Path Where) {
    json::ObjectMapper Map(From, Where);
    if (!Map || !Map.map(KESCO_PROFILE_KEY_VERSION, To.Version))
        return false;
    if (To.Version != KESCO_PROFILE_VERSION) {
        Where.field(KESCO_PROFILE_KEY_VERSION).report("expected the version that this plugin knows");
        return false;
    }
    return Map.map(KESCO_PROFILE_KEY_OPS, To.Ops);
}

} // namespace

static Error badFile(StringRef Path, const Twine &Why) {
    return createStringError("cannot read the profile '" + Path + "': " + Why +
                             "; a run with KESCO_PROFILE=FILE writes one");
}

Expected<Profile> Profile::read(StringRef Path) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Path, /*IsText=*/true);
    if (!File)
        return badFile(Path, File.getError().message());
    Expected<json::Value> Content = json::parse((*File)->getBuffer());
    if (!Content)
        return badFile(Path, toString(Content.takeError()));
    json::Path::Root Root("profile");
    ProfiledRun Run;
    if (!fromJSON(*Content, Run, Root))
        return badFile(Path, toString(Root.getError()));
    Profile Result;
    for (ProfiledOp &O : Run.Ops)
        Result.Times[{O.Function, sys::path::filename(O.File).str(), static_cast<unsigned>(O.Line),
                      static_cast<unsigned>(O.CallLine), O.Kind, O.Name}] = O.Mean;
    return Result;
}

std::vector<std::string> Profile::functions() const {
    std::vector<std::string> Result;
    for (const auto &Entry : Times)
        if (Result.empty() || Result.back() != std::get<0>(Entry.first))
            Result.push_back(std::get<0>(Entry.first));
    return Result;
}

std::optional<double> Profile::timeOf(const Function &Named, const Op &O) const {
    if (Times.empty())
        return std::nullopt;
    auto Found = Times.find({functionTitle(Named), sys::path::filename(O.source.own_file).str(),
                             O.source.own_line, O.source.line, kesco_op_kind_name(O.op.kind), O.op.name});
    return Found == Times.end() ? std::nullopt : std::optional(Found->second);
}

void Profile::tell(Region &R, const Function &Named) const {
    for (Op &O : all(R.ops)) {
        const std::optional<double> Time = timeOf(Named, O);
        O.op.cost = Time.value_or(1);
        O.op.cost_known = Time.has_value();
    }
}

} // namespace kesco
