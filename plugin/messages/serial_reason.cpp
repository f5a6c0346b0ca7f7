#include "plugin/messages/serial_reason.h"

#include "plugin/ir/calls.h"
#include "plugin/ir/walk.h"
#include "plugin/llvm_version.h"
#include "plugin/messages/region_reason.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace kesco {

/// What \p Find finds of \p R.
static SerialReason reasonOf(const FunctionAnalysis &Function, const Region &R,
                             function_ref<kesco_region_reason(kesco_arena *)> Find) {
    kesco_arena Memory = {};
    scope_exit Free([&] { kesco_arena_free(&Memory); });
    const kesco_region_reason Reason = Find(&Memory);
    if (!Reason.text)
        report_bad_alloc_error("kesco: remarks");
    return {Function.Sites[R.ops.items[Reason.op].call.site].where(), Reason.text};
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

/// The first call of \p F in a loop whose function launches, and joins no others; null for none.
static const CallBase *helperInLoop(Function &F, const UnseenLaunches &All) {
    const auto Calls = callsOf(F, [&](const CallBase &Call) {
        const Function *Callee = Call.getCalledFunction();
        return Callee && All.isLaunching(*Callee) && !All.joins(*Callee) && isInLoop(&Call);
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
    for (const ScheduledRegion &Scheduled : Regions)
        if (kesco_region_count_kernels(Scheduled.R) > 1)
            return reasonOf(Function, *Scheduled.R, [&](kesco_arena *Memory) {
                return kesco_why_one_lane(Scheduled.R, &Scheduled, MaxLanes, Memory);
            });
    for (const ScheduledRegion &Scheduled : Regions)
        if (kesco_region_is_looped_kernel(Scheduled.R))
            return reasonOf(Function, *Scheduled.R,
                            [&](kesco_arena *Memory) { return kesco_why_passes_share(Scheduled.R, Memory); });
    if (std::optional<SerialReason> Found = whyNoOps(Function, All))
        return Found;
    const auto isLaunch = [](const OpSite &Site) { return Site.isLaunch(); };
    if (count_if(Function.Sites, isLaunch) < 2)
        return std::nullopt;
    return SerialReason{
        find_if(Function.Sites, isLaunch)->where(),
        "no way leads from one of these launches to another, so that none can overlap in one call"};
}

std::optional<SerialReason> whyAliasing(const FunctionAnalysis &Function, ArrayRef<ScheduledRegion> Regions) {
    for (const ScheduledRegion &Scheduled : Regions)
        if (const Op *O = kesco_region_aliasing(Scheduled.R))
            return SerialReason{Function.Sites[O->call.site].where(),
                                std::string(kesco_op_kind_name(O->op.kind)) + " '" + O->op.name +
                                    "' keeps its order to others: " + O->memory.aliases_all};
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
                        "regions that go through calls end before this function, as it copies from or to the "
                        "host and launches no kernel; call it before or behind functions whose launches "
                        "are to overlap"};
}

std::optional<SerialReason> whyUnseen(Function &F, const UnseenLaunches &All, bool Joins) {
    const UnseenCalls Unseen = findUnseen(F, All);
    if (Unseen.Count > 1 || Unseen.AreInLoop)
        return reasonOf(Unseen);
    if (const CallBase *Helper = helperInLoop(F, All))
        return SerialReason{Helper->getDebugLoc(),
                            "the launches of '" + demangle(Helper->getCalledFunction()->getName()) +
                                "' run pass after pass: " KESCO_PASSES_SHARE KESCO_INNER_LOOP};
    return All.isLaunching(F) ? std::nullopt : reasonOfTransfers(F, All, Joins);
}

} // namespace kesco
