#include "plugin/messages/serial_reason.h"

#include "plugin/ir/calls.h"
#include "plugin/ir/walk.h"

#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace kesco {

static constexpr char PassesShare[] =
    "in a loop whose number of passes is no constant of at most 32, each op is one, on one lane";
static constexpr char InnerLoop[] =
    "; make several passes one, by a loop inside of it with a constant number of passes, 32 at most";

/// " (line 3)", where that is known.
static std::string lineOf(const Op &O) {
    return O.source.line > 0 ? " (line " + std::to_string(O.source.line) + ")" : "";
}

static SerialReason at(const FunctionAnalysis &Function, const Op &O, std::string Text) {
    return {Function.Sites[O.call.site].where(), std::move(Text)};
}

/// True if \p O is given a pointer into the object \p Name of which \p Is holds.
static bool hasPointer(const Region &R, const Op &O, StringRef Name,
                       function_ref<bool(const kesco_pointer &)> Is) {
    return any_of(all(O.memory.pointers), [&](const kesco_pointer &P) {
        return Name.starts_with(R.objects.items[P.object].name) && Is(P);
    });
}

/// What helps where the two ops work on the object \p Name: parts of it, or another one in each pass.
static std::string adviceFor(const Region &R, const Op &From, const Op &To, StringRef Name) {
    const auto isInside = [](const kesco_pointer &P) { return P.is_inside; };
    const auto varies = [](const kesco_pointer &P) { return P.varies; };
    if (hasPointer(R, To, Name, varies) && hasPointer(R, From, Name, varies))
        return InnerLoop;
    if (hasPointer(R, To, Name, isInside) || hasPointer(R, From, Name, isInside))
        return "; if they touch different parts of it, allocate each by itself, or store their "
               "pointers in two variables and claim that by KESCO_DISTINCT of these";
    return "";
}

/// The dependence \p E as a sentence; nothing where it is told elsewhere why there is one.
static std::optional<SerialReason> reasonOf(const FunctionAnalysis &Function,
                                            const ScheduledRegion &Scheduled, const kesco_edge &E) {
    if (E.object == KESCO_OBJECT_ANY)
        return std::nullopt;
    const Region &R = *Scheduled.R;
    const Op &From = R.ops.items[E.from], &To = R.ops.items[E.to];
    StringRef Name = kesco_graph_object_name(Scheduled.graph, E.object);
    std::string Text = "'" + std::string(To.op.name) + "' comes behind ";
    Text += "'" + std::string(From.op.name) + "'" + lineOf(From);
    Text += E.from >= E.to ? " of the pass before: " : ": ";
    Text += kesco_edge_kind_name(E.kind) + (" on '" + Name + "'").str();
    return at(Function, To, Text + adviceFor(R, From, To, Name));
}

/// Why the ops of a region with several of them are on one lane.
static SerialReason reasonOf(const FunctionAnalysis &Function, const ScheduledRegion &Scheduled,
                             unsigned MaxLanes) {
    const Op &First = Scheduled.R->ops.items[0];
    if (MaxLanes == 1)
        return at(Function, First,
                  "launches stay serial: -fplugin-arg-kesco-max-lanes=1 gives them one lane");
    const kesco_graph &Graph = *Scheduled.graph;
    for (ArrayRef<kesco_edge> Edges : {ArrayRef(Graph.derived.edges.items, Graph.derived.edges.count),
                                       ArrayRef(Graph.derived.carried.items, Graph.derived.carried.count)})
        for (const kesco_edge &E : Edges)
            if (auto Found = reasonOf(Function, Scheduled, E))
                return *Found;
    return at(Function, First, "these ops could not run at once on the device");
}

/// Why the passes of a loop around one op are on one lane.
static SerialReason reasonOfLoop(const FunctionAnalysis &Function, const Region &R) {
    const Op &O = R.ops.items[0];
    for (const kesco_op_access &A : all(O.memory.accesses)) {
        const auto varies = [](const kesco_pointer &P) { return P.varies; };
        if (A.access == KESCO_WRITE && A.object != KESCO_OBJECT_ANY &&
            !hasPointer(R, O, R.parts.items[A.object], varies))
            return at(Function, O,
                      "'" + std::string(O.op.name) + "' comes behind itself of the pass before: WAW on '" +
                          R.parts.items[A.object] + "'" + adviceFor(R, O, O, R.parts.items[A.object]));
    }
    return at(Function, O,
              "'" + std::string(O.op.name) + "' runs pass after pass: " + PassesShare + InnerLoop);
}

template <typename Predicate>
static SmallVector<const CallBase *, 4> callsOf(const Function &F, Predicate Is) {
    SmallVector<const CallBase *, 4> Calls;
    for (const CallBase &Call : make_filter_range(callsIn(F), Is))
        Calls.push_back(&Call);
    return Calls;
}

static bool isInLoop(const CallBase *Call) {
    return isInCycle(*Call->getParent());
}

/// The calls of a function that launch what are no ops, themselves or in helpers.
struct UnseenCalls {
    const CallBase *First = nullptr;
    const CallBase *Launch = nullptr; ///< what launches there
    unsigned Count = 0;
    bool AreInLoop = false;
};

static UnseenCalls findUnseen(Function &F, const UnseenLaunches &All) {
    const auto Calls = callsOf(F, [&](const CallBase &Call) { return All.launchOf(Call) != nullptr; });
    if (Calls.empty())
        return {};
    return {Calls.front(), All.launchOf(*Calls.front()), static_cast<unsigned>(Calls.size()),
            any_of(Calls, isInLoop)};
}

static SerialReason reasonOf(const UnseenCalls &Unseen) {
    const std::string How = UnseenLaunches::describe(*Unseen.Launch);
    const unsigned Line = Unseen.Launch->getDebugLoc() ? Unseen.Launch->getDebugLoc().getLine() : 0;
    std::string Text = "this launch stays serial: it is made " + How;
    if (Unseen.Launch != Unseen.First && Line > 0)
        Text += " in line " + std::to_string(Line);
    return {Unseen.First->getDebugLoc(), Text + UnseenLaunches::adviceFor(How)};
}

/// The first call of \p F in a loop whose function launches; null for none.
static const CallBase *helperInLoop(Function &F, const UnseenLaunches &All) {
    const auto Calls = callsOf(F, [&](const CallBase &Call) {
        return Call.getCalledFunction() && All.isLaunching(*Call.getCalledFunction()) && isInLoop(&Call);
    });
    return Calls.empty() ? nullptr : Calls.front();
}

std::optional<SerialReason> whyNoOps(const FunctionAnalysis &Function, const UnseenLaunches &All) {
    const UnseenCalls Unseen = findUnseen(*Function.F, All);
    const auto isLaunch = [](const OpSite &Site) { return Site.isLaunch(); };
    const bool AreSeveral = Unseen.Count > 1 || Unseen.AreInLoop || any_of(Function.Sites, isLaunch);
    if (Unseen.Count == 0 || !AreSeveral)
        return std::nullopt;
    return reasonOf(Unseen);
}

std::optional<SerialReason> whySerial(const FunctionAnalysis &Function, ArrayRef<ScheduledRegion> Regions,
                                      unsigned MaxLanes, const UnseenLaunches &All) {
    const auto isKernel = [](const Op &O) { return O.op.kind == KESCO_OP_KERNEL; };
    for (const ScheduledRegion &Scheduled : Regions)
        if (count_if(all(Scheduled.R->ops), isKernel) > 1)
            return reasonOf(Function, Scheduled, MaxLanes);
    for (const ScheduledRegion &Scheduled : Regions)
        if (Scheduled.R->ops.count == 1 && any_of(all(Scheduled.R->ops), isKernel) &&
            kesco_region_repeats_op(Scheduled.R))
            return reasonOfLoop(Function, *Scheduled.R);
    if (std::optional<SerialReason> Found = whyNoOps(Function, All))
        return Found;
    const auto isLaunch = [](const OpSite &Site) { return Site.isLaunch(); };
    if (count_if(Function.Sites, isLaunch) < 2)
        return std::nullopt;
    return SerialReason{find_if(Function.Sites, isLaunch)->where(),
                        "no way leads from one of these launches to another, so that none can overlap"};
}

std::optional<SerialReason> whyAliasing(const FunctionAnalysis &Function, ArrayRef<ScheduledRegion> Regions) {
    for (const ScheduledRegion &Scheduled : Regions)
        for (const Op &O : all(Scheduled.R->ops))
            if (O.memory.aliases_all != nullptr)
                return SerialReason{Function.Sites[O.call.site].where(),
                                    std::string(kesco_op_kind_name(O.op.kind)) + " '" + O.op.name +
                                        "' keeps its order to others: " + O.memory.aliases_all};
    return std::nullopt;
}

/// Why the copies, memsets and the like of \p F, which launches nothing, stay as they are.
static std::optional<SerialReason> reasonOfTransfers(Function &F, const UnseenLaunches &All, bool Joins) {
    const auto Calls = callsOf(F, [&](const CallBase &Call) { return All.isTransfer(Call); });
    if (Calls.empty())
        return std::nullopt;
    const DebugLoc &Where = Calls.front()->getDebugLoc();
    if (Calls.size() > 1 || isInLoop(Calls.front()))
        return SerialReason{Where,
                            "copies and memsets stay as they are in a function that launches no kernel"};
    if (!Joins || !F.hasExternalLinkage() || !mayBeEntered(F))
        return std::nullopt;
    return SerialReason{Where,
                        "regions that go through calls end before this function, as it issues a copy or "
                        "memset and launches no kernel; call it before or behind functions whose launches "
                        "are to overlap"};
}

std::optional<SerialReason> whyUnseen(Function &F, const UnseenLaunches &All, bool Joins) {
    const UnseenCalls Unseen = findUnseen(F, All);
    if (Unseen.Count > 1 || Unseen.AreInLoop)
        return reasonOf(Unseen);
    if (const CallBase *Helper = helperInLoop(F, All))
        return SerialReason{Helper->getDebugLoc(), "the launches of '" +
                                                       demangle(Helper->getCalledFunction()->getName()) +
                                                       "' run pass after pass: " + PassesShare + InnerLoop};
    return All.isLaunching(F) ? std::nullopt : reasonOfTransfers(F, All, Joins);
}

} // namespace kesco
