#include "plugin/device/source_place.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace kesco {

static SourceLocation locateOne(const llvm::DILocation &Where, SourceManager &Sources) {
    llvm::SmallString<128> Path(Where.getFilename());
    OptionalFileEntryRef File = Sources.getFileManager().getOptionalFileRef(Path);
    if (!File) {
        Path = Where.getDirectory();
        llvm::sys::path::append(Path, Where.getFilename());
        File = Sources.getFileManager().getOptionalFileRef(Path);
    }
    if (!File || Where.getLine() == 0)
        return {};
    return Sources.translateFileLineCol(*File, Where.getLine(), std::max(Where.getColumn(), 1u));
}

SourceLocation locate(const llvm::DebugLoc &Where, SourceManager &Sources) {
    for (const llvm::DILocation *Next = Where.get(); Next; Next = Next->getInlinedAt()) {
        SourceLocation Location = locateOne(*Next, Sources);
        if (Location.isValid() && !Sources.isInSystemHeader(Location))
            return Location;
    }
    return {};
}

std::string placeOf(SourceLocation Location, const SourceManager &Sources) {
    PresumedLoc Where = Sources.getPresumedLoc(Location);
    if (Location.isInvalid() || Where.isInvalid())
        return "";
    std::string Line = std::to_string(Where.getLine());
    if (Sources.isInMainFile(Location))
        return Line;
    return (llvm::sys::path::filename(Where.getFilename()) + ":" + Line).str();
}

} // namespace kesco
