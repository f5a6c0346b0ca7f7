#include "plugin/host/sync_elision.h"

#include "plugin/host/cuda_model.h"
#include "plugin/host/glue.h"
#include "plugin/host/normalise.h"
#include "plugin/host/op_flow.h"
#include "plugin/host/transfers.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace kesco {

namespace {

/// How much a call lets the host wait for; each waits for what the ones before it do.
enum Reach { Nothing, DefaultStream, Device };

class IdleSyncFinder {
  public:
    IdleSyncFinder(const Function &Copy, const LoopInfo &Loops, ArrayRef<OpSite> Sites,
                   function_ref<bool(const CallBase &)> IsUnused)
        : Loops(Loops), HasOneStream(haveOneStream(Copy, Sites)) {
        if (makesUnorderedStreams(*Copy.getParent()))
            return;
        for (const Instruction &I : instructions(Copy)) {
            const auto *Call = dyn_cast<CallBase>(&I);
            if (Call && synchronises(*Call) && reachOf(*Call) != Nothing && IsUnused(*Call))
                Candidates.insert(Call);
        }
    }

    IdleSyncs run() const {
        IdleSyncs Found;
        for (const Instruction *I : Candidates) {
            const auto &Call = cast<CallBase>(*I);
            if (isIdle(Call, nullptr)) {
                Found.Calls.insert(I);
            } else if (unsigned Count = loopsToLeave(Call)) {
                Found.Calls.insert(I);
                Found.LoopsToLeave[I] = Count;
            }
        }
        return Found;
    }

  private:
    /// True if streams are made that have no part in the default stream's order: then calls that synchronise
    /// may be what orders their ops, wherever those are issued.
    static bool makesUnorderedStreams(const Module &M) {
        return M.getFunction("cudaStreamCreateWithFlags") || M.getFunction("cudaStreamCreateWithPriority");
    }

    static bool synchronises(const CallBase &Call) {
        const ApiFunction *Api = lookUpApi(Call);
        return Api && Api->What == ApiFunction::Synchronises;
    }

    /// True if all ops go to the same stream, each time.
    static bool haveOneStream(const Function &Copy, ArrayRef<OpSite> Sites) {
        std::optional<Origin> One;
        for (const Instruction &I : instructions(Copy)) {
            const auto *Call = dyn_cast<CallBase>(&I);
            std::optional<unsigned> Site = Call ? NormalisedModule::siteOf(*Call) : std::nullopt;
            if (!Site || (Sites[*Site].isLaunch() && !isPushConfiguration(*Call)))
                continue;
            Origin Each = originOf(Sites[*Site], *Call);
            const auto *Made = dyn_cast_or_null<Instruction>(Each.Stream);
            if ((Made && !Made->getParent()->isEntryBlock()) || (One && !(*One == Each)))
                return false;
            One = Each;
        }
        return true;
    }

    static bool isDefaultStream(const Value &Stream) {
        std::optional<unsigned> Handle = constantStream(Stream);
        return Handle == 0u || Handle == LegacyStream;
    }

    /// The per-thread default stream waits for less than the legacy one, so it is left alone.
    static Reach reachOf(const CallBase &Call) {
        if (synchronises(Call)) {
            if (Call.arg_empty())
                return Device;
            StringRef Name = Call.getCalledFunction()->getName();
            return isDefaultStream(*Call.getArgOperand(0)) && !Name.ends_with("_ptsz") ? DefaultStream
                                                                                       : Nothing;
        }
        if (!isTransfer(Call) || usesPerThreadStream(Call))
            return Nothing;
        std::optional<Transfer> T = readTransfer(Call);
        bool Waits = T && T->IsSynchronous && (T->Way == Transfer::ToDevice || T->Way == Transfer::ToHost);
        return Waits && isNeverEmpty(Call, *T) ? DefaultStream : Nothing;
    }

    /// A copy of no bytes waits for nothing.
    static bool isNeverEmpty(const CallBase &Call, const Transfer &T) {
        auto IsNonZero = [&](int Operand) {
            return isKnownNonZero(Call.getArgOperand(static_cast<unsigned>(Operand)),
                                  SimplifyQuery(Call.getDataLayout()));
        };
        return all_of(T.Operands, [&](const TransferOperand &O) {
            return O.Size >= 0 && IsNonZero(O.Size) && (O.Height < 0 || IsNonZero(O.Height));
        });
    }

    /// How many loops around \p Sync nothing in them observes; 0 for none.
    unsigned loopsToLeave(const CallBase &Sync) const {
        unsigned Count = 0;
        for (const Loop *Around = Loops.getLoopFor(Sync.getParent()); Around && isIdle(Sync, Around);
             Around = Around->getParentLoop())
            ++Count;
        return Count;
    }

    /// True if nothing observes whether \p Sync waits: at all, or for \p Within, before control leaves that
    /// loop.
    bool isIdle(const CallBase &Sync, const Loop *Within) const {
        SmallPtrSet<const BasicBlock *, 16> Seen;
        SmallVector<BasicBlock::const_iterator, 16> Work = {std::next(Sync.getIterator())};
        while (!Work.empty()) {
            BasicBlock::const_iterator From = Work.pop_back_val();
            const BasicBlock *Block = From->getParent();
            bool Covered = false;
            for (auto I = From; I != Block->end() && !Covered; ++I) {
                const auto *Call = dyn_cast<CallBase>(&*I);
                Covered = Call && reachOf(*Call) >= reachOf(Sync);
                if (!Covered && observes(*I))
                    return false;
            }
            if (Covered)
                continue;
            for (const BasicBlock *Successor : successors(Block))
                if ((!Within || Within->contains(Successor)) && Seen.insert(Successor).second)
                    Work.push_back(Successor->begin());
        }
        return true;
    }

    static bool isOwnMemory(const Value *Pointer) {
        const Value *Base = getUnderlyingObject(Pointer);
        const auto *Global = dyn_cast<GlobalVariable>(Base);
        return (isPrivateMemory(Base) && !isCopied(*Base)) || (Global && Global->isConstant());
    }

    /// True if a copy is given \p Memory, which is private: CUDA leaves open whether an asynchronous one to
    /// or from pageable memory is done when the call returns.
    static bool isCopied(const Value &Memory) {
        SmallPtrSet<const Value *, 8> Seen = {&Memory};
        SmallVector<const Value *, 8> Work = {&Memory};
        while (!Work.empty())
            for (const User *U : Work.pop_back_val()->users()) {
                const auto *Call = dyn_cast<CallBase>(U);
                if (Call && isTransfer(*Call))
                    return true;
                if (U->getType()->isPointerTy() && !Call && Seen.insert(U).second)
                    Work.push_back(U);
            }
        return false;
    }

    /// True if \p I could tell whether the device has finished something.
    bool observes(const Instruction &I) const {
        if (const auto *Call = dyn_cast<CallBase>(&I))
            return !Candidates.contains(Call) && observes(*Call);
        if (const auto *Load = dyn_cast<LoadInst>(&I))
            return !Load->isSimple() || !isOwnMemory(Load->getPointerOperand());
        if (const auto *Store = dyn_cast<StoreInst>(&I))
            return !Store->isSimple() || !isOwnMemory(Store->getPointerOperand());
        if (isa<BranchInst>(I) || isa<SwitchInst>(I))
            return false;
        return I.isTerminator() || I.mayReadOrWriteMemory() || I.mayHaveSideEffects();
    }

    /// Copies within the host need not keep to the order of a stream.
    bool observes(const CallBase &Call) const {
        if (NormalisedModule::siteOf(Call)) {
            std::optional<Transfer> T = isTransfer(Call) ? readTransfer(Call) : std::nullopt;
            return !HasOneStream || (isTransfer(Call) && (!T || T->Way == Transfer::Unknown));
        }
        if (isAllocation(Call))
            return false;
        if (const ApiFunction *Api = lookUpApi(Call))
            return Api->What != ApiFunction::Allocates;
        if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call);
            Intrinsic && Intrinsic->isAssumeLikeIntrinsic())
            return false;
        return !Call.doesNotAccessMemory() || !Call.doesNotThrow() || !Call.hasFnAttr(Attribute::WillReturn);
    }

    const LoopInfo &Loops;
    const bool HasOneStream;
    SmallPtrSet<const Instruction *, 4> Candidates;
};

} // namespace

IdleSyncs findIdleSyncs(const Function &Copy, const LoopInfo &Loops, ArrayRef<OpSite> Sites,
                        function_ref<bool(const CallBase &)> IsUnused) {
    return IdleSyncFinder(Copy, Loops, Sites, IsUnused).run();
}

/// The loop that control leaves with \p LoopsToLeave loops around \p Call.
static const Loop *loopToLeave(const CallBase &Call, unsigned LoopsToLeave, const LoopInfo &Loops) {
    const Loop *Around = Loops.getLoopFor(Call.getParent());
    while (Around && --LoopsToLeave > 0)
        Around = Around->getParentLoop();
    return Around;
}

using Edges = SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4>;

bool canSinkSync(CallBase &Call, unsigned LoopsToLeave, unsigned LoopCount) {
    DominatorTree Dominance(*Call.getFunction());
    LoopInfo Loops(Dominance);
    if (Loops.getLoopDepth(Call.getParent()) != LoopCount)
        return false;
    Edges Exits;
    loopToLeave(Call, LoopsToLeave, Loops)->getExitEdges(Exits);
    return all_of(Exits, [](const auto &Edge) {
        return !Edge.second->isEHPad() && !isa<IndirectBrInst>(Edge.first->getTerminator());
    });
}

void sinkSync(CallBase &Call, unsigned LoopsToLeave) {
    DominatorTree Dominance(*Call.getFunction());
    LoopInfo Loops(Dominance);
    Edges Exits;
    loopToLeave(Call, LoopsToLeave, Loops)->getExitEdges(Exits);
    IRBuilder<> Builder(Call.getContext());
    Builder.SetInsertPointPastAllocas(Call.getFunction());
    Value *IsOwed = Builder.CreateAlloca(Builder.getInt1Ty());
    Builder.CreateStore(Builder.getFalse(), IsOwed);
    SmallVector<Instruction *, 4> Ends; /* of the blocks that are made on the ways out */
    for (const auto &[From, To] : Exits) {
        bool IsCertain = Dominance.dominates(&Call, From->getTerminator());
        Ends.push_back(SplitEdge(From, To)->getTerminator());
        if (IsCertain)
            continue;
        Builder.SetInsertPoint(Ends.back());
        Ends.back() = SplitBlockAndInsertIfThen(Builder.CreateLoad(Builder.getInt1Ty(), IsOwed), Ends.back(),
                                                /*Unreachable=*/false);
    }
    for (Instruction *End : Ends) {
        Call.clone()->insertBefore(End->getIterator());
        new StoreInst(Builder.getFalse(), IsOwed, End->getIterator());
    }
    Builder.SetInsertPoint(&Call);
    Builder.CreateStore(Builder.getTrue(), IsOwed);
    Call.eraseFromParent();
}

} // namespace kesco
