#include "plugin/messages/diagnose.h"

#include "plugin/ir/kernel_stub.h"
#include "plugin/messages/nearest.h"
#include "plugin/warning.h"
#include "runtime/nearest.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using clang::DiagnosticsEngine;

namespace kesco {

void warnOfImage(DiagnosticsEngine &Diags, StringRef Path, Error Why) {
    warn(Diags, "kesco: the access summaries of the device code in '" + Path +
                    "' are ignored: " + toString(std::move(Why)) +
                    "; kernels without annotation stay serial until the device code is compiled again with "
                    "this plugin");
}

void warnOfReplaced(DiagnosticsEngine &Diags, StringRef Path, StringRef Source) {
    warn(Diags, "kesco: the plans of '" + Source + "' were in '" + Path +
                    "' and are replaced; a folder, as in 'report=plans/', keeps those of every source file");
}

void warnOfPtx(DiagnosticsEngine &Diags, Error Why) {
    warn(Diags, "kesco: what the kernels of this file access is not known: " + toString(std::move(Why)) +
                    "; kernels without annotation stay serial");
}

void warnOfSummariesThatStay(DiagnosticsEngine &Diags) {
    warn(Diags,
         "kesco: 'strip-summaries' cannot take the access summaries out of device code that is compressed "
         "or bitcode; compile without '-Xcuda-fatbinary --compress-all' and '-foffload-lto'");
}

void warnOfNoFunction(DiagnosticsEngine &Diags, StringRef Name, ArrayRef<std::string> Functions) {
    warn(Diags, "kesco: no function with launches is called '" + Name +
                    "', which '-fplugin-arg-kesco-only' names; the nearest name is '" +
                    nearestFunction(Name, Functions) + "'");
}

void warnOfStaleProfile(DiagnosticsEngine &Diags, StringRef Path, ArrayRef<std::string> Profiled,
                        ArrayRef<std::string> Functions) {
    std::string What = " has no op";
    if (!Profiled.empty())
        What += " of this source file as it is now, but of '" + nearestFunction(Functions.front(), Profiled) +
                "'";
    warn(Diags, "kesco: the profile '" + Path + "'" + What +
                    ", so nothing is known of how long ops take; to make it again, compile without "
                    "'-fplugin-arg-kesco-profile', run the program with KESCO_PROFILE=" +
                    Path + ", so that it comes to functions of this file, and compile with it");
}

void warnOfUnknownPrefixes(DiagnosticsEngine &Diags, const Exclusions &List) {
    static constexpr const char *Known[] = {"fun", "src"};
    for (const Exclusions::UnknownPrefix &Prefix : List.unknownPrefixes()) {
        const char *Nearest = kesco_nearest(Prefix.Text.data(), Prefix.Text.size(), Known, std::size(Known));
        warn(Diags, "kesco: " + List.path() + ":" + Twine(Prefix.Line) + ": '" + Prefix.Text +
                        ":' is none of the exclude list's prefixes, so the line is ignored; " +
                        (Nearest ? "did you mean '" + std::string(Nearest) + ":'? " : "") +
                        "a line is fun:FUNCTION, for kernels too, or src:FILE");
    }
    if (List.isForOthers())
        warn(Diags, "kesco: the exclude list '" + List.path() +
                        "' has lines of other tools' sections alone, so it excludes nothing; those for KeSCo "
                        "stand before any section, or in [kesco]");
}

void warnOfNearNames(DiagnosticsEngine &Diags, const Exclusions &List, const Module &M) {
    std::vector<std::array<std::string, 3>> Known;
    for (const Function &F : M)
        if (!List.plainNames().empty() && (!F.isDeclaration() || isKernelStub(F)))
            Known.push_back(Exclusions::namesOf(F));
    for (const Exclusions::PlainName &Listed : List.plainNames()) {
        const auto has = [&](const auto &Names) { return is_contained(Names, Listed.Name); };
        const auto Near = find_if(Known, [&](const auto &Names) { return isNear(Listed.Name, Names[1]); });
        if (Near != Known.end() && none_of(Known, has))
            warn(Diags, "kesco: " + List.path() + ":" + Twine(Listed.Line) +
                            ": no function or kernel of this "
                            "file is called '" +
                            Listed.Name + "'; did you mean '" + (*Near)[2] + "'?");
    }
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
    for (const auto &[Location, Found] : findIdleAnnotations(M, Program)) {
        SmallVector<std::string, 4> Names;
        for (unsigned Parameter : Found.Idle)
            Names.push_back("'" + Found.Facts->Parameters[Parameter].Name + "'");
        if (!Names.empty())
            warn(Diags,
                 "kernel '" + Found.Facts->Name + "' never writes " + join(Names, ", ") +
                     ", which 'kesco_outputs' says it does",
                 clang::SourceLocation::getFromRawEncoding(Location));
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
