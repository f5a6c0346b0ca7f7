#include "plugin/kernels/nvcc_files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kesco {

static constexpr StringLiteral HostEnd = ".cudafe1.cpp";

/// A file's name in its parts.
struct Name {
    StringRef Prefix; ///< "tmpxft_00005b4b_00000000"; empty with --keep
    StringRef Base;   ///< "app"
    StringRef Target; ///< "compute_90"; empty with one architecture
};

static Name split(StringRef File) {
    Name Result;
    if (File.starts_with("tmpxft_")) {
        size_t Number = File.find('-'), End = File.find('_', Number);
        if (End != StringRef::npos) {
            Result.Prefix = File.take_front(Number);
            File = File.drop_front(End + 1);
        }
    }
    Result.Base = File;
    size_t Target = File.rfind(".compute_");
    if (Target != StringRef::npos) {
        Result.Base = File.take_front(Target);
        Result.Target = File.drop_front(Target + 1);
    }
    return Result;
}

bool isNvccHost(StringRef File) {
    return File.ends_with(HostEnd);
}

Expected<std::vector<std::string>> findNvccPtx(StringRef File) {
    const Name Host = split(sys::path::filename(File).drop_back(HostEnd.size()));
    StringRef Folder = sys::path::parent_path(File);
    std::vector<std::string> Found;
    StringSet<> Sources, Compiled;
    std::error_code Failed;
    for (sys::fs::directory_iterator Entry(Folder.empty() ? "." : Folder, Failed), End;
         Entry != End && !Failed; Entry.increment(Failed)) {
        StringRef Other = sys::path::filename(Entry->path());
        const bool IsSource = Other.consume_back(".cpp1.ii");
        if (!IsSource && !Other.consume_back(".ptx"))
            continue;
        const Name Parts = split(Other);
        if (Parts.Prefix != Host.Prefix || Parts.Base != Host.Base ||
            Parts.Target.empty() != Host.Target.empty())
            continue;
        (IsSource ? Sources : Compiled).insert(Parts.Target);
        if (IsSource)
            continue;
        ErrorOr<std::unique_ptr<MemoryBuffer>> Text = MemoryBuffer::getFile(Entry->path());
        if (!Text)
            return createStringError("'" + Entry->path() + "' cannot be read: " + Text.getError().message());
        Found.push_back((*Text)->getBuffer().str());
    }
    if (Failed)
        return createStringError("its folder cannot be read: " + Failed.message());
    for (const auto &Source : Sources)
        if (!Compiled.contains(Source.getKey()))
            return createStringError("there is no PTX" +
                                     (Source.getKey().empty() ? "" : " for " + Source.getKey()) +
                                     ", as with link time optimisation of device code");
    if (Found.empty())
        return createStringError("there is no PTX beside it");
    return Found;
}

} // namespace kesco
