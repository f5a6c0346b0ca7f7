#include "plugin/code/rewrite.h"

#include "plugin/code/region_constant.h"
#include "plugin/code/site_constant.h"
#include "plugin/code/sync_motion.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_library.h"
#include "plugin/cuda/stream_action.h"
#include "plugin/cuda/transfers.h"
#include "plugin/ir/kernel_stub.h"
#include "runtime/kesco_abi.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kesco {

namespace {

/// The runtime's functions (runtime/kesco_abi.h), declared in the module that is rewritten.
struct RuntimeAbi {
    explicit RuntimeAbi(Module &M) {
        LLVMContext &Context = M.getContext();
        Type *Void = Type::getVoidTy(Context);
        Type *Pointer = PointerType::getUnqual(Context);
        Type *Number = Type::getInt32Ty(Context);
        AttributeList NoThrow =
            AttributeList::get(Context, AttributeList::FunctionIndex, {Attribute::NoUnwind});
        Enter = M.getOrInsertFunction(EnterName, NoThrow, Void, Pointer, Pointer);
        EnterBehind = M.getOrInsertFunction(EnterBehindName, NoThrow, Void, Pointer, Pointer, Number);
        Origin = M.getOrInsertFunction("__kesco1_origin", NoThrow, Pointer, Pointer);
        Passed = M.getOrInsertFunction("__kesco1_passed", NoThrow, Void, Number);
        Align = M.getOrInsertFunction("__kesco1_align", NoThrow, Void);
        Lane = M.getOrInsertFunction("__kesco1_lane", NoThrow, Pointer, Number, Pointer);
        Record = M.getOrInsertFunction("__kesco1_record", NoThrow, Void, Number, Number);
        Wait = M.getOrInsertFunction("__kesco1_wait", NoThrow, Void, Number, Number);
        Guard = M.getOrInsertFunction("__kesco1_guard", NoThrow, Void, Number, Number, Pointer);
        GuardRange = M.getOrInsertFunction("__kesco1_guard_range", NoThrow, Void, Number, Number, Pointer,
                                           Type::getInt64Ty(Context));
        Prefetch = M.getOrInsertFunction("__kesco1_prefetch", NoThrow, Void, Number, Pointer);
        PrefetchDevice = M.getOrInsertFunction("__kesco1_prefetch_device", NoThrow, Void, Pointer, Pointer);
        PrefetchHost = M.getOrInsertFunction("__kesco1_prefetch_host", NoThrow, Void, Pointer, Pointer);
        Copied = M.getOrInsertFunction("__kesco1_copied", NoThrow, Void, Pointer);
        Finish = M.getOrInsertFunction("__kesco1_finish", NoThrow, Number, Number, Number, Number);
        Leave = M.getOrInsertFunction(LeaveName, NoThrow, Void);
        LeaveByNext = M.getOrInsertFunction("__kesco1_leave_by_next", NoThrow, Void);
        LeaveBehind = M.getOrInsertFunction(LeaveBehindName, NoThrow, Void, Number);
    }

    static constexpr char EnterName[] = "__kesco1_enter";
    static constexpr char EnterBehindName[] = "__kesco1_enter_behind";
    static constexpr char LeaveName[] = "__kesco1_leave";
    static constexpr char LeaveBehindName[] = "__kesco1_leave_behind";

    FunctionCallee Enter, EnterBehind, Origin, Passed, Align, LeaveByNext, LeaveBehind, Lane, Record, Wait,
        Guard, GuardRange, Prefetch, PrefetchDevice, PrefetchHost, Copied, Finish, Leave;
};

/// Where control comes first behind \p Call when it has returned.
Instruction *behind(CallBase &Call) {
    auto *Invoke = dyn_cast<InvokeInst>(&Call);
    return Invoke ? SplitEdge(Invoke->getParent(), Invoke->getNormalDest())->getTerminator()
                  : Call.getNextNode();
}

class RegionRewriter {
  public:
    /// \p Waited: by site, a call right before the op that lets the host wait each time.
    RegionRewriter(FunctionAnalysis &Function, const Region &R, const kesco_plan &Plan,
                   const DenseMap<unsigned, CallBase *> &Waited)
        : Sites(Function.Sites), R(R), Plan(Plan), Waited(Waited), Abi(*Function.F->getParent()),
          Number(Type::getInt32Ty(Function.F->getContext())) {
        const auto Waits = ArrayRef(Plan.waits, Plan.wait_count);
        for (unsigned On : ArrayRef(Plan.records, Plan.record_count))
            if (any_of(Waits, [&](const kesco_wait &W) { return W.on == On && !areCutApart(W.op, On); }))
                Events.try_emplace(On, Events.size());
        if (Plan.lane_count > 1) {
            Entered = regionConstant(*Function.F->getParent(), *Function.Named, R, Plan, Events.size());
            for (const Op &O : R.Ops)
                Described.push_back(siteConstant(*Function.F->getParent(), *Function.Named, O));
        }
        for (const auto &[Checked, Other] : R.Guards) {
            Flags[Checked] |= KESCO_GUARD_CHECKED;
            Flags.try_emplace(Other);
        }
        for (unsigned I = 0; I < R.Objects.size(); ++I) {
            if (R.Objects[I].MustBePlain)
                Flags[I] |= KESCO_GUARD_PLAIN;
            if (R.Objects[I].Written && Flags.contains(I))
                Flags[I] |= KESCO_GUARD_WRITTEN;
        }
    }

    /// Writes nothing but what fetches memory: the plan is the program's order on the program's stream.
    void runPrefetches() {
        for (const auto &[Op, P] : R.PrefetchesToDevice) {
            const OpSite &S = site(Op);
            Next = S.Issue;
            Location = S.Start->getDebugLoc();
            call(Abi.PrefetchDevice,
                 {origin(Op, S.Start->getArgOperand(pushStreamOperand(*S.Start))), pointerOf(*S.Issue, P)});
        }
    }

    void run() {
        for (unsigned Op = 0; Op < R.Ops.size(); ++Op)
            if (!site(Op).isLaunch())
                prepareTransfer(Op);
        takeOutOvertakenOps();
        for (unsigned Place = 0; Place < Plan.op_count; ++Place) {
            unsigned Op = Plan.sequence[Place];
            /* A given stream may be another one each time. */
            bool Opens = R.Ops[Place].First || R.Ops[Place].CalledBack || R.From.What == Origin::Given;
            auto Moved = TakenOut.find(Op);
            if (Moved == TakenOut.end())
                issueInPlace(Op, Opens);
            else
                issueBehindLast(Op, Moved->second, Opens);
            prefetch(Op);
            guard(Op);
            if (isCut(Op) && !isAnotherCutNext(Place))
                pass(Op);
            if (Events.contains(Op))
                call(Abi.Record, {number(Events[Op]), number(Plan.lane[Op])});
            finish(Op);
        }
    }

  private:
    /// The two calls of a launch, out of the function.
    struct Calls {
        CallBase *Start;
        CallBase *Issue;
    };

    OpSite &site(unsigned Op) {
        return Sites[R.Ops[Op].Site];
    }

    bool hasCuts() const {
        return R.From.What == Origin::Legacy && Plan.lane_count > 1;
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

    CallInst *call(FunctionCallee Callee, ArrayRef<Value *> Arguments) {
        IRBuilder<> Builder(Next);
        Builder.SetCurrentDebugLocation(Location);
        return Builder.CreateCall(Callee, Arguments);
    }

    /// Right before the op, whose lane is chosen already: the runtime orders it by other means if need be.
    void guard(unsigned Op) {
        CallBase *Issue = site(Op).Issue;
        Instruction *Behind = std::exchange(Next, Issue);
        for (const PointerArgument &P : R.Ops[Op].Pointers) {
            if (!Flags.contains(P.Object) && !P.MustBeLocked)
                continue;
            unsigned Asked = Flags.lookup(P.Object) | (P.MustBeLocked ? KESCO_GUARD_LOCKED : 0u);
            if (P.Size < 0)
                call(Abi.Guard, {number(P.Object), number(Asked), pointerOf(*Issue, P)});
            else
                call(Abi.GuardRange, {number(P.Object), number(Asked | KESCO_GUARD_HOST),
                                      pointerOf(*Issue, P), extentOf(*Issue, P)});
        }
        Next = Behind;
    }

    /// How many bytes from its pointer on a copy or memset touches.
    Value *extentOf(const CallBase &Call, const PointerArgument &P) {
        IRBuilder<> Builder(Next);
        Builder.SetCurrentDebugLocation(Location);
        Value *Width = Call.getArgOperand(static_cast<unsigned>(P.Size));
        if (P.Pitch < 0)
            return Width;
        Value *Rows = Call.getArgOperand(static_cast<unsigned>(P.Height));
        Value *Before = Builder.CreateMul(Call.getArgOperand(static_cast<unsigned>(P.Pitch)),
                                          Builder.CreateSub(Rows, Builder.getInt64(1)));
        return Builder.CreateSelect(Builder.CreateIsNull(Rows), Rows, Builder.CreateAdd(Before, Width));
    }

    /// True if only a launch on the origin can come behind the op that is issued at \p Place.
    bool isAnotherCutNext(unsigned Place) const {
        const auto &Places = R.Ops[Place].Next;
        return Places.size() == 1 && isCut(Plan.sequence[Places.front()]);
    }

    /// Behind a launch on the origin, on which the lanes rely: where it did not take place, on something
    /// else. One that another such launch comes behind needs not be sure.
    void pass(unsigned Op) {
        OpSite &S = site(Op);
        Instruction *Behind = std::exchange(Next, behind(*S.Issue));
        call(Abi.Passed, {number(0)});
        Next = SplitEdge(S.Branch->getParent(), S.End)->getTerminator();
        call(Abi.Align, {});
        Next = Behind;
    }

    /// Right before the op, on whose lane the memory is fetched.
    void prefetch(unsigned Op) {
        CallBase *Issue = site(Op).Issue;
        for (const auto &[First, P] : R.PrefetchesToDevice)
            if (First == Op) {
                Instruction *Behind = std::exchange(Next, Issue);
                call(Abi.Prefetch, {number(Plan.lane[Op]), pointerOf(*Issue, P)});
                Next = Behind;
            }
    }

    /// What the program's call waited for.
    void finish(unsigned Op) {
        Value *Result = site(Op).Issue;
        HostWait Wait = R.Ops[Op].Wait;
        bool MayCallWait = Wait == HostWait::Unsure;
        bool Waits = Synchronous.contains(Op) && (Wait == HostWait::Done || R.Ops[Op].WaitsElsewhere);
        if (!MayCallWait && !Waits)
            return;
        unsigned When = MayCallWait              ? KESCO_FINISH_CALL
                        : Wait == HostWait::Done ? KESCO_FINISH_ALWAYS
                                                 : KESCO_FINISH_SERIAL;
        CallInst *Finished = call(Abi.Finish, {number(Plan.lane[Op]), number(When), Result});
        Result->replaceUsesWithIf(Finished, [&](Use &U) { return U.getUser() != Finished; });
    }

    /// Makes the call of an op that is no launch one that takes a stream and does not end a block.
    void prepareTransfer(unsigned Op) {
        OpSite &S = site(Op);
        if (auto *Invoke = dyn_cast<InvokeInst>(S.Issue))
            S.Issue = changeToCall(Invoke);
        if (streamOperand(*S.Issue) < 0) {
            Synchronous.insert(Op);
            S.Issue = makeAsynchronous(*S.Issue);
        }
        S.Start = S.Issue;
    }

    /// The call that does what \p Old, a synchronous transfer, does, on a stream that is still to be given.
    CallBase *makeAsynchronous(CallBase &Old) {
        IRBuilder<> Builder(&Old);
        SmallVector<Value *, 8> Operands(Old.args());
        SmallVector<Type *, 8> Types(Old.getFunctionType()->params());
        Operands.push_back(ConstantPointerNull::get(Builder.getPtrTy()));
        Types.push_back(Builder.getPtrTy());
        CallInst *New =
            Builder.CreateCall(Old.getModule()->getOrInsertFunction(
                                   asynchronousName(Old), FunctionType::get(Old.getType(), Types, false)),
                               Operands);
        New->setDebugLoc(Old.getDebugLoc());
        Old.replaceAllUsesWith(New);
        Old.eraseFromParent();
        return New;
    }

    Value *pointerOf(const CallBase &Issue, const PointerArgument &P) {
        Value *Operand = Issue.getArgOperand(P.Argument);
        if (!P.Offset)
            return Operand;
        IRBuilder<> Builder(Next);
        Builder.SetCurrentDebugLocation(Location);
        return Builder.CreateLoad(Builder.getPtrTy(),
                                  Builder.CreatePtrAdd(Operand, Builder.getInt64(*P.Offset)));
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
                I.moveBefore(S.Start->getIterator());
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
        if (R.From.What == Origin::PerThread)
            return PerThread;
        if (R.From.What == Origin::Legacy || !site(Op).PerThreadDefault)
            return Asked;
        IRBuilder<> Builder(Next);
        Builder.SetCurrentDebugLocation(Location);
        return Builder.CreateSelect(Builder.CreateIsNull(Asked), PerThread, Asked);
    }

    void waitAndChooseLane(unsigned Op, CallBase *Start, bool Opens) {
        Location = Start->getDebugLoc();
        unsigned Operand = site(Op).isLaunch() ? pushStreamOperand(*Start) : streamOperand(*Start);
        if (Opens)
            enter(Op, origin(Op, Start->getArgOperand(Operand)));
        for (const PointerArgument &P : R.Ops[Op].Ends)
            call(Abi.Copied, {pointerOf(*Start, P)});
        if (hasCuts() && Plan.cut.aligned[Op])
            call(Abi.Align, {});
        for (unsigned On : waitsOf(Op))
            call(Abi.Wait, {number(Events[On]), number(Plan.lane[Op])});
        Start->setArgOperand(Operand, isCut(Op) ? call(Abi.Origin, {Described[Op]})
                                                : call(Abi.Lane, {number(Plan.lane[Op]), Described[Op]}));
    }

    void enter(unsigned Op, Value *Stream) {
        CallBase *Action = TakenOut.contains(Op) ? nullptr : Waited.lookup(R.Ops[Op].Site);
        if (R.From.What == Origin::PerThread)
            Action = nullptr;
        if (Action || (Action = R.Ops[Op].Action))
            call(Abi.EnterBehind, {Stream, Entered, Action});
        else
            call(Abi.Enter, {Stream, Entered});
    }

    void issueInPlace(unsigned Op, bool Opens) {
        OpSite &S = site(Op);
        Next = S.Start;
        waitAndChooseLane(Op, S.Start, Opens);
        Next = S.isLaunch() ? &*S.End->getFirstInsertionPt() : S.Issue->getNextNode();
    }

    void issueBehindLast(unsigned Op, Calls Moved, bool Opens) {
        waitAndChooseLane(Op, Moved.Start, Opens);
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
    const DenseMap<unsigned, CallBase *> &Waited;
    RuntimeAbi Abi;
    Type *Number;
    DenseMap<unsigned, unsigned> Events;   ///< event of each op that a wait is made for
    DenseMap<unsigned, unsigned> Flags;    ///< of the objects that are guarded
    DenseMap<unsigned, Calls> TakenOut;    ///< ops that are issued behind a later one
    SmallVector<Constant *, 16> Described; ///< by op, what the runtime is told of it
    Constant *Entered = nullptr;           ///< what the runtime is told of the region
    SmallSet<unsigned, 8> Synchronous;     ///< ops whose calls the program made synchronously
    Instruction *Next = nullptr;           ///< what is written goes before this instruction
    DebugLoc Location;                     ///< of the launch that is being written
};

/// Writes the calls that close regions.
class RegionCloser {
  public:
    explicit RegionCloser(Function &F) : F(F), Abi(*F.getParent()) {
    }

    /// Before anything else is written: what is written later for a launch stands behind the call.
    void closeBefore(Instruction &Barrier) {
        leave(&Barrier, Barrier.getDebugLoc());
    }

    /// The same where the barrier may do itself what closing would (stream_action.h).
    void closeAround(CallBase &Barrier) {
        IRBuilder<> Builder(&Barrier);
        Builder.CreateCall(Abi.LeaveByNext, {});
        Builder.SetInsertPoint(behind(Barrier));
        Builder.SetCurrentDebugLocation(Barrier.getDebugLoc());
        Builder.CreateCall(Abi.LeaveBehind, {&Barrier});
    }

    /// Once all launches are written: where the function returns or throws with a region open.
    void closeAtExits() {
        SmallPtrSet<BasicBlock *, 16> Open = blocksThatBeginOpen();
        SmallVector<Instruction *, 8> Exits;
        for (BasicBlock &Block : F)
            visit(Block, Open.contains(&Block), [&](Instruction &I, bool IsOpen) {
                if (IsOpen && (isEnd(I) || mayUnwind(I)))
                    Exits.push_back(&I);
            });
        for (Instruction *Exit : Exits) {
            if (isEnd(*Exit))
                leave(lastOf(*Exit), Exit->getDebugLoc());
            else if (auto *Invoke = dyn_cast<InvokeInst>(Exit))
                closeAtPad(*Invoke);
            else if (auto *Call = dyn_cast<CallInst>(Exit))
                changeToInvokeAndSplitBasicBlock(Call, cleanup(Call->getDebugLoc()));
        }
    }

  private:
    void leave(Instruction *Before, const DebugLoc &Location) {
        IRBuilder<> Builder(Before);
        Builder.SetCurrentDebugLocation(Location);
        Builder.CreateCall(Abi.Leave, {});
    }

    static StringRef calleeName(const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        return Callee ? Callee->getName() : StringRef();
    }

    /// Calls \p See for each instruction of \p Block with whether a region may be open before it. Returns
    /// whether one may be open at the end.
    template <typename Visitor>
    static bool visit(BasicBlock &Block, bool IsOpen, Visitor See) {
        for (Instruction &I : Block) {
            See(I, IsOpen);
            StringRef Name = calleeName(I);
            if (Name == RuntimeAbi::EnterName || Name == RuntimeAbi::EnterBehindName)
                IsOpen = true;
            else if (Name == RuntimeAbi::LeaveName || Name == RuntimeAbi::LeaveBehindName)
                IsOpen = false;
        }
        return IsOpen;
    }

    SmallPtrSet<BasicBlock *, 16> blocksThatBeginOpen() {
        SmallPtrSet<BasicBlock *, 16> Open;
        SmallVector<BasicBlock *, 16> Work;
        for (BasicBlock &Block : F)
            Work.push_back(&Block);
        while (!Work.empty()) {
            BasicBlock *Block = Work.pop_back_val();
            if (!visit(*Block, Open.contains(Block), [](Instruction &, bool) {}))
                continue;
            for (BasicBlock *Successor : successors(Block))
                if (Open.insert(Successor).second)
                    Work.push_back(Successor);
        }
        return Open;
    }

    /// True where the function ends: it returns, goes on with an exception, or calls what ends the program.
    static bool isEnd(const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        return isa<ReturnInst>(I) || isa<ResumeInst>(I) ||
               (Call && Call->doesNotReturn() && !isa<IntrinsicInst>(I));
    }

    /// The last place before \p End where a call may stand: nothing does between a call that must be a tail
    /// call and the return.
    static Instruction *lastOf(Instruction &End) {
        CallInst *Tail = isa<ReturnInst>(End) ? End.getParent()->getTerminatingMustTailCall() : nullptr;
        return Tail ? Tail : &End;
    }

    /// CUDA's functions and C's do not throw, whatever their declarations leave open.
    bool mayUnwind(const Instruction &I) const {
        const auto *Call = dyn_cast<CallBase>(&I);
        if (!Call || isa<InvokeInst>(I))
            return Call != nullptr;
        if (F.doesNotThrow() || Call->doesNotThrow() || Call->isInlineAsm() || Call->isMustTailCall())
            return false;
        const Function *Callee = Call->getCalledFunction();
        if (!Callee)
            return true;
        StringRef Name = Callee->getName();
        bool IsC = isHostLibraryFunction(*Callee) && !Name.starts_with("_Z") && !Name.starts_with("__cxa");
        return !IsC && !lookUpApi(*Call) && !isPushConfiguration(*Call) && !isKernelStub(*Callee);
    }

    void closeAtPad(const InvokeInst &Invoke) {
        BasicBlock *Pad = Invoke.getUnwindDest();
        if (Pad->isLandingPad() && Closed.insert(Pad).second)
            leave(&*Pad->getFirstInsertionPt(), Invoke.getDebugLoc());
    }

    /// The block where exceptions that nothing in the function would see pass through.
    BasicBlock *cleanup(const DebugLoc &Location) {
        if (Cleanup)
            return Cleanup;
        LLVMContext &Context = F.getContext();
        if (!F.hasPersonalityFn()) {
            FunctionType *Type = FunctionType::get(Type::getInt32Ty(Context), true);
            F.setPersonalityFn(
                cast<Constant>(F.getParent()->getOrInsertFunction("__gxx_personality_v0", Type).getCallee()));
        }
        Cleanup = BasicBlock::Create(Context, "", &F);
        IRBuilder<> Builder(Cleanup);
        Builder.SetCurrentDebugLocation(Location);
        LandingPadInst *Pad = Builder.CreateLandingPad(
            StructType::get(Builder.getPtrTy(), Builder.getInt32Ty()), /*NumClauses=*/0);
        Pad->setCleanup(true);
        Builder.CreateCall(Abi.Leave, {});
        Builder.CreateResume(Pad);
        return Cleanup;
    }

    Function &F;
    RuntimeAbi Abi;
    BasicBlock *Cleanup = nullptr;
    SmallPtrSet<BasicBlock *, 4> Closed; ///< landing pads that close
};

} // namespace

/// Fetches memory to the host right before the call that synchronises, on the stream that it waits for.
static void writePrefetchesToHost(const Region &R, const RuntimeAbi &Abi) {
    for (const auto &[Call, Variable] : R.PrefetchesToHost) {
        IRBuilder<> Builder(Call);
        Value *Stream = cast<CallBase>(Call)->arg_empty() ? ConstantPointerNull::get(Builder.getPtrTy())
                                                          : cast<CallBase>(Call)->getArgOperand(0);
        Builder.CreateCall(Abi.PrefetchHost, {Stream, Builder.CreateLoad(Builder.getPtrTy(), Variable)});
    }
}

void rewriteRegions(FunctionAnalysis &Function, ArrayRef<PlannedRegion> Regions) {
    RegionCloser Closer(*Function.F);
    SmallSetVector<Instruction *, 8> Barriers;
    for (const PlannedRegion &Planned : Regions)
        if (Planned.Plan->lane_count > 1)
            Barriers.insert_range(Planned.R->Barriers);
    for (Instruction *Barrier : Barriers)
        if (actsOnLegacyStream(*Barrier) && !cast<CallBase>(Barrier)->isMustTailCall())
            Closer.closeAround(*cast<CallBase>(Barrier));
        else
            Closer.closeBefore(*Barrier);
    for (const PlannedRegion &Planned : Regions)
        writePrefetchesToHost(*Planned.R, RuntimeAbi(*Function.F->getParent()));
    SmallSetVector<CallBase *, 4> Elided;
    for (const PlannedRegion &Planned : Regions)
        if (Planned.Plan->lane_count > 1)
            Elided.insert_range(Planned.R->Elided);
    SyncMover Mover(*Function.F, Function.Syncs, Elided.getArrayRef());
    const DenseMap<unsigned, CallBase *> Waited = Mover.hoist(Function.Sites);
    for (const PlannedRegion &Planned : Regions) {
        RegionRewriter Rewriter(Function, *Planned.R, *Planned.Plan, Waited);
        if (Planned.Plan->lane_count > 1)
            Rewriter.run();
        else
            Rewriter.runPrefetches();
    }
    Mover.take();
    Closer.closeAtExits();
}

} // namespace kesco
