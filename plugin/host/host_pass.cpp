#include "plugin/host/host_pass.h"

#include "plugin/host/device_image.h"
#include "plugin/host/diagnose.h"
#include "plugin/host/normalise.h"
#include "plugin/host/remarks.h"
#include "plugin/host/repeated_plans.h"
#include "plugin/host/rewrite.h"
#include "plugin/host/variants.h"
#include "plugin/host/write_report.h"
#include "plugin/ir/locations.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

/// The launch sites of all functions, or of their variants where these have some.
static SiteMap findAllSites(Module &M, Variants &All) {
    SiteMap Sites;
    SmallVector<Function *, 32> Functions;
    for (Function &F : M)
        if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage() && !isKernelStub(F))
            Functions.push_back(&F);
    for (Function *F : Functions) {
        Function *Variant = All.of(*F);
        SmallVector<LaunchSite, 8> Found = findLaunchSites(*Variant);
        /* One launch of a helper is the helper's own affair. */
        if (Found.empty() || (Variant != F && Found.size() < 2))
            All.discard(*Variant);
        else
            Sites[Variant] = std::move(Found);
        if (Variant != F && !Sites.contains(Variant))
            if (Found = findLaunchSites(*F); !Found.empty())
                Sites[F] = std::move(Found);
    }
    return Sites;
}

static void reportError(Module &M, Error E) {
    std::string Text = "kesco: " + toString(std::move(E));
    M.getContext().diagnose(DiagnosticInfoGeneric(Text, DS_Error));
}

/// Where no function launches twice, there is nothing to schedule, but there may be wrong launches.
static bool needsAnalysis(const SiteMap &Sites, const Knowledge &Program) {
    return any_of(Sites, [&](const auto &Entry) {
        return Entry.second.size() > 1 || any_of(Entry.second, [&](const LaunchSite &Site) {
                   Kernel K = Program.kernel(*Site.Stub->getCalledFunction());
                   return K.Summary && K.Facts && K.Facts->OutputsParameter;
               });
    });
}

static Expected<ScheduledFunction> planFunction(FunctionAnalysis Analysis,
                                                const kesco_plan_options &Options) {
    ScheduledFunction Result;
    Result.Analysis = std::move(Analysis);
    for (const Region &R : Result.Analysis.Regions) {
        Expected<ScheduledRegion> Scheduled = scheduleRegion(R, Options);
        if (!Scheduled)
            return Scheduled.takeError();
        Result.Regions.push_back(std::move(*Scheduled));
    }
    return std::move(Result);
}

static bool rewriteFunction(ScheduledFunction &Function, Variants &All) {
    SmallVector<PlannedRegion, 4> Regions;
    for (const ScheduledRegion &Scheduled : Function.Regions)
        if (Scheduled.Plan->lane_count > 1)
            Regions.push_back({Scheduled.R, Scheduled.Plan.get()});
    if (Regions.empty())
        return false;
    rewriteRegions(Function.Analysis, Regions);
    All.adopt(*Function.Analysis.F);
    return true;
}

static void dropRepeated(std::vector<ScheduledFunction> &Functions, Variants &All) {
    const std::vector<bool> Repeated = findRepeatedPlans(Functions);
    std::vector<ScheduledFunction> Kept;
    for (size_t I = 0; I < Functions.size(); ++I) {
        if (Repeated[I])
            All.discard(*Functions[I].Analysis.F);
        else
            Kept.push_back(std::move(Functions[I]));
    }
    Functions = std::move(Kept);
}

void HostPass::readSummaries(Module &M, KernelSummaries &Summaries) const {
    if (none_of(M, isKernelStub))
        return;
    Summaries.read(M, Unit.DeviceImages,
                   [&](StringRef Path, Error Why) { warnOfImage(*Unit.Diags, Path, std::move(Why)); });
}

bool HostPass::strip(Module &M, const KernelSummaries &Summaries) const {
    bool Erased = eraseSummaries(M);
    if (!Erased && !Summaries.empty())
        warnOfSummariesThatStay(*Unit.Diags);
    return Erased;
}

bool HostPass::schedule(Module &M) {
    KernelSummaries Summaries;
    readSummaries(M, Summaries);
    const Knowledge Program = {*Unit.Facts, Summaries, Unit.PerThreadDefault};
    emitSummaries(M, Program);
    if (Unit.Asked.AnnotationWarnings)
        warnOfIdleOutputs(*Unit.Diags, M, Program);
    Variants All(M);
    SiteMap Sites = findAllSites(M, All);
    std::vector<ScheduledFunction> Functions;
    std::vector<BadLaunch> BadLaunches;
    if (needsAnalysis(Sites, Program) || !Unit.Asked.ReportPath.empty()) {
        NormalisedModule Copy(M, Sites, Summaries);
        for (const auto &[F, FunctionSites] : Sites) {
            FunctionAnalysis Analysis = analyseFunction(*F, FunctionSites, Copy, Program);
            Analysis.Named = All.originalOf(*F);
            append_range(BadLaunches, Analysis.BadLaunches);
            Expected<ScheduledFunction> Function = planFunction(std::move(Analysis), Unit.Asked.Plan);
            if (!Function) {
                reportError(M, Function.takeError());
                return false;
            }
            Functions.push_back(std::move(*Function));
        }
    }
    dropRepeated(Functions, All);
    reportBadLaunches(*Unit.Diags, BadLaunches);
    for (const ScheduledFunction &Function : Functions)
        emitRemarks(Function.Analysis, Function.Regions);
    if (!Unit.Asked.ReportPath.empty())
        if (Error E = writeReport(Unit.Asked.ReportPath, Unit.Source, Functions))
            reportError(M, std::move(E));
    bool Changed = Unit.Asked.StripSummaries && strip(M, Summaries);
    for (ScheduledFunction &Function : Functions)
        Changed |= rewriteFunction(Function, All);
    return Changed;
}

PreservedAnalyses HostPass::run(Module &M, ModuleAnalysisManager &) {
    bool Changed = schedule(M);
    if (Unit.StripLocations)
        Changed |= stripLocations(M);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace kesco
