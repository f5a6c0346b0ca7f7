#include "plugin/driver/host_pass.h"

#include "plugin/code/allocations.h"
#include "plugin/code/lending.h"
#include "plugin/code/lent_stubs.h"
#include "plugin/code/limits.h"
#include "plugin/code/region_entries.h"
#include "plugin/code/rewrite.h"
#include "plugin/code/runtime_abi.h"
#include "plugin/copy/early_arguments.h"
#include "plugin/copy/entered_stubs.h"
#include "plugin/copy/launch_ends.h"
#include "plugin/copy/nvcc_host.h"
#include "plugin/driver/plan_module.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/claim.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/ir/locations.h"
#include "plugin/ir/off_mark.h"
#include "plugin/ir/pass_numbers.h"
#include "plugin/ir/place_numbers.h"
#include "plugin/ir/walk.h"
#include "plugin/kernels/device_image.h"
#include "plugin/llvm_version.h"
#include "plugin/messages/diagnose.h"
#include "plugin/messages/nearest.h"
#include "plugin/messages/original_sources.h"
#include "plugin/messages/remarks.h"
#include "plugin/messages/stages.h"
#include "plugin/messages/write_report.h"
#include "plugin/plan/exclusions.h"
#include "plugin/plan/repeated_plans.h"
#include "plugin/plan/selection.h"
#include "plugin/region/source_names.h"

#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

static void reportError(Module &M, Error E) {
    std::string Text = "kesco: " + toString(std::move(E));
    M.getContext().diagnose(DiagnosticInfoGeneric(Text, DS_Error));
}

/// Where no function launches twice, and none is called that does once, there is nothing to schedule, but
/// there may be wrong launches.
static bool needsAnalysis(const SiteMap &Sites, const Knowledge &Program) {
    return any_of(Sites, [&](const auto &Entry) {
        return Entry.second.size() > 1 || Program.Prefetches == KESCO_PREFETCH_ON ||
               (Program.Joins && mayBeEntered(*Entry.first)) || any_of(Entry.second, [&](const OpSite &Site) {
                   if (standsInLoop(Site))
                       return true;
                   Kernel K = Program.kernel(*Site.Issue->getCalledFunction());
                   return K.Summary && K.Facts && K.Facts->OutputsParameter;
               });
    });
}

/// The functions of \p Sites that \p Only does not name.
static SmallPtrSet<Function *, 8> leaveOut(const SiteMap &Sites, const Variants &All, Selection &Only,
                                           const UnitPaths &Unit, clang::DiagnosticsEngine &Diags) {
    SmallPtrSet<Function *, 8> Result;
    for (const auto &[F, FunctionSites] : Sites) {
        const Function &Named = *All.originalOf(*F);
        if (Only.has(Named))
            continue;
        if (FunctionSites.size() > 1)
            emitLeftOut(Named, FunctionSites, "-fplugin-arg-kesco-only does not name it");
        Result.insert(F);
    }
    std::vector<std::string> Titles;
    for (const auto &Entry : Sites)
        Titles.push_back(functionTitle(*All.originalOf(*Entry.first)));
    /* Where an option is for all units, each has some of the functions. */
    const bool IsAll = Unit.isLinkedAtOnce();
    for (StringRef Name : Only.namesOfNone())
        if (!Titles.empty() && (IsAll || isNear(Name, nearestFunction(Name, Titles))))
            warnOfNoFunction(Diags, Name, Titles);
    return Result;
}

/// What a profile says is worth it needs no second opinion.
static unsigned modeOf(const Options &Asked) {
    return Asked.changes.mode == KESCO_MODE_AUTO && Asked.files.profile ? unsigned{KESCO_MODE_LANES}
                                                                        : Asked.changes.mode;
}

/// True if regions go through calls.
static bool joinsCallers(const Options &Asked) {
    return Asked.changes.across_calls && !Asked.only && modeOf(Asked) != KESCO_MODE_SERIAL &&
           Asked.plan.max_lanes != 1;
}

static bool mayReplay(unsigned Mode) {
    return Mode == KESCO_MODE_AUTO || Mode == KESCO_MODE_GRAPH;
}

static bool rewriteFunction(ScheduledFunction &Function, Variants &All, const Options &Asked) {
    SmallVector<const ScheduledRegion *, 4> Regions;
    for (const ScheduledRegion &Scheduled : Function.Regions)
        if (kesco_scheduled_has_lanes(&Scheduled) || Scheduled.joins || Scheduled.may_replay ||
            Scheduled.R->must_fetch)
            Regions.push_back(&Scheduled);
    if (Regions.empty())
        return false;
    rewriteRegions(Function.Analysis, Regions, modeOf(Asked));
    All.adopt(*Function.Analysis.F);
    return true;
}

static bool hasLanes(const ScheduledFunction &Function) {
    return any_of(Function.Regions,
                  [](const ScheduledRegion &Scheduled) { return kesco_scheduled_has_lanes(&Scheduled); });
}

/// True if \p F calls one of \p Others, directly or by functions of its module.
static bool calls(Function &F, const SmallPtrSetImpl<const Function *> &Others) {
    SmallSetVector<const Function *, 16> Called;
    Called.insert(&F);
    addCallees(Called, [](const Function &Callee) { return !Callee.isDeclaration(); });
    return any_of(Called, [&](const Function *Callee) { return Others.contains(Callee); });
}

/// True if \p Function launches a kernel that is defined elsewhere, of which nothing is known here.
static bool launchesOthers(const ScheduledFunction &Function) {
    return any_of(Function.Regions, [&](const ScheduledRegion &Scheduled) {
        return any_of(all(Scheduled.R->ops), [&](const Op &O) {
            return O.op.kind == KESCO_OP_KERNEL && O.memory.aliases_all &&
                   Function.Analysis.Sites[O.call.site].Issue->getCalledFunction()->isDeclaration();
        });
    });
}

/// Where helpers have lanes by themselves, and their callers would have one, the callers stay as they are. So
/// do functions that launch what other units know more of, if those are to find their lanes (\p Joins). What
/// joins finds its lanes beside others.
static void preferLanes(std::vector<ScheduledFunction> &Functions, bool Joins) {
    SmallPtrSet<const Function *, 16> WithLanes;
    for (const ScheduledFunction &Function : Functions)
        if (hasLanes(Function))
            WithLanes.insert(Function.Analysis.Named);
    for (ScheduledFunction &Function : Functions)
        if (!hasLanes(Function) &&
            (calls(*Function.Analysis.Named, WithLanes) || (Joins && launchesOthers(Function))))
            for (ScheduledRegion &Scheduled : Function.Regions)
                Scheduled.may_replay &= Scheduled.joins;
}

/// Warns where \p Times knows none of the ops of \p Functions.
static void checkProfile(const Profile &Times, StringRef Path, ArrayRef<ScheduledFunction> Functions,
                         clang::DiagnosticsEngine &Diags) {
    std::vector<std::string> Titles;
    for (const ScheduledFunction &Function : Functions) {
        const llvm::Function &Named = *Function.Analysis.Named;
        for (const Region &R : Function.Analysis.Regions) {
            if (any_of(all(R.ops), [&](const Op &O) { return Times.timeOf(Named, O).has_value(); }))
                return;
            Titles.push_back(functionTitle(Named));
        }
    }
    if (!Titles.empty())
        warnOfStaleProfile(Diags, Path, Times.functions(), Titles);
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

/// The functions of the program that have no ops, or stay as they are.
static SmallVector<Function *, 16> findOthers(Module &M, Variants &All, const SiteMap &Sites) {
    SmallVector<Function *, 16> Others;
    SmallPtrSet<const Function *, 16> Seen;
    for (const auto &Entry : Sites)
        Seen.insert(All.originalOf(*Entry.first));
    for (Function &F : M)
        if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage() && !isKernelStub(F) &&
            All.originalOf(F) == &F && !Seen.contains(&F))
            Others.push_back(&F);
    return Others;
}

/// Tells of such functions, if they issue ops.
static void emitOthers(ArrayRef<Function *> Others, const UnseenLaunches &Unseen, bool Joins) {
    for (Function *F : Others) {
        if (StringRef Why = whyOff(*F); !Why.empty())
            emitLeftOut(*F, findOpSites(*F, /*PerThreadDefault=*/false), Why);
        else
            emitUnseen(*F, Unseen, Joins);
    }
}

/// Tells where threads are started that share the default stream.
static void emitAllThreads(Module &M, Variants &All) {
    const ThreadLaunches Threads(M);
    for (Function &F : M)
        if (All.originalOf(F) == &F && whyOff(F).empty())
            emitThreads(F, Threads);
}

/// Why functions are serial that are so for no barrier.
static std::vector<SerialFunction> findSerial(ArrayRef<ScheduledFunction> Functions,
                                              ArrayRef<Function *> Others, const Options &Asked,
                                              const UnseenLaunches &Unseen) {
    std::vector<SerialFunction> Found;
    const auto overlaps = [](const ScheduledRegion &R) { return kesco_scheduled_has_lanes(&R); };
    for (const ScheduledFunction &Function : Functions)
        if (Function.Analysis.Barriers.empty() && none_of(Function.Regions, overlaps))
            if (auto Why = whySerial(Function.Analysis, Function.Regions, Asked.plan.max_lanes, Unseen)) {
                if (auto Alias = whyAliasing(Function.Analysis, Function.Regions))
                    Why = std::move(Alias);
                Found.emplace_back(Function.Analysis.Named, std::move(*Why));
            }
    for (Function *F : Others)
        if (whyOff(*F).empty())
            if (auto Why = whyUnseen(*F, Unseen, joinsCallers(Asked)))
                Found.emplace_back(F, std::move(*Why));
    return Found;
}

void HostPass::readSummaries(Module &M, KernelSummaries &Summaries) const {
    if (none_of(M, isKernelStub))
        return;
    Summaries.read(M, Unit.DeviceImages,
                   [&](StringRef Path, Error Why) { warnOfImage(*Unit.Diags, Path, std::move(Why)); });
    if (Unit.NvccHost.empty() && (!Summaries.empty() || Unit.DeviceImages.size() != 1))
        return;
    Expected<std::vector<std::string>> Ptx =
        Unit.NvccHost.empty() ? findDeviceImagePtx(Unit.DeviceImages.front()) : findNvccPtx(Unit.NvccHost);
    if (Ptx && Ptx->empty())
        return;
    Error E = Ptx ? Summaries.readPtx(*Ptx, *Unit.Facts, Unit.Diags->getSourceManager()) : Ptx.takeError();
    if (E)
        warnOfPtx(*Unit.Diags, std::move(E));
}

bool HostPass::strip(Module &M, const KernelSummaries &Summaries) const {
    bool Erased = eraseSummaries(M);
    if (!Erased && !Summaries.empty())
        warnOfSummariesThatStay(*Unit.Diags);
    return Erased;
}

void HostPass::write(Module &M, const Options &Asked, ArrayRef<ScheduledFunction> Functions,
                     const OtherFunctions &Others) const {
    auto Replaced = [&](StringRef Path, StringRef Source) { warnOfReplaced(*Unit.Diags, Path, Source); };
    if (Error E = writePlans(Asked.files, {Unit.Paths, Replaced}, Functions, Others))
        reportError(M, std::move(E));
}

/// Leaves those of libraries' headers out.
void HostPass::tellOf(std::vector<Lender> &Lenders) const {
    if (Unit.Diags && Unit.Diags->hasSourceManager())
        erase_if(Lenders,
                 [&](const Lender &L) { return isFromSystemHeader(*L.F, Unit.Diags->getSourceManager()); });
    emitLending(Lenders);
}

kesco_wait_options HostPass::waitOptions() const {
    kesco_wait_options Waits = Unit.Asked.changes.waits;
    if (Waits.elide == KESCO_ELIDE_BY_LEVEL)
        Waits.elide = Unit.Optimises ? KESCO_ELIDE_ALL : KESCO_ELIDE_NONE;
    return Waits;
}

/// What options name that is to be read.
struct Inputs {
    Profile Times;
    Selection Only;
    Exclusions Excluded;
};

static Expected<Inputs> readInputs(const Options &Asked) {
    Profile Times;
    if (Asked.files.profile) {
        Expected<Profile> Read = Profile::read(Asked.files.profile);
        if (!Read)
            return Read.takeError();
        Times = std::move(*Read);
    }
    Expected<Selection> Only = Selection::read(Asked.only);
    if (!Only)
        return Only.takeError();
    Expected<Exclusions> Excluded = Exclusions::read(StringRef(Asked.files.exclude).str());
    if (!Excluded)
        return Excluded.takeError();
    return Inputs{std::move(Times), std::move(*Only), std::move(*Excluded)};
}

static std::vector<BadLaunch> findBadLaunches(ArrayRef<ScheduledFunction> Functions) {
    std::vector<BadLaunch> Found;
    for (const ScheduledFunction &Function : Functions)
        append_range(Found, Function.Analysis.BadLaunches);
    return Found;
}

/// Tells of all plans, and of what has none. \returns what plans' files say of the latter.
static std::vector<SerialFunction> tellAll(Module &M, ArrayRef<ScheduledFunction> Functions, Variants &All,
                                           const SiteMap &Sites, const Options &Asked,
                                           bool PerThreadDefault) {
    const bool WantsMissed = wantsMissedRemarks(M.getContext());
    ToldWaits Waits(Functions);
    std::optional<UnseenLaunches> Unseen;
    if (WantsMissed || Asked.wantsPlans())
        Unseen.emplace(M);
    for (const ScheduledFunction &Function : Functions)
        emitRemarks(Function.Analysis, Function.Regions, Asked.plan, Waits, WantsMissed ? &*Unseen : nullptr);
    if (!Unseen)
        return {};
    for (const ScheduledFunction &Function : Functions)
        if (someJoin(Function.Regions))
            Unseen->noteJoining(*Function.Analysis.Named);
    const auto Others = findOthers(M, All, Sites);
    if (WantsMissed)
        emitOthers(Others, *Unseen, joinsCallers(Asked));
    if (WantsMissed && !PerThreadDefault)
        emitAllThreads(M, All);
    return findSerial(Functions, Others, Asked, *Unseen);
}

/// The entries of stubs among \p Functions, of which nothing is told, as nobody has written them.
static std::vector<ScheduledFunction> takeEntries(std::vector<ScheduledFunction> &Functions) {
    std::vector<ScheduledFunction> Entries, Others;
    for (ScheduledFunction &Function : Functions) {
        const bool IsEntry = Function.Analysis.Named->hasFnAttribute(EnteredTag);
        (IsEntry ? Entries : Others).push_back(std::move(Function));
    }
    Functions = std::move(Others);
    return Entries;
}

bool HostPass::schedule(Module &M) {
    Expected<Inputs> Given = readInputs(Unit.Asked);
    if (!Given) {
        reportError(M, Given.takeError());
        return false;
    }
    warnOfUnknownPrefixes(*Unit.Diags, Given->Excluded);
    warnOfNearNames(*Unit.Diags, Given->Excluded, M);
    Given->Excluded.mark(M, Unit.Paths.Source, *Unit.Facts);
    const scope_exit ClearMarks([&] { clearOffMarks(M); });
    KernelSummaries Summaries;
    readSummaries(M, Summaries);
    const bool Joins = joinsCallers(Unit.Asked);
    const Knowledge Program = {*Unit.Facts, Summaries, waitOptions(), Unit.Asked.changes.prefetches, Joins};
    emitSummaries(M, Program);
    if (Unit.Asked.shows.summaries)
        printSummaries(errs(), M, Program);
    if (Unit.Asked.annotation_warnings)
        warnOfIdleOutputs(*Unit.Diags, M, Program);
    const SmallVector<EnteredStub, 8> Entered =
        Joins ? makeEntries(M, Summaries) : SmallVector<EnteredStub, 8>();
    const PlaceNumbers Numbers(M, SourceNames::kindOf);
    const scope_exit TakeOutPasses([&] { PassNumbers::takeOut(M); });
    const LaunchEnds Ends(M);
    bool Changed = Joins && evaluateArgumentsFirst(M);
    Variants All(M, Summaries);
    SiteMap Sites = findAllSites(M, All, Unit.PerThreadDefault, Joins);
    const SmallPtrSet<Function *, 8> LeftOut = leaveOut(Sites, All, Given->Only, Unit.Paths, *Unit.Diags);
    std::vector<ScheduledFunction> Functions;
    if (needsAnalysis(Sites, Program) || Unit.Asked.wantsPlans() || Unit.Asked.shows.regions ||
        wantsMissedRemarks(M.getContext())) {
        auto Planned =
            planModule(M, Sites, LeftOut, All, Program, Given->Times, Unit.Asked.plan, Unit.PerThreadDefault);
        if (!Planned) {
            reportError(M, Planned.takeError());
            return Changed;
        }
        Functions = std::move(*Planned);
        for (ScheduledFunction &Function : Functions)
            for (ScheduledRegion &Scheduled : Function.Regions)
                Scheduled.may_replay &= mayReplay(modeOf(Unit.Asked));
    }
    std::vector<ScheduledFunction> Entries = takeEntries(Functions);
    if (Unit.Asked.files.profile)
        checkProfile(Given->Times, Unit.Asked.files.profile, Functions, *Unit.Diags);
    const std::vector<BadLaunch> BadLaunches = findBadLaunches(Functions);
    preferLanes(Functions, Joins);
    dropRepeated(Functions, All);
    if (Unit.Asked.shows.regions)
        printRegions(errs(), Functions);
    if (!BadLaunches.empty())
        reportBadLaunches(*Unit.Diags, BadLaunches);
    const std::vector<SerialFunction> Serial =
        tellAll(M, Functions, All, Sites, Unit.Asked, Unit.PerThreadDefault);
    Changed |= (Unit.Asked.strip_summaries && strip(M, Summaries)) || !Entered.empty();
    for (ScheduledFunction &Function : Functions)
        Changed |= rewriteFunction(Function, All, Unit.Asked);
    for (ScheduledFunction &Entry : Entries)
        rewriteFunction(Entry, All, Unit.Asked);
    HasRegions = usesRuntime(M);
    std::vector<Lender> Lenders;
    if (Joins)
        Changed |= lendRegions(M, /*IsClosedAtEnds=*/true, Program.Waits, Lenders);
    for (Function &F : M)
        Changed |= letAllocationsHaveAll(F, /*IsCalledWithin=*/false);
    Changed |= tellLimits(M);
    writeLentStubs(Entered);
    tellOf(Lenders);
    if (Unit.Asked.wantsPlans())
        write(M, Unit.Asked, Functions, {Serial, Lenders});
    return Changed;
}

/// What is written of C++ sources, which have no ops: reports, but none in the place of another source's.
static Options ownReport(Options Asked) {
    Asked.files.dot = Asked.files.svg = nullptr;
    if (!isReportForEach(Asked.files.report))
        Asked.files.report = nullptr;
    return Asked;
}

bool HostPass::lend(Module &M) const {
    if (!joinsCallers(Unit.Asked))
        return false;
    Expected<Exclusions> Excluded = Exclusions::read(StringRef(Unit.Asked.files.exclude).str());
    if (!Excluded) {
        reportError(M, Excluded.takeError());
        return false;
    }
    Excluded->mark(M, Unit.Paths.Source, *Unit.Facts);
    std::vector<Lender> Lenders;
    bool Changed = lendRegions(M, /*IsClosedAtEnds=*/false, waitOptions(), Lenders);
    for (Function &F : M)
        Changed |= letAllocationsHaveAll(F, /*IsCalledWithin=*/false);
    Changed |= tellLimits(M);
    tellOf(Lenders);
    if (const Options Asked = ownReport(Unit.Asked); Asked.wantsPlans())
        write(M, Asked, {}, {{}, Lenders});
    clearOffMarks(M);
    makeRuntimeOptional(M);
    return Changed;
}

PreservedAnalyses HostPass::run(Module &M, ModuleAnalysisManager &) {
    if (!Unit.IsCuda) {
        bool Changed = lend(M);
        if (Unit.StripLocations)
            Changed |= stripLocations(M);
        return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    const bool ByNvcc = !Unit.NvccHost.empty();
    if (ByNvcc) {
        if (std::string Source = originalSource(Unit.Diags->getSourceManager()); !Source.empty())
            Unit.Paths.Source = std::move(Source);
        M.setSourceFileName(Unit.Paths.Source);
        takeNvccHost(M, *Unit.Facts);
        addOriginalSources(M, Unit.Diags->getSourceManager());
        Unit.PerThreadDefault = launchesPerThread(M);
    }
    expandClaims(M);
    bool Changed = schedule(M) || ByNvcc;
    Changed |= eraseClaims(M);
    Changed |= closeAtEntries(M, HasRegions);
    if (!HasRegions)
        makeRuntimeOptional(M);
    if (Unit.StripLocations)
        Changed |= stripLocations(M);
    if (Unit.Asked.shows.code)
        printRewritten(errs(), M);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace kesco
