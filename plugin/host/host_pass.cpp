#include "plugin/host/host_pass.h"

#include "plugin/host/normalise.h"
#include "plugin/host/remarks.h"
#include "plugin/host/rewrite.h"
#include "plugin/host/write_report.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

static SiteMap findAllSites(Module &M) {
    SiteMap Sites;
    for (Function &F : M) {
        SmallVector<LaunchSite, 8> Found = findLaunchSites(F);
        if (!Found.empty())
            Sites[&F] = std::move(Found);
    }
    return Sites;
}

static void reportError(Module &M, Error E) {
    std::string Text = "kesco: " + toString(std::move(E));
    M.getContext().diagnose(DiagnosticInfoGeneric(Text, DS_Error));
}

static bool hasSeveralLaunches(const SiteMap &Sites) {
    return any_of(Sites, [](const auto &Entry) { return Entry.second.size() > 1; });
}

/// A module where the launches' stream is the per-thread default stream stays as it is.
static void leavePerThread(FunctionAnalysis &Function) {
    const DebugLoc &First = Function.Sites.front().Push->getDebugLoc();
    Function.Barriers.push_back({lineOf(First), "their stream is the per-thread default stream", First});
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

static bool rewriteFunction(ScheduledFunction &Function) {
    bool Changed = false;
    for (const ScheduledRegion &Scheduled : Function.Regions) {
        if (Scheduled.Plan->lane_count < 2)
            continue;
        rewriteRegion(Function.Analysis, *Scheduled.R, *Scheduled.Plan);
        Changed = true;
    }
    return Changed;
}

bool HostPass::schedule(Module &M) {
    SiteMap Sites = findAllSites(M);
    std::vector<ScheduledFunction> Functions;
    if (hasSeveralLaunches(Sites) || !Unit.Asked.ReportPath.empty()) {
        NormalisedModule Copy(M, Sites);
        for (const auto &[F, FunctionSites] : Sites) {
            FunctionAnalysis Analysis;
            if (Unit.PerThreadDefault) {
                Analysis.F = F;
                Analysis.Sites = FunctionSites;
                leavePerThread(Analysis);
            } else {
                Analysis = analyseFunction(*F, FunctionSites, Copy, *Unit.Facts);
            }
            Expected<ScheduledFunction> Function = planFunction(std::move(Analysis), Unit.Asked.Plan);
            if (!Function) {
                reportError(M, Function.takeError());
                return false;
            }
            Functions.push_back(std::move(*Function));
        }
    }
    bool Changed = false;
    for (ScheduledFunction &Function : Functions) {
        emitRemarks(Function.Analysis, Function.Regions);
        Changed |= rewriteFunction(Function);
    }
    if (!Unit.Asked.ReportPath.empty())
        if (Error E = writeReport(Unit.Asked.ReportPath, Unit.Source, Functions))
            reportError(M, std::move(E));
    return Changed;
}

/// Takes out what a compilation without -g would not have made.
static bool stripLocations(Module &M) {
    bool Changed = StripDebugInfo(M);
    NamedMDNode *Flags = M.getModuleFlagsMetadata();
    if (!Flags)
        return Changed;
    SmallVector<MDNode *, 8> Kept;
    for (MDNode *Flag : Flags->operands())
        if (cast<MDString>(Flag->getOperand(1))->getString() != "Debug Info Version")
            Kept.push_back(Flag);
    Flags->clearOperands();
    for (MDNode *Flag : Kept)
        Flags->addOperand(Flag);
    return Changed;
}

PreservedAnalyses HostPass::run(Module &M, ModuleAnalysisManager &) {
    bool Changed = schedule(M);
    if (Unit.StripLocations)
        Changed |= stripLocations(M);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace kesco
