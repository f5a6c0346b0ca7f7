#include "plugin/code/rewrite.h"

#include "plugin/code/lazy_wait_code.h"
#include "plugin/code/region_closer.h"
#include "plugin/code/region_rewriter.h"
#include "plugin/code/sync_motion.h"
#include "plugin/code/transfer_code.h"
#include "plugin/cuda/transfers.h"
#include "plugin/ir/calls.h"

#include "llvm/ADT/SetVector.h"

using namespace llvm;

namespace kesco {

/// Fetches memory to the host right before the call that synchronises, on the stream that it waits for.
static void writePrefetchesToHost(const Region &R) {
    for (const auto &[Call, Variable] : R.PrefetchesToHost) {
        IRBuilder<> Builder(Call);
        Value *Stream = cast<CallBase>(Call)->arg_empty() ? ConstantPointerNull::get(Builder.getPtrTy())
                                                          : cast<CallBase>(Call)->getArgOperand(0);
        callAbi(Builder, AbiFunction::prefetch_host,
                {Stream, Builder.CreateLoad(Builder.getPtrTy(), Variable)});
    }
}

/// Copies between host and device that are ops of \p Planned, and that the host waits for.
static void addCopies(const FunctionAnalysis &Function, const ScheduledRegion &Planned,
                      SmallPtrSetImpl<const Instruction *> &Copies) {
    for (size_t I = 0; I < Planned.R->ops.count && !Planned.joins; ++I) {
        const kesco_region_op &Op = Planned.R->ops.items[I];
        if (Op.call.is_plain_copy && Op.host.wait == KESCO_HOST_WAIT_DONE)
            Copies.insert(Function.Sites[Op.call.site].Issue);
    }
}

static void closeAt(Instruction &Barrier, RegionCloser &Closer) {
    if (mayCloseAround(Barrier))
        Closer.closeAround(cast<CallBase>(Barrier));
    else
        Closer.closeBefore(Barrier);
}

/// Where one of \p Barriers records an event, the host may wait for that with no region open.
static void addEventWaits(Function &F, SmallSetVector<Instruction *, 8> &Barriers) {
    if (none_of(Barriers, [](const Instruction *Barrier) { return recordsEvent(*Barrier); }))
        return;
    for (Instruction &I : instructions(F))
        if (waitsForEvent(I))
            Barriers.insert(&I);
}

void rewriteRegions(FunctionAnalysis &Function, ArrayRef<const ScheduledRegion *> Regions, unsigned Mode) {
    RegionCloser Closer(*Function.F);
    SmallSetVector<Instruction *, 8> Barriers;
    for (const ScheduledRegion *Planned : Regions)
        if (kesco_scheduled_is_run(Planned))
            Barriers.insert(Planned->R->Barriers.begin(), Planned->R->Barriers.end());
    addEventWaits(*Function.F, Barriers);
    for (Instruction *Barrier : Barriers) {
        if (!Function.Lazy.Calls.empty() && waitsForDevice(*Barrier) &&
            !Function.Lazy.Silent.contains(Barrier))
            settleByNext(*Barrier);
        closeAt(*Barrier, Closer);
        if (auto *Call = dyn_cast<CallBase>(Barrier); Call && isTransfer(*Call))
            letHostWaitFirst(*Call);
    }
    for (const ScheduledRegion *Planned : Regions)
        writePrefetchesToHost(*Planned->R);
    SmallSetVector<CallBase *, 4> Elided;
    SmallSetVector<CallBase *, 8> Lazy;
    SmallPtrSet<const Instruction *, 8> Copies;
    for (const ScheduledRegion *Planned : Regions)
        if (kesco_scheduled_is_run(Planned)) {
            Elided.insert(Planned->R->Elided.begin(), Planned->R->Elided.end());
            Lazy.insert(Planned->R->Lazy.begin(), Planned->R->Lazy.end());
            addCopies(Function, *Planned, Copies);
        }
    if (!Lazy.empty())
        writeObservers(Function.Lazy, Lazy, Copies); /* copies among them are rewritten */
    SyncMover Mover(*Function.F, Function.Syncs, Elided.getArrayRef(),
                    any_of(Regions, [](const ScheduledRegion *Planned) { return Planned->may_replay; }));
    const DenseMap<unsigned, CallBase *> Waited = Mover.hoist(Function.Sites);
    std::vector<std::unique_ptr<RegionRewriter>> Rewriters;
    for (const ScheduledRegion *Planned : Regions) {
        Rewriters.push_back(std::make_unique<RegionRewriter>(Function, *Planned, Waited, Mode));
        if (kesco_scheduled_is_run(Planned))
            Rewriters.back()->run();
        else
            Rewriters.back()->runPrefetches();
    }
    for (const auto &Rewriter : Rewriters)
        Rewriter->keepSynchronousCalls();
    Mover.take();
    writeLazyWaits(Function.Lazy, Lazy);
    for (const auto &Rewriter : Rewriters)
        Rewriter->leaveTransfersToRuntime();
    Closer.closeAtExits();
}

} // namespace kesco
