#include "plugin/messages/diagnose.h"

#include "plugin/ir/kernel_stub.h"
#include "plugin/messages/nearest.h"
#include "plugin/warning_id.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using clang::DiagnosticsEngine;

namespace kesco {

void warnOfImage(DiagnosticsEngine &Diags, StringRef Path, Error Why) {
    unsigned Id = warningId(Diags, "kesco: the access summaries of the device code in '%0' are ignored: %1; "
                                   "kernels without annotation stay serial until the device code is compiled "
                                   "again with this plugin");
    Diags.Report(Id) << Path << toString(std::move(Why));
}

void warnOfReplaced(DiagnosticsEngine &Diags, StringRef Path, StringRef Source) {
    Diags.Report(warningId(Diags, "kesco: the plans of '%1' were in '%0' and are replaced; a folder, as in "
                                  "'report=plans/', keeps those of every source file"))
        << Path << Source;
}

void warnOfPtx(DiagnosticsEngine &Diags, Error Why) {
    unsigned Id =
        warningId(Diags, "kesco: what the kernels of this file access is not known: %0; kernels without "
                         "annotation stay serial");
    Diags.Report(Id) << toString(std::move(Why));
}

void warnOfSummariesThatStay(DiagnosticsEngine &Diags) {
    Diags.Report(warningId(
        Diags,
        "kesco: 'strip-summaries' cannot take the access summaries out of device code that is "
        "compressed or bitcode; compile without '-Xcuda-fatbinary --compress-all' and '-foffload-lto'"));
}

void warnOfNoFunction(DiagnosticsEngine &Diags, StringRef Name, ArrayRef<std::string> Functions) {
    Diags.Report(warningId(Diags, "kesco: no function with launches is called '%0', which "
                                  "'-fplugin-arg-kesco-only' names; the nearest name is '%1'"))
        << Name << nearestFunction(Name, Functions);
}

void warnOfStaleProfile(DiagnosticsEngine &Diags, StringRef Path, ArrayRef<std::string> Profiled,
                        ArrayRef<std::string> Functions) {
    if (Profiled.empty()) {
        Diags.Report(warningId(Diags, "kesco: the profile '%0' has no op; let the program run with "
                                      "KESCO_PROFILE=%0 again"))
            << Path;
        return;
    }
    Diags.Report(warningId(Diags,
                           "kesco: the profile '%0' has no op of this source file as it is now, but of "
                           "'%1'; let the program run with KESCO_PROFILE=%0 again"))
        << Path << nearestFunction(Functions.front(), Profiled);
}

namespace {

/// An annotation and the parameters that none of its kernels writes.
struct Annotation {
    const KernelFacts *Facts = nullptr; ///< of one of its kernels
    SmallVector<unsigned, 4> Idle;
};

} // namespace

/// By location.
static MapVector<unsigned, Annotation> findIdleAnnotations(const Module &M, const Knowledge &Program) {
    MapVector<unsigned, Annotation> Annotations;
    for (const Function &Stub : M) {
        if (!isKernelStub(Stub))
            continue;
        Kernel K = Program.kernel(Stub);
        if (!K.Facts || !K.Facts->Outputs || Stub.isDeclaration())
            continue;
        SmallVector<unsigned, 4> Idle = findIdleOutputs(K);
        auto [Entry, IsNew] = Annotations.try_emplace(K.Facts->OutputsLocation, Annotation{K.Facts, Idle});
        if (!IsNew)
            erase_if(Entry->second.Idle, [&](unsigned Parameter) { return !is_contained(Idle, Parameter); });
    }
    return Annotations;
}

void warnOfIdleOutputs(DiagnosticsEngine &Diags, const Module &M, const Knowledge &Program) {
    unsigned Id = warningId(Diags, "kernel '%0' never writes %1, which 'kesco_outputs' says it does");
    for (const auto &[Location, Found] : findIdleAnnotations(M, Program)) {
        SmallVector<std::string, 4> Names;
        for (unsigned Parameter : Found.Idle)
            Names.push_back("'" + Found.Facts->Parameters[Parameter].Name + "'");
        if (!Names.empty())
            Diags.Report(clang::SourceLocation::getFromRawEncoding(Location), Id)
                << Found.Facts->Name << join(Names, ", ");
    }
}

void reportBadLaunches(DiagnosticsEngine &Diags, ArrayRef<BadLaunch> Launches) {
    unsigned Id = Diags.getCustomDiagID(DiagnosticsEngine::Error, "%0");
    SmallSet<unsigned, 4> Reported;
    for (const BadLaunch &Launch : Launches)
        if (Launch.Location == 0 || Reported.insert(Launch.Location).second)
            Diags.Report(clang::SourceLocation::getFromRawEncoding(Launch.Location), Id) << Launch.Why;
}

} // namespace kesco
