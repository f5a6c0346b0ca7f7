#include "plugin/messages/report_path.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace kesco {

static std::string absolute(StringRef Path) {
    SmallString<256> Result(Path);
    if (!sys::fs::make_absolute(Result))
        sys::path::remove_dots(Result, true);
    return Result.str().str();
}

bool isSameFile(StringRef A, StringRef B) {
    return absolute(A) == absolute(B) || sys::fs::equivalent(A, B);
}

/// True for what the compiler driver names by chance, which another build would name in another way.
static bool isTemporary(StringRef Path) {
    SmallString<64> Folder;
    sys::path::system_temp_directory(true, Folder);
    return Path.empty() || Path == "-" || sys::path::parent_path(Path) == Folder;
}

bool UnitPaths::isLinkedAtOnce() const {
    return Output != "-" && isTemporary(Output);
}

static uint32_t hashOf(const UnitPaths &Unit) {
    std::string Key = absolute(Unit.Source);
    if (!isTemporary(Unit.Output))
        Key += '\0' + absolute(Unit.Output);
    return static_cast<uint32_t>(xxh3_64bits(Key));
}

static std::string expand(StringRef Pattern, const UnitPaths &Unit) {
    std::string Result;
    raw_string_ostream Out(Result);
    for (size_t At = 0; At < Pattern.size(); ++At) {
        char Letter = Pattern[At] == '%' ? Pattern[++At] : '\0';
        if (Letter == 's')
            Out << sys::path::stem(Unit.Source);
        else if (Letter == 'h')
            Out << format("%08x", hashOf(Unit));
        else
            Out << Pattern[At];
    }
    return Result;
}

static bool isFolder(StringRef Asked) {
    return Asked.ends_with("/") || sys::fs::is_directory(Asked);
}

bool isReportForEach(StringRef Asked) {
    return isFolder(Asked) || Asked.contains('%');
}

Expected<std::string> reportPath(StringRef Asked, StringRef Ending, const UnitPaths &Unit) {
    if (!isReportForEach(Asked))
        return Asked.str();
    const bool IsFolder = isFolder(Asked);
    std::string Path = expand(Asked, Unit);
    if (IsFolder) {
        SmallString<256> Inside(Path);
        sys::path::append(Inside, expand("%s-%h", Unit) + Ending);
        Path = Inside.str().str();
    }
    StringRef Folder = sys::path::parent_path(Path);
    if (!Folder.empty())
        if (std::error_code Failed = sys::fs::create_directories(Folder))
            return createStringError("cannot make the folder '" + Folder + "': " + Failed.message());
    return Path;
}

} // namespace kesco
