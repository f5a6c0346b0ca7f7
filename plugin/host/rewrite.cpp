#include "plugin/host/rewrite.h"

#include "runtime/kesco_abi.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

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
        Begin = M.getOrInsertFunction("__kesco1_region_begin", NoThrow, Pointer, Number, Number);
        Lane = M.getOrInsertFunction("__kesco1_lane", NoThrow, Pointer, Pointer, Number);
        Record = M.getOrInsertFunction("__kesco1_record", NoThrow, Void, Pointer, Number, Number);
        Wait = M.getOrInsertFunction("__kesco1_wait", NoThrow, Void, Pointer, Number, Number);
        Guard = M.getOrInsertFunction("__kesco1_guard", NoThrow, Void, Pointer, Number, Number, Pointer);
        End = M.getOrInsertFunction("__kesco1_region_end", NoThrow, Void, Pointer);
    }

    FunctionCallee Begin, Lane, Record, Wait, Guard, End;
};

class RegionRewriter {
  public:
    RegionRewriter(FunctionAnalysis &Function, const Region &R, const kesco_plan &Plan)
        : Sites(Function.Sites), R(R), Plan(Plan), Abi(*Function.F->getParent()),
          Number(Type::getInt32Ty(Function.F->getContext())) {
        for (unsigned I = 0; I < Plan.record_count; ++I)
            Events[Plan.records[I]] = I;
        for (const auto &[Checked, Other] : R.Guards) {
            Flags[Checked] |= KESCO_GUARD_CHECKED;
            Flags.try_emplace(Other);
        }
        for (const Op &O : R.Ops)
            for (const Access &A : O.Accesses)
                if (A.Write && Flags.contains(A.Object))
                    Flags[A.Object] |= KESCO_GUARD_WRITTEN;
    }

    void run() {
        takeOutOvertakenOps();
        Next = site(Plan.sequence[0]).Push;
        Instance = call(Abi.Begin, {number(Plan.lane_count), number(Plan.record_count)});
        for (unsigned Place = 0; Place < Plan.op_count; ++Place) {
            unsigned Op = Plan.sequence[Place];
            auto Moved = TakenOut.find(Op);
            if (Moved == TakenOut.end())
                issueInPlace(Op);
            else
                issueBehindLast(Op, Moved->second);
            guard(Op);
            if (Events.contains(Op))
                call(Abi.Record, {Instance, number(Events[Op]), number(Plan.lane[Op])});
        }
        call(Abi.End, {Instance});
        for (const RegionExit &Exit : R.Exits)
            endAt(Exit);
    }

  private:
    /// The two calls of a launch, out of the function.
    struct Calls {
        CallBase *Push;
        CallBase *Stub;
    };

    LaunchSite &site(unsigned Op) {
        return Sites[R.Ops[Op].Site];
    }

    Value *number(unsigned N) const {
        return ConstantInt::get(Number, N);
    }

    CallInst *call(FunctionCallee Callee, ArrayRef<Value *> Arguments) {
        IRBuilder<> Builder(Next);
        Builder.SetCurrentDebugLocation(Location);
        return Builder.CreateCall(Callee, Arguments);
    }

    /// Right before the launch, whose lane is chosen already: the runtime orders it by other means if need
    /// be.
    void guard(unsigned Op) {
        CallBase *Stub = site(Op).Stub;
        Instruction *Behind = std::exchange(Next, Stub);
        for (const PointerArgument &P : R.Ops[Op].Pointers)
            if (Flags.contains(P.Object))
                call(Abi.Guard,
                     {Instance, number(P.Object), number(Flags[P.Object]), Stub->getArgOperand(P.Argument)});
        Next = Behind;
    }

    void endAt(const RegionExit &Exit) {
        BasicBlock *Edge = SplitCriticalEdge(Exit.Terminator, Exit.Index);
        Next = &*(Edge ? Edge : Exit.Terminator->getSuccessor(Exit.Index))->getFirstInsertionPt();
        Location = Exit.Terminator->getDebugLoc();
        call(Abi.End, {Instance});
    }

    /// An op that the plan issues behind a later op of the program loses its place; its arguments stay.
    void takeOutOvertakenOps() {
        unsigned Furthest = Plan.sequence[0];
        Location = site(Furthest).Push->getDebugLoc();
        for (unsigned Place = 1; Place < Plan.op_count; ++Place) {
            unsigned Op = Plan.sequence[Place];
            if (Op < Furthest)
                takeOut(Op);
            else
                Furthest = Op;
        }
    }

    void takeOut(unsigned Op) {
        LaunchSite &S = site(Op);
        BasicBlock *Launch = S.Stub->getParent();
        for (Instruction &I : make_early_inc_range(*Launch))
            if (&I != S.Stub && !I.isTerminator())
                I.moveBefore(S.Push->getIterator());
        TakenOut[Op] = {cast<CallBase>(S.Push->clone()), cast<CallBase>(S.Stub->clone())};
        BranchInst::Create(S.End, S.Branch->getIterator())->setDebugLoc(S.Branch->getDebugLoc());
        S.Branch->eraseFromParent();
        S.Test->eraseFromParent();
        S.Push->eraseFromParent();
        DeleteDeadBlock(Launch);
    }

    void waitAndChooseLane(unsigned Op, CallBase *Push) {
        Location = Push->getDebugLoc();
        for (unsigned I = 0; I < Plan.wait_count; ++I)
            if (Plan.waits[I].op == Op)
                call(Abi.Wait, {Instance, number(Events[Plan.waits[I].on]), number(Plan.lane[Op])});
        Push->setArgOperand(PushStreamOperand, call(Abi.Lane, {Instance, number(Plan.lane[Op])}));
    }

    void issueInPlace(unsigned Op) {
        LaunchSite &S = site(Op);
        Next = S.Push;
        waitAndChooseLane(Op, S.Push);
        Next = &*S.End->getFirstInsertionPt();
    }

    void issueBehindLast(unsigned Op, Calls Moved) {
        waitAndChooseLane(Op, Moved.Push);
        Moved.Push->insertBefore(Next->getIterator());
        IRBuilder<> Builder(Next);
        Builder.SetCurrentDebugLocation(Location);
        Value *Accepted = Builder.CreateICmpEQ(Moved.Push, Constant::getNullValue(Moved.Push->getType()));
        Moved.Stub->insertBefore(
            SplitBlockAndInsertIfThen(Accepted, Next->getIterator(), false)->getIterator());
    }

    MutableArrayRef<LaunchSite> Sites;
    const Region &R;
    const kesco_plan &Plan;
    RuntimeAbi Abi;
    Type *Number;
    DenseMap<unsigned, unsigned> Events; ///< event of each op that is recorded
    DenseMap<unsigned, unsigned> Flags;  ///< of the objects that are guarded
    DenseMap<unsigned, Calls> TakenOut;  ///< ops that are issued behind a later one
    Value *Instance = nullptr;           ///< the region instance
    Instruction *Next = nullptr;         ///< what is written goes before this instruction
    DebugLoc Location;                   ///< of the launch that is being written
};

} // namespace

void rewriteRegion(FunctionAnalysis &Function, const Region &R, const kesco_plan &Plan) {
    RegionRewriter(Function, R, Plan).run();
}

} // namespace kesco
