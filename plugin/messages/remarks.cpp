#include "plugin/messages/remarks.h"

#include "plugin/cuda/host_effect.h"
#include "plugin/llvm_version.h"
#include "plugin/messages/describe_summary.h"
#include "plugin/messages/region_remarks.h"
#include "plugin/messages/serial_reason.h"
#include "plugin/messages/told_barriers.h"
#include "plugin/plan/selection.h"

extern "C" {
#include "plugin/ir/kernel_stub.h"
}

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace kesco {

static constexpr char PassName[] = "kesco";

namespace {

/// What is told of one function. Unrolled loops, and helpers that are called several times, have the same to
/// tell: that is told once.
class Remarks {
  public:
    explicit Remarks(const Function *F) : Emitter(F) {
    }

    template <typename Remark>
    void emit(Remark &R) {
        if (Told.insert(R.getLocationStr() + ": " + R.getMsg()).second)
            Emitter.emit(R);
    }

    /// What holds for each of several ops is told at the first: \p What says which that is.
    template <typename Remark>
    void emitOnce(Remark &R, const std::string &What) {
        if (Told.insert(What).second)
            Emitter.emit(R);
    }

  private:
    OptimizationRemarkEmitter Emitter;
    StringSet<> Told;
};

} // namespace

/// A remark on \p Named. Where \p Where stands in another function, which is inlined, it names the two.
template <typename Remark>
static Remark begin(const char *Kind, const Function &Named, const DebugLoc &Where) {
    Remark R(PassName, Kind, Where, &Named.getEntryBlock());
    if (ToldWaits::isInAnother(Named, Where))
        R << ToldWaits::beginIn(Named);
    return R;
}

/// The same on the region \p R, where its first op is issued.
template <typename Remark>
static Remark begin(const char *Kind, const FunctionAnalysis &Function, const Region &R) {
    return begin<Remark>(Kind, *Function.Named, Function.Sites[R.ops.items[0].call.site].where());
}

/// Tells of all regions that only join others together.
static void emitJoins(Remarks &Emitter, const FunctionAnalysis &Function, ArrayRef<ScheduledRegion> Regions) {
    uint64_t Count = 0;
    for (const ScheduledRegion &Scheduled : Regions)
        Count += Scheduled.only_joins ? Scheduled.R->ops.count : 0;
    const auto *Joining = find_if(Regions, [](const ScheduledRegion &S) { return S.only_joins; });
    if (Joining == Regions.end())
        return;
    auto Remark = begin<OptimizationRemark>("Joins", Function, *Joining->R);
    Remark
        << ore::NV("Ops", Count) << (Count == 1 ? " op may" : " ops may")
        << " overlap with what other functions launch that are called before and behind this one, where the "
           "caller is compiled with KeSCo, too, and the run finds no byte in common that one of them "
           "writes; where the mode allows for graphs, what comes again in the same order may be launched "
           "together; "
           "-fplugin-arg-kesco-across-calls=off leaves calls as they are";
    Emitter.emit(Remark);
}

/// Where a call waits instead of where it stands, as " moves ..." or " is left out".
static std::string whereMoved(const FunctionAnalysis &Function, const MovedSync &Moved) {
    SmallVector<std::string, 3> Places;
    SmallVector<unsigned, 2> Lines;
    for (unsigned Site : Moved.Before)
        Lines.push_back(lineOf(Function.Sites[Site].where()));
    sort(Lines);
    Lines.erase(llvm::unique(Lines), Lines.end());
    for (unsigned Line : Lines)
        Places.push_back("before the op in line " + std::to_string(Line));
    if (Moved.LoopsToLeave > 0)
        Places.push_back("to where the loop ends");
    std::string Text = Places.empty() ? " is left out" : " moves " + join(Places, " and ");
    return Moved.Looks ? Text + " once it has waited here for what came before" : Text;
}

/// Begins the remark \p Name on \p Call, a wait for which \p What was done; none where that has been told.
static std::optional<OptimizationRemark> beginWait(const FunctionAnalysis &Function, const CallBase &Call,
                                                   ToldWaits &Waits, ToldWaits::Outcome What,
                                                   const char *Name) {
    const std::optional<std::string> Begin = Waits.tell(*Function.Named, Call.getDebugLoc(), What);
    if (!Begin)
        return std::nullopt;
    OptimizationRemark Remark(PassName, Name, Call.getDebugLoc(), &Function.Named->getEntryBlock());
    Remark << *Begin << "call to '" << ore::NV("Callee", Call.getCalledFunction()->getName()) << "'";
    return Remark;
}

static void emitElided(Remarks &Emitter, const FunctionAnalysis &Function, const Region &R,
                       ToldWaits &Waits) {
    for (const CallBase *Call : R.Elided) {
        auto Remark = beginWait(Function, *Call, Waits, ToldWaits::LeftOut, "SyncElided");
        if (!Remark)
            continue;
        const MovedSync &Moved = Function.Syncs.Moved.find(const_cast<CallBase *>(Call))->second;
        *Remark << ore::NV("Where", whereMoved(Function, Moved))
                << ": the host does nothing that needs it before"
                << (Moved.LoopsToLeave > 0 ? "" : " it waits again")
                << "; -fplugin-arg-kesco-sync-elision=off keeps it";
        Emitter.emit(*Remark);
    }
}

static void emitLazy(Remarks &Emitter, const FunctionAnalysis &Function, const Region &R, ToldWaits &Waits) {
    for (const CallBase *Call : R.Lazy) {
        auto Remark = beginWait(Function, *Call, Waits, ToldWaits::PutOff, "SyncPutOff");
        if (!Remark)
            continue;
        *Remark
            << " is put off until the host could tell, where the run finds that the ops before it work on "
               "memory that the host does not touch before it waits again; "
               "-fplugin-arg-kesco-sync-elision=off keeps it";
        Emitter.emit(*Remark);
    }
}

namespace {

/// Where the remarks on one region go.
struct RegionTelling {
    Remarks &Emitter;
    const FunctionAnalysis &Function;
    const Region &R;
};

} // namespace

/// Adds \p Text, in which values are marked.
template <typename Remark>
static void add(Remark &R, StringRef Text) {
    while (!Text.empty()) {
        const auto [Plain, Rest] = Text.split(KESCO_VALUE_BEGIN);
        const auto [Value, Next] = Rest.split(KESCO_VALUE_END);
        const auto [Name, Shown] = Value.split(KESCO_VALUE_NAMED);
        R << Plain;
        if (!Name.empty())
            R << ore::NV(Name, Shown);
        Text = Next;
    }
}

template <typename Remark>
static void emitText(const RegionTelling &To, const kesco_remark &Text) {
    const OpSite &Site = To.Function.Sites[To.R.ops.items[Text.op].call.site];
    auto R = begin<Remark>(Text.name, *To.Function.Named, Site.where());
    add(R, Text.text);
    if (!Text.once)
        return To.Emitter.emit(R);
    const std::string Once = *Text.once ? Text.once : R.getMsg();
    add(R, Text.more ? Text.more : "");
    To.Emitter.emitOnce(R, Once);
}

static void emitText(void *To, const kesco_remark *Text) {
    const auto &Telling = *static_cast<const RegionTelling *>(To);
    switch (Text->kind) {
    case KESCO_REMARK_PASSED:
        return emitText<OptimizationRemark>(Telling, *Text);
    case KESCO_REMARK_MISSED:
        return emitText<OptimizationRemarkMissed>(Telling, *Text);
    case KESCO_REMARK_ANALYSIS:
        return emitText<OptimizationRemarkAnalysis>(Telling, *Text);
    }
}

static void emitBarriers(Remarks &Emitter, const FunctionAnalysis &Function, const ToldBarriers &Told) {
    OptimizationRemarkMissed Remark(PassName, "Barrier", Told.First->Where, &Function.Named->getEntryBlock());
    Remark << Told.Begin
           << "launches before and after this point do not overlap: " << ore::NV("Why", Told.First->Why);
    if (Told.Count > 1)
        Remark << ", the first of " << ore::NV("Count", Told.Count) << " such in this function"
               << linesOf(Told);
    Remark << "; " << Told.First->Advice;
    Emitter.emit(Remark);
}

/// \returns whether there was something to tell.
static bool emitRegion(Remarks &Emitter, const FunctionAnalysis &Function, const ScheduledRegion &Scheduled,
                       ToldWaits &Waits) {
    RegionTelling Telling = {Emitter, Function, *Scheduled.R};
    kesco_arena Memory = {};
    scope_exit Free([&] { kesco_arena_free(&Memory); });
    const kesco_region_remarks To = {Scheduled.R, &Scheduled, &Memory, MayTrap.data(), emitText, &Telling};
    const bool IsConcurrent = kesco_scheduled_has_lanes(&Scheduled);
    if (kesco_tell_plan(&To) != 0)
        report_bad_alloc_error("kesco: remarks");
    if (IsConcurrent || Scheduled.may_replay) {
        emitElided(Emitter, Function, *Scheduled.R, Waits);
        emitLazy(Emitter, Function, *Scheduled.R, Waits);
    }
    const int Serial = kesco_tell_serial(&To);
    if (Serial < 0)
        report_bad_alloc_error("kesco: remarks");
    return IsConcurrent || Serial > 0;
}

static void emitSerial(Remarks &Emitter, const Function &Named, const SerialReason &Reason) {
    auto Remark = begin<OptimizationRemarkMissed>("Serial", Named, Reason.Where);
    Remark << ore::NV("Why", Reason.Text);
    Emitter.emit(Remark);
}

void emitRemarks(const FunctionAnalysis &Function, ArrayRef<ScheduledRegion> Regions,
                 const kesco_plan_options &Options, ToldWaits &Waits, const UnseenLaunches *Unseen) {
    Remarks Emitter(Function.Named);
    bool IsTold = false;
    emitJoins(Emitter, Function, Regions);
    for (const ScheduledRegion &Scheduled : Regions)
        if (Function.Sites.size() > 1 || Scheduled.only_joins || kesco_region_repeats_op(Scheduled.R))
            IsTold |= emitRegion(Emitter, Function, Scheduled, Waits);
    const bool IsSilent = !IsTold && Function.Barriers.empty();
    std::optional<SerialReason> NoOps;
    if (Unseen && !IsSilent)
        NoOps = whyNoOps(Function, *Unseen);
    if (NoOps && !ToldWaits::isInAnother(*Function.Named, NoOps->Where))
        emitSerial(Emitter, *Function.Named, *NoOps);
    const bool ComesBack = any_of(
        Function.Barriers, [](const Barrier &Each) { return StringRef(Each.Why).contains(CallsItself); });
    if (Function.Sites.size() > 1 || ComesBack)
        for (const ToldBarriers &Told : tellBarriers(Function, Waits, IsTold, someJoin(Regions)))
            if (!NoOps || NoOps->Where != Told.First->Where)
                emitBarriers(Emitter, Function, Told);
    if (!Unseen || !IsSilent)
        return;
    if (std::optional<SerialReason> Reason = whySerial(Function, Regions, Options.max_lanes, *Unseen))
        emitSerial(Emitter, *Function.Named, *Reason);
}

void emitUnseen(Function &F, const UnseenLaunches &All, bool Joins) {
    Remarks Emitter(&F);
    if (std::optional<SerialReason> Reason = whyUnseen(F, All, Joins))
        emitSerial(Emitter, F, *Reason);
}

void emitThreads(const Function &F, const ThreadLaunches &Threads) {
    std::optional<SerialReason> Reason = Threads.find(F);
    if (!Reason)
        return;
    Remarks Emitter(&F);
    emitSerial(Emitter, F, *Reason);
}

void emitLending(ArrayRef<Lender> Lenders) {
    for (const Lender &L : Lenders) {
        Remarks Emitter(L.F);
        const Lender::Call &First = L.Calls.front();
        OptimizationRemarkAnalysis Remark(PassName, "Lends", First.Where, &L.F->getEntryBlock());
        Remark << ore::NV("Calls", static_cast<uint64_t>(L.Calls.size()))
               << (L.Calls.size() == 1 ? " call, of " : " calls, the first of ")
               << ore::NV("First",
                          First.Callee.empty() ? "what a pointer leads to" : "'" + First.Callee + "'")
               << ", may find a region open: what is launched there may overlap with what was before, where "
                  "the function is compiled with KeSCo, too; KESCO_LOG=1 tells what ends such a region";
        Emitter.emit(Remark);
    }
}

bool wantsMissedRemarks(const LLVMContext &Context) {
    const DiagnosticHandler *Handler = Context.getDiagHandlerPtr();
    return Context.getLLVMRemarkStreamer() || (Handler && Handler->isMissedOptRemarkEnabled(PassName));
}

void emitLeftOut(const Function &Named, ArrayRef<OpSite> Sites, StringRef Why) {
    if (Sites.empty())
        return;
    Remarks Emitter(&Named);
    OptimizationRemarkMissed Remark(PassName, "LeftOut", Sites.front().where(), &Named.getEntryBlock());
    Remark << "'" << ore::NV("Function", functionTitle(Named)) << "' stays as it is: " << ore::NV("Why", Why);
    Emitter.emit(Remark);
}

static void emitSummary(const Function &Stub, const Kernel &K) {
    Remarks Emitter(&Stub);
    DiagnosticLocation Where(Stub.getSubprogram());
    OptimizationRemarkAnalysis Remark(PassName, "Summary", Where, &Stub.getEntryBlock());
    Remark << "kernel '" << ore::NV("Kernel", kernelTitle(K))
           << "': " << ore::NV("Summary", describeSummary(K));
    Emitter.emit(Remark);
    if (!trustsAnnotation(K))
        return;
    OptimizationRemarkAnalysis Trust(PassName, "Trusted", Where, &Stub.getEntryBlock());
    Trust << "the annotation of kernel '" << ore::NV("Kernel", kernelTitle(K))
          << "' is trusted for code that is not seen: "
          << ore::NV("Why", K.Summary->hidden.why + placeInSource(K.Summary->hidden.at));
    Emitter.emit(Trust);
}

void emitSummaries(const Module &M, const Knowledge &Program) {
    for (const Function &Stub : M) {
        if (!isKernelStub(Stub) || Stub.isDeclaration())
            continue;
        Kernel K = Program.kernel(Stub);
        if (K.Summary)
            emitSummary(Stub, K);
    }
}

} // namespace kesco
