#include "plugin/code/rewrite.h"

#include "plugin/code/guard_code.h"
#include "plugin/code/launcher.h"
#include "plugin/code/lazy_wait_code.h"
#include "plugin/code/op_amount.h"
#include "plugin/code/region_closer.h"
#include "plugin/code/region_constant.h"
#include "plugin/code/runtime_abi.h"
#include "plugin/code/site_constant.h"
#include "plugin/code/sync_motion.h"
#include "plugin/code/synchronous_call.h"
#include "plugin/code/transfer_code.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_library.h"
#include "plugin/cuda/stream_action.h"
#include "plugin/cuda/transfers.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/plan/replay.h"

extern "C" {
#include "plugin/schedule/beside.h"
}

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kesco {

namespace {

class RegionRewriter {
  public:
    /// \p Waited: by site, a call right before the op that lets the host wait each time; \p Mode:
    /// KESCO_MODE_.
    RegionRewriter(FunctionAnalysis &Function, const ScheduledRegion &Planned,
                   const DenseMap<unsigned, CallBase *> &Waited, unsigned Mode)
        : Sites(Function.Sites), R(*Planned.R), Plan(*Planned.plan), MayReplay(Planned.may_replay),
          IsOneLane(kesco_scheduled_is_one_lane(&Planned)), IsPlaced(Planned.placed_lanes > 0),
          Joins(Planned.joins), OnlyJoins(Planned.only_joins),
          SomeAwaited(any_of(all(R.ops), [](const Op &O) { return O.way.is_awaited; })), Waited(Waited),
          Covers(Function.Lazy.Covers), Guards(Planned, *Function.F->getParent()),
          Number(Type::getInt32Ty(Function.F->getContext())) {
        const auto Waits = ArrayRef(Plan.waits, Plan.wait_count);
        for (unsigned On : ArrayRef(Plan.records, Plan.record_count))
            if (any_of(Waits, [&](const kesco_wait &W) { return W.on == On && !areCutApart(W.op, On); }))
                Events.try_emplace(On, Events.size());
        for (const Op &O : all(R.ops))
            Collected.push_back(MayReplay && kesco_op_can_collect(&O));
        if (kesco_scheduled_is_run(&Planned)) {
            Entered = regionConstant(*Function.F->getParent(), *Function.Named, Planned, Events.size(), Mode);
            SmallVector<uint32_t, 16> Beside = findBeside();
            for (unsigned Op = 0; Op < R.ops.count; ++Op)
                Described.push_back(siteConstant(*Function.F->getParent(), *Function.Named, R.ops.items[Op],
                                                 Op, Collected[Op] ? &site(Op) : nullptr, Beside[Op]));
        }
    }

    /// Writes nothing but what fetches memory: the plan is the program's order on the program's stream.
    void runPrefetches() {
        for (const auto &[Op, P, IsOverwritten] : all(R.fetches)) {
            const OpSite &S = site(Op);
            Next = S.Issue;
            Location = S.Start->getDebugLoc();
            call(AbiFunction::prefetch_device,
                 {origin(Op, S.Start->getArgOperand(pushStreamOperand(*S.Start))), pointerOf(*S.Issue, P)});
        }
    }

    void run() {
        for (unsigned Op = 0; Op < R.ops.count; ++Op)
            if (!site(Op).isLaunch() && (!IsOneLane || Collected[Op]))
                prepareTransfer(Op);
            else if (site(Op).isLaunch() && (MayReplay || IsPlaced))
                leaveLaunchToRuntime(*site(Op).Issue);
        takeOutOvertakenOps();
        for (unsigned Place = 0; Place < Plan.op_count; ++Place) {
            unsigned Op = Plan.sequence[Place];
            /* A given stream may be another one each time. */
            bool Opens = R.ops.items[Place].way.first || R.ops.items[Place].way.called_back ||
                         R.origin == KESCO_ORIGIN_GIVEN;
            auto Moved = TakenOut.find(Op);
            if (Moved == TakenOut.end())
                issueInPlace(Op, Opens);
            else
                issueAfterLast(Op, Moved->second, Opens);
            prefetch(Op);
            Guards.write(R.ops.items[Op], site(Op), Location);
            place(Op);
            if (isCut(Op) && !isAnotherCutNext(Place))
                pass(Op);
            if (Events.contains(Op))
                call(AbiFunction::record, {number(Events[Op]), laneOf(Op)});
            finish(Op);
            if (auto Found = Synchronous.find(Op); Found != Synchronous.end())
                Found->second.Last = Next->getPrevNode();
        }
    }

    void keepSynchronousCalls() {
        for (const auto &[Op, Calls] : Synchronous)
            keepSynchronousCall(*site(Op).Issue, Calls, *laneOf(Op));
    }

    /// What the runtime may put off, it issues.
    void leaveTransfersToRuntime() {
        for (unsigned Op = 0; Op < R.ops.count; ++Op) {
            if (site(Op).isLaunch() || !Collected[Op])
                continue;
            leaveTransferToRuntime(*site(Op).Issue, R.ops.items[Op].op.kind);
            if (auto Found = Synchronous.find(Op); Found != Synchronous.end())
                leaveTransferToRuntime(*Found->second.Original, R.ops.items[Op].op.kind);
        }
    }

  private:
    /// The two calls of a launch, out of the function.
    struct Calls {
        CallBase *Start;
        CallBase *Issue;
    };

    /// What ops have to do that may run beside each, in instructions of a thread.
    SmallVector<uint32_t, 16> findBeside() {
        SmallVector<uint32_t, 16> Work, Beside(R.ops.count);
        if (IsPlaced)
            return Beside; /* other passes may, but there may be none */
        for (const Op &O : all(R.ops))
            Work.push_back(O.op.kind == KESCO_OP_KERNEL ? O.work > 0 ? O.work : UINT32_MAX
                                                        : estimateTransfer(O, *Sites[O.call.site].Issue));
        if (kesco_beside_find(&Plan, Work.data(), Beside.data()))
            report_bad_alloc_error("kesco: ops that may run beside others");
        return Beside;
    }

    OpSite &site(unsigned Op) {
        return Sites[R.ops.items[Op].call.site];
    }

    Value *laneOf(unsigned Op) const {
        return number(IsPlaced ? unsigned{KESCO_LANE_PLACED} : Plan.lane[Op]);
    }

    bool hasCuts() const {
        return R.origin == KESCO_ORIGIN_LEGACY && Plan.lane_count > 1; /* none where ops are placed */
    }

    /// True for an op that goes to the origin.
    bool isCut(unsigned Op) const {
        return hasCuts() && Plan.cut.alone[Op];
    }

    /// True if two ops are ordered by what is done on the origin between them.
    bool areCutApart(unsigned A, unsigned B) const {
        return hasCuts() && Plan.cut.epoch[A] != Plan.cut.epoch[B];
    }

    Value *number(unsigned N) const {
        return ConstantInt::get(Number, N);
    }

    CallInst *call(AbiFunction F, ArrayRef<Value *> Arguments) {
        IRBuilder<> Builder(Next);
        Builder.SetCurrentDebugLocation(Location);
        return callAbi(Builder, F, Arguments);
    }

    /// Behind what the op accesses: what is no launch gets its stream.
    void place(unsigned Op) {
        OpSite &S = site(Op);
        if (!IsPlaced || S.isLaunch())
            return;
        Instruction *Behind = std::exchange(Next, S.Issue);
        CallInst *Stream = call(AbiFunction::place, {});
        S.Issue->setArgOperand(static_cast<unsigned>(streamOperand(*S.Issue)), Stream);
        if (auto Found = Synchronous.find(Op); Found != Synchronous.end())
            Found->second.Lane = Stream;
        Next = Behind;
    }

    /// True if only a launch on the origin can come behind the op that is issued at \p Place.
    bool isAnotherCutNext(unsigned Place) const {
        const auto Places = all(R.ops.items[Place].way.next);
        return Places.size() == 1 && isCut(Plan.sequence[Places.front()]);
    }

    /// Behind a launch on the origin, on which the lanes rely: where it did not take place, on something
    /// else. One that another such launch comes behind needs not be sure.
    void pass(unsigned Op) {
        OpSite &S = site(Op);
        Instruction *Behind = std::exchange(Next, afterReturn(*S.Issue));
        call(AbiFunction::passed, {number(0)});
        Next = SplitEdge(S.Branch->getParent(), S.End)->getTerminator();
        call(AbiFunction::align, {});
        Next = Behind;
    }

    /// Right before the op, on whose lane the memory is fetched.
    void prefetch(unsigned Op) {
        CallBase *Issue = site(Op).Issue;
        for (const auto &[First, P, IsOverwritten] : all(R.fetches))
            if (First == Op) {
                Instruction *Behind = std::exchange(Next, Issue);
                call(R.must_fetch    ? AbiFunction::prefetch
                     : IsOverwritten ? AbiFunction::fetch_overwritten
                                     : AbiFunction::fetch,
                     {laneOf(Op), pointerOf(*Issue, P)});
                Next = Behind;
            }
    }

    /// What the program's call waited for.
    void finish(unsigned Op) {
        Value *Result = site(Op).Issue;
        kesco_host_wait Wait = R.ops.items[Op].host.wait;
        if (IsOneLane) {
            if (Wait == KESCO_HOST_WAIT_DONE)
                call(AbiFunction::finish, {number(0), number(KESCO_FINISH_DONE), Result});
            return;
        }
        bool MayCallWait = Wait == KESCO_HOST_WAIT_UNSURE;
        bool Waits = Synchronous.contains(Op) &&
                     (Wait == KESCO_HOST_WAIT_DONE || R.ops.items[Op].host.waits_elsewhere);
        if (!MayCallWait && !Waits)
            return;
        unsigned When = MayCallWait                    ? KESCO_FINISH_CALL
                        : Wait == KESCO_HOST_WAIT_DONE ? KESCO_FINISH_ALWAYS
                                                       : KESCO_FINISH_SERIAL;
        CallInst *Finished = call(AbiFunction::finish, {laneOf(Op), number(When), Result});
        Result->replaceUsesWithIf(Finished, [&](Use &U) { return U.getUser() != Finished; });
    }

    /// Makes the call of an op that is no launch one that takes a stream and does not end a block.
    void prepareTransfer(unsigned Op) {
        OpSite &S = site(Op);
        if (auto *Invoke = dyn_cast<InvokeInst>(S.Issue))
            S.Issue = changeToCall(Invoke);
        if (streamOperand(*S.Issue) < 0 && !IsOneLane) {
            Synchronous.insert({Op, {cast<CallBase>(S.Issue->clone())}});
            S.Issue = makeAsynchronous(*S.Issue);
        }
        S.Start = S.Issue;
    }

    Value *pointerOf(const CallBase &Issue, const kesco_pointer &P) {
        IRBuilder<> Builder(Next);
        Builder.SetCurrentDebugLocation(Location);
        return heldPointer(Builder, Issue, P);
    }

    /// An op that the plan issues behind a later op of the program loses its place; its arguments stay.
    void takeOutOvertakenOps() {
        unsigned Furthest = Plan.sequence[0];
        Location = site(Furthest).Start->getDebugLoc();
        for (unsigned Place = 1; Place < Plan.op_count; ++Place) {
            unsigned Op = Plan.sequence[Place];
            if (Op < Furthest)
                takeOut(Op);
            else
                Furthest = Op;
        }
    }

    void takeOut(unsigned Op) {
        OpSite &S = site(Op);
        BasicBlock *Launch = S.Issue->getParent();
        for (Instruction &I : make_early_inc_range(*Launch))
            if (&I != S.Issue && !I.isTerminator())
                I.moveBefore(*S.Start->getParent(), S.Start->getIterator());
        TakenOut[Op] = {cast<CallBase>(S.Start->clone()), cast<CallBase>(S.Issue->clone())};
        BranchInst::Create(S.End, S.Branch->getIterator())->setDebugLoc(S.Branch->getDebugLoc());
        S.Branch->eraseFromParent();
        S.Test->eraseFromParent();
        S.Start->eraseFromParent();
        DeleteDeadBlock(Launch);
    }

    /// What \p Op waits for, the latest first: that may cover the others, which then cost nothing. In a loop,
    /// ops with higher numbers ran in the pass before.
    SmallVector<unsigned, 4> waitsOf(unsigned Op) const {
        SmallVector<unsigned, 4> On;
        for (unsigned I = 0; I < Plan.wait_count; ++I)
            if (Plan.waits[I].op == Op && !areCutApart(Op, Plan.waits[I].on))
                On.push_back(Plan.waits[I].on);
        sort(On, [&](unsigned A, unsigned B) { return (A < Op) == (B < Op) ? A > B : A < Op; });
        return On;
    }

    /// The stream that the program asked for. Where 0 is the per-thread default stream, the runtime could not
    /// tell a given 0 from the legacy one.
    Value *origin(unsigned Op, Value *Asked) {
        auto *PerThread =
            ConstantExpr::getIntToPtr(ConstantInt::get(Number, PerThreadStream), Asked->getType());
        if (R.origin == KESCO_ORIGIN_PER_THREAD)
            return PerThread;
        if (R.origin == KESCO_ORIGIN_LEGACY || !site(Op).PerThreadDefault)
            return Asked;
        IRBuilder<> Builder(Next);
        Builder.SetCurrentDebugLocation(Location);
        return Builder.CreateSelect(Builder.CreateIsNull(Asked), PerThread, Asked);
    }

    void waitAndChooseLane(unsigned Op, Calls Of, bool Opens) {
        CallBase *Start = Of.Start;
        Location = Start->getDebugLoc();
        const int Operand =
            site(Op).isLaunch() ? static_cast<int>(pushStreamOperand(*Start)) : streamOperand(*Start);
        if (Opens)
            enter(Op, origin(Op, Operand < 0
                                     ? ConstantPointerNull::get(PointerType::getUnqual(Number->getContext()))
                                     : Start->getArgOperand(static_cast<unsigned>(Operand))));
        auto Covered = R.Lazy.empty() ? Covers.end() : Covers.find(R.ops.items[Op].call.site);
        if (Covered != Covers.end())
            call(AbiFunction::cover, {number(reachForRuntime(Covered->second))});
        if (!IsOneLane && SomeAwaited)
            call(AbiFunction::awaited, {number(IsAwaited)});
        for (const kesco_pointer &P : all(R.ops.items[Op].memory.ends))
            call(AbiFunction::copied, {pointerOf(*Start, P)});
        if (hasCuts() && Plan.cut.aligned[Op])
            call(AbiFunction::align, {});
        for (unsigned On : waitsOf(Op))
            call(AbiFunction::wait, {number(Events[On]), laneOf(Op)});
        IRBuilder<> Builder(Next);
        Builder.SetCurrentDebugLocation(Location);
        Value *Amount = amountOf(Builder, R.ops.items[Op], *Start, *Of.Issue);
        CallInst *Stream = isCut(Op)  ? call(AbiFunction::origin, {Described[Op], Amount})
                           : IsPlaced ? call(AbiFunction::op, {Described[Op], Amount})
                                      : call(AbiFunction::lane, {laneOf(Op), Described[Op], Amount});
        if (site(Op).isLaunch() || !IsOneLane)
            Start->setArgOperand(static_cast<unsigned>(Operand), Stream);
        if (auto Found = Synchronous.find(Op); Found != Synchronous.end())
            Found->second.Lane = Stream;
    }

    void enter(unsigned Op, Value *Stream) {
        if (Joins) {
            call(AbiFunction::join, {number(!OnlyJoins), Stream, Entered});
            return;
        }
        CallBase *Action = TakenOut.contains(Op) ? nullptr : Waited.lookup(R.ops.items[Op].call.site);
        if (R.origin == KESCO_ORIGIN_PER_THREAD)
            Action = nullptr;
        if (Action || (Action = R.Actions[Op]))
            call(AbiFunction::enter_behind, {Stream, Entered, Action});
        else
            call(AbiFunction::enter, {Stream, Entered});
    }

    void issueInPlace(unsigned Op, bool Opens) {
        OpSite &S = site(Op);
        IsAwaited = R.ops.items[Op].way.is_awaited; /* what is issued behind it is, too */
        Next = S.Start;
        waitAndChooseLane(Op, {S.Start, S.Issue}, Opens);
        Next = S.isLaunch() ? &*S.End->getFirstInsertionPt() : afterReturn(*S.Issue);
    }

    void issueAfterLast(unsigned Op, Calls Moved, bool Opens) {
        waitAndChooseLane(Op, Moved, Opens);
        Moved.Start->insertBefore(Next->getIterator());
        IRBuilder<> Builder(Next);
        Builder.SetCurrentDebugLocation(Location);
        Value *Accepted = Builder.CreateICmpEQ(Moved.Start, Constant::getNullValue(Moved.Start->getType()));
        Moved.Issue->insertBefore(
            SplitBlockAndInsertIfThen(Accepted, Next->getIterator(), false)->getIterator());
        OpSite &S = site(Op);
        S.Start = Moved.Start;
        S.Issue = Moved.Issue;
        S.Test = cast<ICmpInst>(Accepted);
        S.Branch = cast<BranchInst>(Moved.Start->getParent()->getTerminator());
        S.End = Next->getParent();
    }

    MutableArrayRef<OpSite> Sites;
    const Region &R;
    const kesco_plan &Plan;
    const bool MayReplay;
    const bool IsOneLane, IsPlaced, Joins, OnlyJoins; ///< as ScheduledRegion has them
    const bool SomeAwaited;                           ///< some ops have is_awaited (kesco_op_way)
    bool IsAwaited = false; ///< the op in whose place the next one is issued (kesco_op_way)
    const DenseMap<unsigned, CallBase *> &Waited;
    const MapVector<unsigned, Reach> &Covers;
    const GuardWriter Guards;
    Type *Number;
    DenseMap<unsigned, unsigned> Events;              ///< event of each op that a wait is made for
    DenseMap<unsigned, Calls> TakenOut;               ///< ops that are issued behind a later one
    SmallVector<bool, 16> Collected;                  ///< by op, whether the runtime may put it off
    SmallVector<Constant *, 16> Described;            ///< by op, what the runtime is told of it
    Constant *Entered = nullptr;                      ///< what the runtime is told of the region
    MapVector<unsigned, SynchronousCall> Synchronous; ///< by op, calls that the program made synchronously
    Instruction *Next = nullptr;                      ///< what is written goes before this instruction
    DebugLoc Location;                                ///< of the launch that is being written
};

} // namespace

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

void rewriteRegions(FunctionAnalysis &Function, ArrayRef<const ScheduledRegion *> Regions, unsigned Mode) {
    RegionCloser Closer(*Function.F);
    SmallSetVector<Instruction *, 8> Barriers;
    for (const ScheduledRegion *Planned : Regions)
        if (kesco_scheduled_is_run(Planned))
            Barriers.insert(Planned->R->Barriers.begin(), Planned->R->Barriers.end());
    for (Instruction *Barrier : Barriers) {
        if (!Function.Lazy.Calls.empty() && waitsForDevice(*Barrier))
            settleByNext(*Barrier);
        if (actsOnLegacyStream(*Barrier) && !cast<CallBase>(Barrier)->isMustTailCall())
            Closer.closeAround(*cast<CallBase>(Barrier));
        else
            Closer.closeBefore(*Barrier);
    }
    for (const ScheduledRegion *Planned : Regions)
        writePrefetchesToHost(*Planned->R);
    SmallSetVector<CallBase *, 4> Elided;
    SmallSetVector<CallBase *, 8> Lazy;
    for (const ScheduledRegion *Planned : Regions)
        if (kesco_scheduled_is_run(Planned)) {
            Elided.insert(Planned->R->Elided.begin(), Planned->R->Elided.end());
            Lazy.insert(Planned->R->Lazy.begin(), Planned->R->Lazy.end());
        }
    if (!Lazy.empty())
        writeObservers(Function.Lazy); /* copies among them are rewritten */
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
