#include "plugin/code/sync_motion.h"

#include "plugin/code/runtime_abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace kesco {

SyncMover::SyncMover(Function &F, const SyncElision &Found, ArrayRef<CallBase *> Calls, bool MayReplay)
    : F(F), Found(Found), Calls(Calls), MayReplay(MayReplay), Builder(F.getContext()) {
    for (Reach Of : {Reach::Device, Reach::DefaultStream})
        if (any_of(Calls, [&](CallBase *Call) {
                const MovedSync &Moved = Found.Moved.find(Call)->second;
                return Moved.Of == Of && (Moved.Looks || any_of(Moved.Before, [&](unsigned Site) {
                                              return Found.unseenBy(Of).LookingSites.contains(Site);
                                          }));
            }))
            addFlag(Of);
}

void SyncMover::addFlag(Reach Of) {
    Builder.SetInsertPointPastAllocas(&F);
    AllocaInst *Flag = Builder.CreateAlloca(Builder.getInt1Ty());
    Builder.CreateStore(Builder.getTrue(), Flag);
    Flags[static_cast<unsigned>(Of)] = Flag;
    for (Instruction *Source : Found.unseenBy(Of).Sources)
        setFlag(Of, true, *Source);
    for (Instruction *Wait : Found.unseenBy(Of).Waits)
        setFlag(Of, false, *Wait);
}

void SyncMover::setFlag(Reach Of, bool Value, Instruction &Before) {
    if (!flag(Of))
        return;
    Builder.SetInsertPoint(&Before);
    Builder.CreateStore(Builder.getInt1(Value), flag(Of));
}

void SyncMover::settleBefore(Instruction &Wait) {
    if (!MayReplay)
        return;
    IRBuilder<> Here(&Wait);
    callAbi(Here, AbiFunction::settle);
}

/// The same call in another place: what the original computes its arguments from may not be there.
CallInst *SyncMover::cloneBefore(Instruction &Before, CallBase &Call) {
    auto *Clone = cast<CallInst>(Call.clone());
    const MovedSync &Moved = Found.Moved.find(&Call)->second;
    for (unsigned I = 0; I < Moved.Arguments.size(); ++I)
        Clone->setArgOperand(I, Moved.Arguments[I]);
    Clone->insertBefore(Before.getIterator());
    settleBefore(*Clone);
    return Clone;
}

/// Makes \p Call wait before \p Op, if it has to. \returns the call that does so each time; null if it looks.
CallBase *SyncMover::hoistOne(CallBase &Call, unsigned Site, const OpSite &Op) {
    Reach Of = Found.Moved.find(&Call)->second.Of;
    Instruction *Before = Op.Start;
    bool Looks = Found.unseenBy(Of).LookingSites.contains(Site);
    if (Looks) {
        Builder.SetInsertPoint(Before);
        Value *IsUnseen = Builder.CreateLoad(Builder.getInt1Ty(), flag(Of));
        Before = SplitBlockAndInsertIfThen(IsUnseen, Before, /*Unreachable=*/false);
    }
    CallInst *Made = cloneBefore(*Before, Call);
    setFlag(Of, false, *Before);
    return Looks ? nullptr : Made;
}

DenseMap<unsigned, CallBase *> SyncMover::hoist(ArrayRef<OpSite> Sites) {
    DenseMap<unsigned, CallBase *> Made;
    SmallSet<std::pair<Reach, unsigned>, 4> Done;
    for (CallBase *Call : Calls) {
        const MovedSync &Moved = Found.Moved.find(Call)->second;
        for (unsigned Site : Moved.Before)
            if (Done.insert({Moved.Of, Site}).second)
                if (CallBase *Each = hoistOne(*Call, Site, Sites[Site]))
                    Made[Site] = Each;
    }
    return Made;
}

/// Moves \p Call to where control leaves loops, if control came by it in them.
void SyncMover::sink(CallBase &Call, const MovedSync &Moved) {
    DominatorTree Dominance(F);
    LoopInfo Loops(Dominance);
    SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Exits;
    loopToLeave(Call, Moved.LoopsToLeave, Loops)->getExitEdges(Exits);
    Builder.SetInsertPointPastAllocas(&F);
    Value *IsOwed = Builder.CreateAlloca(Builder.getInt1Ty());
    Builder.CreateStore(Builder.getFalse(), IsOwed);
    SmallVector<Instruction *, 4> Ends; /* of the blocks that are made on the ways out */
    for (const auto &[From, To] : Exits) {
        bool IsCertain = !Moved.Looks && Dominance.dominates(&Call, From->getTerminator());
        Ends.push_back(SplitEdge(From, To)->getTerminator());
        if (IsCertain)
            continue;
        Builder.SetInsertPoint(Ends.back());
        Ends.back() = SplitBlockAndInsertIfThen(Builder.CreateLoad(Builder.getInt1Ty(), IsOwed), Ends.back(),
                                                /*Unreachable=*/false);
    }
    for (Instruction *End : Ends) {
        cloneBefore(*End, Call);
        new StoreInst(Builder.getFalse(), IsOwed, End->getIterator());
    }
    Builder.SetInsertPoint(&Call);
    Value *Owes = Builder.getTrue();
    if (Moved.Looks)
        Owes = Builder.CreateNot(Builder.CreateLoad(Builder.getInt1Ty(), flag(Moved.Of)));
    Builder.CreateStore(Owes, IsOwed);
}

void SyncMover::take(CallBase &Call, const MovedSync &Moved) {
    if (Moved.LoopsToLeave > 0)
        sink(Call, Moved);
    if (!Moved.Looks) {
        Call.eraseFromParent();
        return;
    }
    Builder.SetInsertPoint(&Call);
    Value *IsUnseen = Builder.CreateLoad(Builder.getInt1Ty(), flag(Moved.Of));
    Instruction *Unseen = SplitBlockAndInsertIfThen(IsUnseen, Call.getIterator(), false);
    Call.moveBefore(*Unseen->getParent(), Unseen->getIterator());
    settleBefore(Call);
    setFlag(Moved.Of, false, Call);
}

void SyncMover::take() {
    for (CallBase *Call : Calls)
        take(*Call, Found.Moved.find(Call)->second);
}

} // namespace kesco
