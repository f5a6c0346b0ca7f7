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

static void add(const DIFile &Source, clang::SourceManager &Sources) {
    SmallString<128> Path(Source.getFilename());
    clang::OptionalFileEntryRef File = Sources.getFileManager().getOptionalFileRef(Path);
    if (!File) {
        Path = Source.getDirectory();
        sys::path::append(Path, Source.getFilename());
        File = Sources.getFileManager().getOptionalFileRef(Path);
    }
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

/// The second line is behind a #line that names it.
std::string originalSource(const clang::SourceManager &Sources) {
    const clang::PresumedLoc Where =
        Sources.getPresumedLoc(Sources.translateLineCol(Sources.getMainFileID(), 2, 1));
    return Where.isValid() ? Where.getFilename() : "";
}

} // namespace kesco
