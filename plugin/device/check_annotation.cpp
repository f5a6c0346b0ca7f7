#include "plugin/device/check_annotation.h"

#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kesco {

void checkAnnotation(const KernelFacts &Kernel, const WritePlaces &Writes, DiagnosticsEngine &Diags) {
    if (!Kernel.Outputs)
        return;
    unsigned Denied = Diags.getCustomDiagID(
        DiagnosticsEngine::Error, "'kesco_outputs' says that kernel '%0' only reads '%1', but it writes it");
    unsigned Here = Diags.getCustomDiagID(DiagnosticsEngine::Note, "written here");
    for (const auto &[Index, Where] : Writes) {
        if (Index >= Kernel.Parameters.size() || !Kernel.Parameters[Index].IsPointer ||
            llvm::is_contained(*Kernel.Outputs, Index))
            continue;
        Diags.Report(SourceLocation::getFromRawEncoding(Kernel.OutputsLocation), Denied)
            << Kernel.Title << Kernel.Parameters[Index].Name;
        if (Where.isValid())
            Diags.Report(Where, Here);
    }
}

} // namespace kesco
