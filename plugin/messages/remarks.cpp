#include "plugin/messages/remarks.h"

#include "plugin/cuda/host_effect.h"
#include "plugin/messages/describe_summary.h"
#include "plugin/messages/serial_reason.h"
#include "plugin/messages/told_barriers.h"
#include "plugin/plan/replay.h"
#include "plugin/plan/selection.h"

extern "C" {
#include "plugin/ir/kernel_stub.h"
#include "plugin/schedule/flow.h"
}

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Support/FormatVariadic.h"

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

static std::string titleOf(const kesco_distinct &C) {
    return "KESCO_DISTINCT(" + std::string(C.first) + ", " + C.second + ") (line " + std::to_string(C.line) +
           ")";
}

static void emitPassed(Remarks &Emitter, const FunctionAnalysis &Function, const ScheduledRegion &Scheduled) {
    auto Remark = begin<OptimizationRemark>("Concurrent", Function, *Scheduled.R);
    auto Kernels = static_cast<uint64_t>(
        count_if(all(Scheduled.R->ops), [](const Op &O) { return O.op.kind == KESCO_OP_KERNEL; }));
    if (Kernels > 0)
        Remark << ore::NV("Kernels", Kernels) << (Kernels == 1 ? " kernel" : " kernels");
    if (uint64_t Others = Scheduled.R->ops.count - Kernels)
        Remark << (Kernels > 0 ? " and " : "") << ore::NV("Others", Others) << (Kernels > 0 ? " other" : "")
               << (Others == 1 ? " op" : " ops");
    Remark << " run on " << ore::NV("Lanes", Scheduled.plan->lane_count) << " lanes with "
           << ore::NV("Waits", static_cast<uint64_t>(Scheduled.plan->sync.wait_count))
           << (Scheduled.plan->sync.wait_count == 1 ? " wait" : " waits");
    if (Scheduled.R->guards.checked.count > 0)
        Remark << ", serially where pointers lead to the same memory ("
               << ore::NV("Guards", static_cast<uint64_t>(Scheduled.R->guards.checked.count))
               << " checked at run time)";
    if (Scheduled.R->claims.relied.count > 0) {
        Remark << ", distinct as " << ore::NV("Claim", titleOf(Scheduled.R->claims.relied.items[0]))
               << " claims";
        if (const size_t More = Scheduled.R->claims.relied.count - 1)
            Remark << ", and " << ore::NV("MoreClaims", static_cast<uint64_t>(More)) << " more";
    }
    Emitter.emit(Remark);
}

/// True for what KESCO_DISTINCT takes as it stands: the name of one variable.
static bool isWord(StringRef Name) {
    return !Name.empty() && !isDigit(Name.front()) &&
           all_of(Name, [](char C) { return isAlnum(C) || C == '_'; });
}

static void emitGuarded(Remarks &Emitter, const FunctionAnalysis &Function, const Region &R) {
    if (R.guards.checked.count == 0)
        return;
    const auto &[A, B] = R.guards.checked.items[0];
    const std::string &First = R.objects.items[A].name, &Second = R.objects.items[B].name;
    auto Remark = begin<OptimizationRemarkAnalysis>("Guarded", Function, R);
    Remark << "'" << ore::NV("First", First) << "' and '" << ore::NV("Second", Second) << "'";
    if (const size_t More = R.guards.checked.count - 1)
        Remark << ", and " << ore::NV("More", static_cast<uint64_t>(More))
               << (More == 1 ? " other pair," : " other pairs,");
    Remark << " may be the same memory, which is checked at run time; ";
    if (isWord(First) && isWord(Second))
        Remark << "KESCO_DISTINCT(" << First << ", " << Second << ")";
    else
        Remark << "KESCO_DISTINCT of two variables that they are stored in, and used from,";
    Remark << " claims that they do not overlap";
    Emitter.emit(Remark);
}

static void emitIdleClaims(Remarks &Emitter, const FunctionAnalysis &Function, const Region &R) {
    for (const kesco_distinct &C : all(R.claims.idle)) {
        auto Remark = begin<OptimizationRemarkMissed>("IdleClaim", Function, R);
        Remark << ore::NV("Claim", titleOf(C))
               << " holds in one pass of its loop alone, and ops of several passes may be in flight: make "
                  "the claim "
                  "before the loop";
        Emitter.emit(Remark);
    }
}

static void emitPlaced(Remarks &Emitter, const FunctionAnalysis &Function, const ScheduledRegion &Scheduled) {
    const Region &R = *Scheduled.R;
    auto Remark = begin<OptimizationRemark>("Placed", Function, R);
    Remark << ore::NV("Ops", static_cast<uint64_t>(R.ops.count))
           << (R.ops.count == 1 ? " op gets its lane" : " ops get their lanes") << " when the program issues "
           << (R.ops.count == 1 ? "it" : "them") << ", by the bytes that each accesses: ";
    if (Scheduled.too_large)
        Remark << "with branches or loops between them, no more than "
               << ore::NV("Most", static_cast<uint64_t>(KESCO_FLOW_MAX_PLACES)) << " are planned";
    else
        Remark << "passes of a loop overlap where they have none in common that one of them writes";
    Emitter.emit(Remark);
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
           "writes; -fplugin-arg-kesco-across-calls=off leaves calls as they are";
    Emitter.emit(Remark);
}

static void emitReplayed(Remarks &Emitter, const FunctionAnalysis &Function, const Region &R) {
    auto Remark = begin<OptimizationRemark>("Replayed", Function, R);
    const auto Launches =
        static_cast<uint64_t>(count_if(all(R.ops), [&](const Op &O) { return kesco_op_can_collect(&O); }));
    const bool AreKernels = all_of(all(R.ops), [](const Op &O) { return O.op.kind == KESCO_OP_KERNEL; });
    Remark << ore::NV("Launches", Launches)
           << (AreKernels      ? Launches == 1 ? " launch" : " launches"
               : Launches == 1 ? " op"
                               : " ops")
           << " on one stream: what comes again in the same order is launched together, as a CUDA graph, "
              "where the "
              "run finds that it pays; -fplugin-arg-kesco-mode=lanes leaves "
           << (Launches == 1 ? "it as it is" : "them as they are");
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

static void emitTooLarge(Remarks &Emitter, const FunctionAnalysis &Function, const Region &R) {
    auto Remark = begin<OptimizationRemarkMissed>("TooLarge", Function, R);
    Remark << ore::NV("Kernels", static_cast<uint64_t>(R.ops.count))
           << " launches with branches or loops between them stay serial: more than "
           << ore::NV("Most", static_cast<uint64_t>(KESCO_FLOW_MAX_PLACES))
           << " are not analysed; split the function";
    Emitter.emit(Remark);
}

static void emitNoGain(Remarks &Emitter, const FunctionAnalysis &Function, const ScheduledRegion &Scheduled) {
    auto Remark = begin<OptimizationRemarkMissed>("NoGain", Function, *Scheduled.R);
    Remark << ore::NV("Ops", static_cast<uint64_t>(Scheduled.R->ops.count))
           << " ops stay serial: by the profile they take "
           << ore::NV("Serial", formatv("{0:f1}", Scheduled.plan->worth.serial_us).str())
           << " microseconds, and what overlap could save, records and waits would cost again; without "
              "-fplugin-arg-kesco-profile they get lanes";
    Emitter.emit(Remark);
}

/// Whom \p O keeps its order to.
static const char *othersThatMayAlias(const Op &O) {
    bool Writes = any_of(all(O.memory.accesses), [](const kesco_op_access &A) {
        return A.object == KESCO_OBJECT_ANY && A.access == KESCO_WRITE;
    });
    return Writes ? "to all others" : "to all that write";
}

static void emitUnknownAccesses(Remarks &Emitter, const FunctionAnalysis &Function, const Region &R) {
    for (const Op &O : all(R.ops)) {
        if (!O.memory.aliases_all)
            continue;
        auto Remark =
            begin<OptimizationRemarkMissed>("Unknown", *Function.Named, Function.Sites[O.call.site].where());
        Remark << kesco_op_kind_name(O.op.kind) << " '" << ore::NV("Kernel", O.op.name)
               << "' keeps its order " << othersThatMayAlias(O) << ": "
               << ore::NV("Why", O.memory.aliases_all);
        const auto Alike = count_if(all(R.ops), [&](const Op &Other) {
            return Other.op.kind == O.op.kind && StringRef(Other.op.name) == O.op.name &&
                   StringRef(Other.memory.aliases_all) == O.memory.aliases_all;
        });
        std::string What = Remark.getMsg();
        if (Alike > 1)
            Remark << "; so " << (Alike == 2 ? "does " : "do ")
                   << ore::NV("More", static_cast<uint64_t>(Alike - 1)) << " more here";
        Emitter.emitOnce(Remark, What);
    }
}

/// The ops that keep their order to \p Op for no reason but that kernels may trap.
static SmallSetVector<unsigned, 4> orderedByTraps(const kesco_graph &Graph, unsigned Op) {
    SmallSetVector<unsigned, 4> Ordered, Otherwise;
    for (ArrayRef<kesco_edge> Edges : {ArrayRef(Graph.derived.edges.items, Graph.derived.edges.count),
                                       ArrayRef(Graph.derived.carried.items, Graph.derived.carried.count)})
        for (const kesco_edge &E : Edges)
            if (E.from == Op || E.to == Op)
                (kesco_graph_object_name(&Graph, E.object) == MayTrap ? Ordered : Otherwise)
                    .insert(E.from == Op ? E.to : E.from);
    Ordered.set_subtract(Otherwise);
    return Ordered;
}

/// \returns whether there was something to tell.
static bool emitTraps(Remarks &Emitter, const FunctionAnalysis &Function, const ScheduledRegion &Scheduled) {
    const std::vector<Op> &Ops = all(Scheduled.R->ops);
    bool IsTold = false;
    for (unsigned I = 0; I < Ops.size(); ++I) {
        if (!Ops[I].may_trap)
            continue;
        SmallSetVector<unsigned, 4> Others = orderedByTraps(*Scheduled.graph, I);
        if (Others.empty())
            continue;
        auto Remark = begin<OptimizationRemarkMissed>("MayTrap", *Function.Named,
                                                      Function.Sites[Ops[I].call.site].where());
        const Op &First = Ops[Others.front()];
        Remark << "kernel '" << ore::NV("Kernel", Ops[I].op.name) << "' may trap, so it keeps its order to '"
               << ore::NV("Other", First.op.name) << "'";
        if (First.source.line != 0)
            Remark << " (line " << ore::NV("Line", First.source.line) << ")";
        if (Others.size() > 1)
            Remark << " and " << ore::NV("More", static_cast<uint64_t>(Others.size() - 1)) << " more";
        Remark << ", as to whatever lets the host wait, whatever it can see, and kernels that may trap, too; "
                  "where that is an assert, -DNDEBUG leaves it out";
        Emitter.emitOnce(Remark, std::string("trap of ") + Ops[I].op.name);
        IsTold = true;
    }
    return IsTold;
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
    const bool IsConcurrent = kesco_scheduled_has_lanes(&Scheduled);
    const bool IsNoGain = Scheduled.plan->worth.serial == KESCO_SERIAL_NO_GAIN &&
                          (Scheduled.placed_lanes == 0 || Scheduled.only_joins);
    if (Scheduled.only_joins) {
        // emitJoins tells of it
    } else if (Scheduled.placed_lanes > 0) {
        emitPlaced(Emitter, Function, Scheduled);
    } else if (IsConcurrent) {
        emitPassed(Emitter, Function, Scheduled);
        emitGuarded(Emitter, Function, *Scheduled.R);
    } else if (Scheduled.may_replay) {
        emitReplayed(Emitter, Function, *Scheduled.R);
    }
    if (IsConcurrent || Scheduled.may_replay) {
        emitElided(Emitter, Function, *Scheduled.R, Waits);
        emitLazy(Emitter, Function, *Scheduled.R, Waits);
    }
    if (IsNoGain)
        emitNoGain(Emitter, Function, Scheduled);
    const bool IsTooLarge = Scheduled.too_large && Scheduled.placed_lanes == 0;
    if (IsTooLarge)
        emitTooLarge(Emitter, Function, *Scheduled.R);
    emitIdleClaims(Emitter, Function, *Scheduled.R);
    emitUnknownAccesses(Emitter, Function, *Scheduled.R);
    const bool TellsOfTraps = emitTraps(Emitter, Function, Scheduled);
    return IsConcurrent || IsNoGain || IsTooLarge || TellsOfTraps ||
           any_of(all(Scheduled.R->ops), [](const Op &O) { return O.memory.aliases_all != nullptr; });
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
        for (const ToldBarriers &Told : tellBarriers(Function, Waits, IsTold))
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
