#include "plugin/messages/original_sources.h"

#include "plugin/cuda/op_sites.h"
#include "plugin/ir/kernel_stub.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kesco {

static clang::OptionalFileEntryRef fileOf(const DIFile &Source, const clang::SourceManager &Sources) {
    clang::FileManager &Files = Sources.getFileManager();
    if (clang::OptionalFileEntryRef File = Files.getOptionalFileRef(Source.getFilename()))
        return File;
    SmallString<128> Path(Source.getDirectory());
    sys::path::append(Path, Source.getFilename());
    return Files.getOptionalFileRef(Path);
}

static void add(const DIFile &Source, clang::SourceManager &Sources) {
    clang::OptionalFileEntryRef File = fileOf(Source, Sources);
    if (File && Sources.translateFile(*File).isInvalid())
        Sources.createFileID(*File, clang::SourceLocation(), clang::SrcMgr::C_User);
}

void addOriginalSources(const Module &M, clang::SourceManager &Sources) {
    SmallPtrSet<const DIFile *, 8> Seen;
    for (const Function &F : M) {
        const DISubprogram *Where = F.getSubprogram();
        if (Where && Where->getFile() && (isKernelStub(F) || issuesOps(F)) &&
            Seen.insert(Where->getFile()).second)
            add(*Where->getFile(), Sources);
    }
}

bool isFromSystemHeader(const Function &F, const clang::SourceManager &Sources) {
    const DISubprogram *Where = F.getSubprogram();
    clang::OptionalFileEntryRef File =
        Where && Where->getFile() ? fileOf(*Where->getFile(), Sources) : std::nullopt;
    const clang::FileID ID = File ? Sources.translateFile(*File) : clang::FileID();
    return ID.isValid() && Sources.isInSystemHeader(Sources.getLocForStartOfFile(ID));
}

/// The second line is after a #line that names it.
std::string originalSource(const clang::SourceManager &Sources) {
    const clang::PresumedLoc Where =
        Sources.getPresumedLoc(Sources.translateLineCol(Sources.getMainFileID(), 2, 1));
    return Where.isValid() ? Where.getFilename() : "";
}

} // namespace kesco
