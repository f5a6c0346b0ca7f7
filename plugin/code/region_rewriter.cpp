#include "plugin/code/region_rewriter.h"

#include "plugin/code/expected_entries.h"
#include "plugin/code/launcher.h"
#include "plugin/code/lazy_wait_code.h"
#include "plugin/code/op_amount.h"
#include "plugin/code/region_closer.h"
#include "plugin/code/region_constant.h"
#include "plugin/code/site_constant.h"
#include "plugin/code/transfer_code.h"
#include "plugin/cuda/transfers.h"
#include "plugin/ir/calls.h"
#include "plugin/plan/replay.h"

extern "C" {
#include "plugin/schedule/beside.h"
}

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kesco {

namespace {

/// Writes at a position, for the launch there.
struct BuilderAt : IRBuilder<> {
    explicit BuilderAt(const CodePosition &At) : IRBuilder<>(At.Next) {
        SetCurrentDebugLocation(At.Location);
    }
};

} // namespace

RegionRewriter::RegionRewriter(FunctionAnalysis &Function, const ScheduledRegion &Planned,
                               const DenseMap<unsigned, CallBase *> &Waited, unsigned Mode)
    : Sites(Function.Sites), Planned(Planned), R(*Planned.R), Plan(*Planned.plan),
      Context(Function.F->getContext()), Guards(Planned, *Function.F->getParent()),
      Around{Waited, Function.Lazy.Covers, any_of(all(R.ops), [](const Op &O) { return O.way.is_awaited; })},
      Ops(R.ops.count) {
    if (kesco_lane_sync_find(&R, &Plan, &Sync))
        report_bad_alloc_error("kesco: the events of a region");
    const bool MayReplay =
        Planned.may_replay || (Planned.joins && (Mode == KESCO_MODE_AUTO || Mode == KESCO_MODE_GRAPH));
    for (unsigned Op = 0; Op < R.ops.count; ++Op)
        Ops[Op].IsCollected = MayReplay && kesco_op_can_collect(&R.ops.items[Op]);
    if (kesco_scheduled_is_run(&Planned)) {
        Entered = regionConstant(*Function.F->getParent(), *Function.Named, Planned, Sync.event_count, Mode);
        describeOps(Function);
        if (Planned.may_replay || isPlaced() || !isOneLane())
            findPasses(*Function.F);
        IsMain = Function.Named->getName() == "main";
    }
}

RegionRewriter::~RegionRewriter() {
    kesco_lane_sync_clear(&Sync);
}

bool RegionRewriter::isOneLane() const {
    return kesco_scheduled_is_one_lane(&Planned);
}

/// The run places its ops.
bool RegionRewriter::isPlaced() const {
    return Planned.placed_lanes > 0;
}

void RegionRewriter::describeOps(FunctionAnalysis &Function) {
    SmallVector<uint32_t, 16> Beside = findBeside();
    for (unsigned Op = 0; Op < R.ops.count; ++Op)
        Ops[Op].Described = siteConstant(*Function.F->getParent(), *Function.Named, R.ops.items[Op], Op,
                                         Ops[Op].IsCollected ? &site(Op) : nullptr, Beside[Op]);
}

/// What ops have to do that may run beside each, in instructions of a thread.
SmallVector<uint32_t, 16> RegionRewriter::findBeside() {
    SmallVector<uint32_t, 16> Work, Beside(R.ops.count);
    if (isPlaced())
        return Beside; /* other passes may, but there may be none */
    for (const Op &O : all(R.ops))
        Work.push_back(O.op.kind == KESCO_OP_KERNEL ? O.work > 0 ? O.work : UINT32_MAX
                                                    : estimateTransfer(O, *Sites[O.call.site].Issue));
    if (kesco_beside_find(&Plan, Work.data(), Beside.data()))
        report_bad_alloc_error("kesco: ops that may run beside others");
    return Beside;
}

void RegionRewriter::runPrefetches() {
    for (const auto &[Op, P, IsOverwritten, IsPart] : all(R.fetches)) {
        const OpSite &S = site(Op);
        At = {S.Issue, S.Start->getDebugLoc()};
        call(AbiFunction::prefetch_device,
             {origin(Op, S.Start->getArgOperand(pushStreamOperand(*S.Start))), pointerOf(*S.Issue, P)});
    }
}

void RegionRewriter::run() {
    for (unsigned Op = 0; Op < R.ops.count; ++Op)
        if (!site(Op).isLaunch() && (!isOneLane() || Ops[Op].IsCollected))
            prepareTransfer(Op);
        else if (site(Op).isLaunch() && (Planned.may_replay || isPlaced()))
            leaveLaunchToRuntime(*site(Op).Issue);
    takeOutOvertakenOps();
    for (unsigned Place = 0; Place < Plan.op_count; ++Place)
        issue(Plan.sequence[Place], Place);
}

void RegionRewriter::keepSynchronousCalls() {
    for (unsigned Op = 0; Op < R.ops.count; ++Op)
        if (Ops[Op].Synchronous && Planned.joins) {
            Ops[Op].Synchronous->Original->deleteValue();
            if (R.ops.items[Op].call.is_plain_copy)
                leaveJoinedCopyToRuntime(*site(Op).Issue);
            else
                leaveJoinedTransferToRuntime(*site(Op).Issue, R.ops.items[Op].op.kind);
        } else if (Ops[Op].Synchronous)
            keepSynchronousCall(*site(Op).Issue, *Ops[Op].Synchronous, *laneOf(Op));
}

void RegionRewriter::leaveTransfersToRuntime() {
    for (unsigned Op = 0; Op < R.ops.count; ++Op) {
        if (site(Op).isLaunch() || !Ops[Op].IsCollected || (Ops[Op].Synchronous && Planned.joins))
            continue;
        leaveTransferToRuntime(*site(Op).Issue, R.ops.items[Op].op.kind);
        if (Ops[Op].Synchronous)
            leaveTransferToRuntime(*Ops[Op].Synchronous->Original, R.ops.items[Op].op.kind);
    }
}

OpSite &RegionRewriter::site(unsigned Op) {
    return Sites[R.ops.items[Op].call.site];
}

Value *RegionRewriter::laneOf(unsigned Op) const {
    return number(isPlaced() ? unsigned{KESCO_LANE_PLACED} : Plan.lane[Op]);
}

Value *RegionRewriter::number(unsigned N) const {
    return ConstantInt::get(Type::getInt32Ty(Context), N);
}

CallInst *RegionRewriter::call(AbiFunction F, ArrayRef<Value *> Arguments) {
    BuilderAt Builder(At);
    return callAbi(Builder, F, Arguments);
}

Value *RegionRewriter::pointerOf(const CallBase &Issue, const kesco_pointer &P) {
    BuilderAt Builder(At);
    return heldPointer(Builder, Issue, P);
}

/// The stream that the program asked for. Where 0 is the per-thread default stream, the runtime could not
/// tell a given 0 from the legacy one.
Value *RegionRewriter::origin(unsigned Op, Value *Asked) {
    auto *PerThread = ConstantExpr::getIntToPtr(cast<Constant>(number(PerThreadStream)), Asked->getType());
    if (R.origin == KESCO_ORIGIN_PER_THREAD)
        return PerThread;
    if (R.origin == KESCO_ORIGIN_LEGACY || !site(Op).PerThreadDefault)
        return Asked;
    BuilderAt Builder(At);
    return Builder.CreateSelect(Builder.CreateIsNull(Asked), PerThread, Asked);
}

/// Makes the call of an op that is no launch one that takes a stream and does not end a block.
void RegionRewriter::prepareTransfer(unsigned Op) {
    OpSite &S = site(Op);
    S.Issue = plainCall(*S.Issue);
    if (streamOperand(*S.Issue) < 0 && !isOneLane()) {
        Ops[Op].Synchronous = {cast<CallBase>(S.Issue->clone())};
        S.Issue = makeAsynchronous(*S.Issue);
    }
    S.Start = S.Issue;
}

/// An op that the plan issues after a later op of the program loses its place; its arguments stay.
void RegionRewriter::takeOutOvertakenOps() {
    unsigned Furthest = Plan.sequence[0];
    for (unsigned Place = 1; Place < Plan.op_count; ++Place) {
        unsigned Op = Plan.sequence[Place];
        if (Op < Furthest)
            takeOut(Op);
        else
            Furthest = Op;
    }
}

void RegionRewriter::takeOut(unsigned Op) {
    OpSite &S = site(Op);
    BasicBlock *Launch = S.Issue->getParent();
    for (Instruction &I : make_early_inc_range(*Launch))
        if (&I != S.Issue && !I.isTerminator())
            I.moveBefore(*S.Start->getParent(), S.Start->getIterator());
    Ops[Op].TakenOut = {cast<CallBase>(S.Start->clone()), cast<CallBase>(S.Issue->clone())};
    BranchInst::Create(S.End, S.Branch->getIterator())->setDebugLoc(S.Branch->getDebugLoc());
    S.Branch->eraseFromParent();
    S.Test->eraseFromParent();
    S.Start->eraseFromParent();
    DeleteDeadBlock(Launch);
}

/// Writes the op that the plan issues at \p Place, and all that belongs to it.
void RegionRewriter::issue(unsigned Op, unsigned Place) {
    /* A given stream may be another one each time. */
    const kesco_op_way &Way = R.ops.items[Place].way;
    bool Opens = Way.first || Way.called_back || R.origin == KESCO_ORIGIN_GIVEN;
    if (Ops[Op].TakenOut)
        issueAfterLast(Op, *Ops[Op].TakenOut, Opens);
    else
        issueInPlace(Op, Opens);
    prefetch(Op);
    Guards.write(R.ops.items[Op], site(Op), At.Location);
    place(Op);
    letHostWait(Op);
    if (kesco_lane_sync_is_cut(&Sync, Op) && !kesco_lane_sync_is_cut_next(&Sync, Place))
        pass(Op);
    if (Sync.event[Op] != KESCO_NO_EVENT)
        call(AbiFunction::record, {number(Sync.event[Op]), laneOf(Op)});
    finish(Op);
    if (Ops[Op].Synchronous)
        Ops[Op].Synchronous->Last = At.Next->getPrevNode();
}

void RegionRewriter::issueInPlace(unsigned Op, bool Opens) {
    OpSite &S = site(Op);
    Around.IsAwaited = R.ops.items[Op].way.is_awaited; /* what is issued after it is, too */
    At.Next = S.Start;
    waitAndChooseLane(Op, {S.Start, S.Issue}, Opens);
    At.Next = S.isLaunch() ? &*S.End->getFirstInsertionPt() : afterReturn(*S.Issue);
}

void RegionRewriter::issueAfterLast(unsigned Op, Calls Moved, bool Opens) {
    waitAndChooseLane(Op, Moved, Opens);
    Moved.Start->insertBefore(At.Next->getIterator());
    BuilderAt Builder(At);
    Value *Accepted = Builder.CreateICmpEQ(Moved.Start, Constant::getNullValue(Moved.Start->getType()));
    Moved.Issue->insertBefore(
        SplitBlockAndInsertIfThen(Accepted, At.Next->getIterator(), false)->getIterator());
    OpSite &S = site(Op);
    S.Start = Moved.Start;
    S.Issue = Moved.Issue;
    S.Test = cast<ICmpInst>(Accepted);
    S.Branch = cast<BranchInst>(Moved.Start->getParent()->getTerminator());
    S.End = At.Next->getParent();
}

/// The operand of \p Start that is the op's stream; less than 0 where it takes none.
static int streamOf(const OpSite &Site, const CallBase &Start) {
    return Site.isLaunch() ? static_cast<int>(pushStreamOperand(Start)) : streamOperand(Start);
}

void RegionRewriter::waitAndChooseLane(unsigned Op, Calls Of, bool Opens) {
    CallBase &Start = *Of.Start;
    At.Location = Start.getDebugLoc();
    const int Operand = streamOf(site(Op), Start);
    if (Ops[Op].BeginsPass)
        tellExpected();
    if (Opens)
        enter(Op, origin(Op, Operand < 0 ? ConstantPointerNull::get(PointerType::getUnqual(Context))
                                         : Start.getArgOperand(static_cast<unsigned>(Operand))));
    writeWaits(Op, Start, Opens);
    CallInst *Stream = chooseLane(Op, Of);
    if (site(Op).isLaunch() || !isOneLane())
        Start.setArgOperand(static_cast<unsigned>(Operand), Stream);
    if (Ops[Op].Synchronous)
        Ops[Op].Synchronous->Lane = Stream;
}

/// Before the op, which \p Start begins, and which may open the region: what the runtime has to know and to
/// wait for.
void RegionRewriter::writeWaits(unsigned Op, const CallBase &Start, bool Opens) {
    auto Covered = R.Lazy.empty() ? Around.Covers.end() : Around.Covers.find(R.ops.items[Op].call.site);
    if (Covered != Around.Covers.end() && (Opens || !Covered->second.IsFresh))
        call(AbiFunction::cover, {number(howToCover(Covered->second))});
    if (!isOneLane() && Around.SomeAwaited)
        call(AbiFunction::awaited, {number(Around.IsAwaited)});
    for (const kesco_pointer &P : all(R.ops.items[Op].memory.ends))
        call(AbiFunction::copied, {pointerOf(Start, P)});
    if (kesco_lane_sync_is_aligned(&Sync, Op))
        call(AbiFunction::align, {});
    SmallVector<uint32_t, 8> On(Plan.sync.wait_count);
    On.truncate(kesco_lane_sync_waits(&Sync, Op, On.data()));
    for (uint32_t Earlier : On)
        call(AbiFunction::wait, {number(Sync.event[Earlier]), laneOf(Op)});
}

CallInst *RegionRewriter::chooseLane(unsigned Op, Calls Of) {
    BuilderAt Builder(At);
    Value *Amount = amountOf(Builder, R.ops.items[Op], *Of.Start, *Of.Issue);
    if (kesco_lane_sync_is_cut(&Sync, Op))
        return call(AbiFunction::origin, {Ops[Op].Described, Amount});
    if (isPlaced())
        return call(AbiFunction::op, {Ops[Op].Described, Amount});
    return call(AbiFunction::lane, {laneOf(Op), Ops[Op].Described, Amount});
}

/// Finds where passes of loops begin: how many are to come shows whether lanes or graphs pay.
void RegionRewriter::findPasses(Function &F) {
    DominatorTree Dominators(F);
    const LoopInfo Loops(Dominators);
    SmallPtrSet<const Loop *, 8> Begun;
    for (unsigned Op = 0; Op < R.ops.count; ++Op) {
        const Loop *Pass = Loops.getLoopFor(site(Op).Start->getParent());
        if (Pass)
            Pass = Pass->getOutermostLoop();
        Ops[Op].BeginsPass = Pass && Begun.insert(Pass).second;
    }
}

/// What the loops around say.
void RegionRewriter::tellExpected() {
    BuilderAt Builder(At);
    DominatorTree Dominators(*At.Next->getFunction());
    if (Value *Left = entriesLeft(Builder, LoopInfo(Dominators), IsMain))
        call(AbiFunction::expect, {Entered, Left});
}

void RegionRewriter::enter(unsigned Op, Value *Stream) {
    if (Planned.joins) {
        call(AbiFunction::join, {number(!Planned.only_joins), Stream, Entered, number(KESCO_ENDS_NOT)});
        return;
    }
    CallBase *Action = Ops[Op].TakenOut ? nullptr : Around.Waited.lookup(R.ops.items[Op].call.site);
    if (R.origin == KESCO_ORIGIN_PER_THREAD)
        Action = nullptr;
    if (Action || (Action = R.Actions[Op]))
        call(AbiFunction::enter_behind, {Stream, Entered, Action});
    else
        call(AbiFunction::enter, {Stream, Entered});
}

/// Right before the op, on whose lane the memory is fetched.
void RegionRewriter::prefetch(unsigned Op) {
    CallBase *Issue = site(Op).Issue;
    for (const kesco_fetch &Fetch : all(R.fetches))
        if (Fetch.op == Op) {
            Instruction *After = std::exchange(At.Next, Issue);
            writeFetch(Fetch);
            At.Next = After;
        }
}

/// What else is used of the memory is fetched for that.
void RegionRewriter::writeFetch(const kesco_fetch &Fetch) {
    Value *Pointer = pointerOf(*site(Fetch.op).Issue, Fetch.pointer);
    BuilderAt Builder(At);
    std::optional<RangeValues> Bytes;
    if (Fetch.is_part)
        Bytes = rangeOf(Builder, site(Fetch.op), Fetch.pointer);
    if (Bytes)
        call(AbiFunction::fetch_part,
             {laneOf(Fetch.op), Pointer, number(Fetch.is_overwritten), Bytes->Begin, Bytes->End});
    else
        call(R.must_fetch           ? AbiFunction::prefetch
             : Fetch.is_overwritten ? AbiFunction::fetch_overwritten
                                    : AbiFunction::fetch,
             {laneOf(Fetch.op), Pointer});
}

/// After what the op accesses: what is no launch gets its stream.
void RegionRewriter::place(unsigned Op) {
    OpSite &S = site(Op);
    if (!isPlaced() || S.isLaunch())
        return;
    Instruction *After = std::exchange(At.Next, S.Issue);
    CallInst *Stream = call(AbiFunction::place, {});
    S.Issue->setArgOperand(static_cast<unsigned>(streamOperand(*S.Issue)), Stream);
    if (Ops[Op].Synchronous)
        Ops[Op].Synchronous->Lane = Stream;
    At.Next = After;
}

/// Before what the host does itself: it sees no order of streams.
void RegionRewriter::letHostWait(unsigned Op) {
    if (!R.ops.items[Op].host.may_copy || (Planned.joins && R.ops.items[Op].call.is_plain_copy))
        return;
    CallBase &Issue = *site(Op).Issue;
    if (isOneLane())
        letHostWaitFirst(Issue);
    else
        letHostWaitFirst(Issue, *Issue.getArgOperand(static_cast<unsigned>(streamOperand(Issue))));
}

/// After a launch on the origin, on which the lanes rely: where it did not take place, on something else.
/// One that another such launch comes after needs not be sure.
void RegionRewriter::pass(unsigned Op) {
    OpSite &S = site(Op);
    Instruction *After = std::exchange(At.Next, afterReturn(*S.Issue));
    call(AbiFunction::passed, {number(0)});
    At.Next = SplitEdge(S.Branch->getParent(), S.End)->getTerminator();
    call(AbiFunction::align, {});
    At.Next = After;
}

/// What the program's call waited for.
void RegionRewriter::finish(unsigned Op) {
    Value *Result = site(Op).Issue;
    kesco_host_wait Wait = R.ops.items[Op].host.wait;
    if (isOneLane()) {
        if (Wait == KESCO_HOST_WAIT_DONE)
            finishBy(*Result, number(0), KESCO_FINISH_DONE);
        return;
    }
    bool MayCallWait = Wait == KESCO_HOST_WAIT_UNSURE;
    bool Waits = Ops[Op].Synchronous && !Planned.joins &&
                 (Wait == KESCO_HOST_WAIT_DONE || R.ops.items[Op].host.waits_elsewhere);
    if (!MayCallWait && !Waits)
        return;
    unsigned When = MayCallWait                    ? KESCO_FINISH_CALL
                    : Wait == KESCO_HOST_WAIT_DONE ? KESCO_FINISH_ALWAYS
                                                   : KESCO_FINISH_SERIAL;
    finishBy(*Result, laneOf(Op), When);
}

/// The program has what the runtime makes of \p Result, of an op on \p Lane: KESCO_FINISH_ \p When.
void RegionRewriter::finishBy(Value &Result, Value *Lane, unsigned When) {
    CallInst *Finished = call(AbiFunction::finish, {Lane, number(When), &Result});
    Result.replaceUsesWithIf(Finished, [&](Use &U) { return U.getUser() != Finished; });
}

} // namespace kesco
