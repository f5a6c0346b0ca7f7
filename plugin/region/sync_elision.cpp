#include "plugin/region/sync_elision.h"

#include "plugin/copy/normalise.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/host_library.h"
#include "plugin/cuda/transfers.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/walk.h"
#include "plugin/region/op_flow.h"
#include "plugin/region/unseen_work.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kesco {

const Loop *loopToLeave(const CallBase &Call, unsigned LoopsToLeave, const LoopInfo &Loops) {
    const Loop *Around = Loops.getLoopFor(Call.getParent());
    while (Around && --LoopsToLeave > 0)
        Around = Around->getParentLoop();
    return Around;
}

/// True if \p Call, of the original, can move to where control leaves \p LoopsToLeave of the \p LoopCount
/// loops that are around its copy.
static bool canSinkSync(CallBase &Call, unsigned LoopsToLeave, unsigned LoopCount) {
    DominatorTree Dominance(*Call.getFunction());
    LoopInfo Loops(Dominance);
    if (Loops.getLoopDepth(Call.getParent()) != LoopCount)
        return false;
    SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Exits;
    loopToLeave(Call, LoopsToLeave, Loops)->getExitEdges(Exits);
    return all_of(Exits, [](const auto &Edge) {
        return !Edge.second->isEHPad() && !isa<IndirectBrInst>(Edge.first->getTerminator());
    });
}

namespace {

class IdleSyncFinder {
  public:
    IdleSyncFinder(Function &F, ArrayRef<OpSite> Sites, NormalisedModule &Module, bool MayTrap,
                   const kesco_wait_options &Options, LeftSyncs *Left)
        : F(F), Module(Module), Copy(*Module.copyOf(F)), Sites(Sites), MayTrap(MayTrap),
          ClocksObserve(Options.clocks_observe), Left(Left),
          Loops(Module.analyses().getResult<LoopAnalysis>(Copy)),
          HasOneStream(findOneStream(Copy, Sites).has_value()) {
        for (const CallBase &Call : callsIn(Copy))
            if (synchronises(Call) && reachOf(Call) != Reach::Nothing && unusedOriginal(Call))
                Candidates.insert(&Call);
    }

    IdleSyncs run() {
        for (Reach Of : {Reach::Device, Reach::DefaultStream})
            findMoved(Of);
        return std::move(Result);
    }

  private:
    /// The call of the original that \p Call copies, if the program ignores its result.
    CallBase *unusedOriginal(const CallBase &Call) const {
        auto *Original = dyn_cast_or_null<CallInst>(Module.originalOf(F, Call));
        const Function *Callee = Original ? Original->getCalledFunction() : nullptr;
        return Callee && Original->use_empty() && Callee->getName() == Call.getCalledFunction()->getName()
                   ? Original
                   : nullptr;
    }

    /// Those of the calls of one reach that nothing after them observes, but for those of loops, from how
    /// many loops on.
    SmallDenseMap<const Instruction *, unsigned> findIdle(Reach Of) const {
        SmallDenseMap<const Instruction *, unsigned> Found;
        for (const Instruction *I : Candidates) {
            const auto &Call = cast<CallBase>(*I);
            if (reachOf(Call) != Of)
                continue;
            unsigned Leaves = isIdle(Call, nullptr) ? 0 : loopsToLeave(Call);
            if (Leaves > 0 &&
                !canSinkSync(*unusedOriginal(Call), Leaves, Loops.getLoopDepth(Call.getParent())))
                continue;
            if (Leaves > 0 || isIdle(Call, nullptr))
                Found[I] = Leaves;
        }
        return Found;
    }

    void findMoved(Reach Of) {
        const SmallDenseMap<const Instruction *, unsigned> Leaves = findIdle(Of);
        if (Leaves.empty())
            return;
        UnseenWork::Calls Idle;
        for (const auto &Entry : Leaves)
            Idle.insert(Entry.first);
        UnseenWork Unseen(Copy, Idle, [&](const Instruction &I) { return workOf(I, Of); });
        UnseenFacts &Facts = Result.Elision.Unseen[static_cast<unsigned>(Of)];
        bool CanLook =
            addOriginals(Unseen.sources(), Facts.Sources) && addOriginals(Unseen.waits(), Facts.Waits);
        const bool AreLeft = Left && comeBehindReleases(Idle, Unseen);
        for (const Instruction &I : instructions(Copy))
            if (Idle.contains(&I) && AreLeft && !Unseen.firstOps(I).empty())
                Left->insert(&I);
            else if (Idle.contains(&I))
                addMoved(cast<CallBase>(I), Of, Leaves.lookup(&I), Unseen, CanLook);
    }

    /// False where not all of \p Found can be found again in the original.
    bool addOriginals(ArrayRef<const Instruction *> Found, SmallVectorImpl<Instruction *> &Originals) const {
        for (const Instruction *I : Found)
            Originals.push_back(Module.originalOf(F, *I));
        return !is_contained(Originals, nullptr);
    }

    void addMoved(const CallBase &Call, Reach Of, unsigned LoopsToLeave, const UnseenWork &Unseen,
                  bool CanLook) {
        MovedSync Moved;
        Moved.Of = Of;
        for (const Use &Argument : Call.args())
            Moved.Arguments.push_back(cast<Constant>(Argument));
        Moved.LoopsToLeave = LoopsToLeave;
        Moved.Looks = Unseen.dependsOnWay(Call);
        SmallVector<unsigned, 2> LookingSites;
        for (const Instruction *Op : Unseen.firstOps(Call)) {
            Moved.Before.push_back(*NormalisedModule::siteOf(cast<CallBase>(*Op)));
            if (Unseen.dependsOnWay(*Op))
                LookingSites.push_back(Moved.Before.back());
        }
        if (!CanLook && (Moved.Looks || !LookingSites.empty()))
            return;
        Result.Elision.Unseen[static_cast<unsigned>(Of)].LookingSites.insert(LookingSites.begin(),
                                                                             LookingSites.end());
        CallBase *Original = unusedOriginal(Call);
        Result.Originals[&Call] = Original;
        Result.Elision.Moved[Original] = std::move(Moved);
    }

    /// True if an op before which one of \p Idle waits may come behind something that lets others' work go
    /// on.
    bool comeBehindReleases(const UnseenWork::Calls &Idle, const UnseenWork &Unseen) const {
        SmallVector<const Instruction *, 8> Ops;
        for (const Instruction *Call : Idle)
            append_range(Ops, Unseen.firstOps(*Call));
        return !Ops.empty() && any_of(instructions(Copy), [&](const Instruction &I) {
            return mayReleaseWork(I) &&
                   any_of(Ops, [&](const Instruction *Op) { return isPotentiallyReachable(&I, Op); });
        });
    }

    /// What \p I does to what is in flight, as calls of reach \p Of see it.
    Work workOf(const Instruction &I, Reach Of) const {
        const auto *Call = dyn_cast<CallBase>(&I);
        if (Call && reachOf(*Call) >= Of)
            return Work::Waited;
        if (Call && synchronises(*Call))
            return Work::None;
        if (std::optional<unsigned> Site = Call ? NormalisedModule::siteOf(*Call) : std::nullopt) {
            if (Sites[*Site].isLaunch() && !isPushConfiguration(*Call))
                return Work::None;
            return HasOneStream ? Work::Op : Work::Unseen;
        }
        HostEffect What = hostEffectOf(I);
        if (What.What == HostEffect::Barrier || What.CallsBack)
            return Work::Unseen;
        return mayReleaseWork(I) ? Work::Released : Work::None;
    }

    static bool synchronises(const CallBase &Call) {
        const kesco_call *Api = lookUpApi(Call);
        return Api && Api->effect == KESCO_SYNCHRONISES;
    }

    static bool isDefaultStream(const Value &Stream) {
        std::optional<unsigned> Handle = constantStream(Stream);
        return Handle == 0u || Handle == LegacyStream;
    }

    /// The per-thread default stream waits for less than the legacy one, so it is left alone.
    static Reach reachOf(const CallBase &Call) {
        if (synchronises(Call)) {
            if (Call.arg_empty())
                return Reach::Device;
            return isDefaultStream(*Call.getArgOperand(0)) && !usesPerThreadStream(Call)
                       ? Reach::DefaultStream
                       : Reach::Nothing;
        }
        if (!isTransfer(Call) || usesPerThreadStream(Call))
            return Reach::Nothing;
        std::optional<Transfer> T = readTransfer(Call);
        bool Waits = T && T->IsSynchronous && (T->Way == Transfer::ToDevice || T->Way == Transfer::ToHost);
        return Waits && isNeverEmpty(Call, *T) ? Reach::DefaultStream : Reach::Nothing;
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
        bool IsObserved = false;
        walkForward(
            after(Sync),
            [&](const Instruction &I) {
                const auto *Call = dyn_cast<CallBase>(&I);
                if (Call && reachOf(*Call) >= reachOf(Sync))
                    return Walk::Turn;
                IsObserved = observes(I);
                return IsObserved ? Walk::End : Walk::On;
            },
            [&](const BasicBlock &Block) { return !Within || Within->contains(&Block); });
        return !IsObserved;
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

    /// True if the program looks at what \p Call returns, and that may be the error of a kernel.
    bool showsError(const CallBase &Call) const {
        const Instruction *Original = MayTrap ? Module.originalOf(F, Call) : nullptr;
        return MayTrap && (!Original || !Original->use_empty());
    }

    /// True for a call of a clock that puts the time nowhere but into its result.
    static bool onlyTellsTime(const CallBase &Call) {
        const Function *Callee = Call.getCalledFunction();
        return Callee && Callee->isDeclaration() && readsClock(*Callee) && !mayCallBack(*Callee) &&
               all_of(Call.args(), [](const Value *Argument) {
                   return !Argument->getType()->isPointerTy() || isa<ConstantPointerNull>(Argument);
               });
    }

    /// Copies within the host need not keep to the order of a stream.
    bool observes(const CallBase &Call) const {
        if (NormalisedModule::siteOf(Call)) {
            std::optional<Transfer> T = isTransfer(Call) ? readTransfer(Call) : std::nullopt;
            return !HasOneStream ||
                   (isTransfer(Call) && (!T || T->Way == Transfer::Unknown || showsError(Call)));
        }
        if (isAllocation(Call))
            return false;
        if (const kesco_call *Api = lookUpApi(Call))
            return Api->effect != KESCO_ALLOCATES || showsError(Call);
        if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call);
            Intrinsic && Intrinsic->isAssumeLikeIntrinsic())
            return false;
        if (!ClocksObserve && onlyTellsTime(Call))
            return false;
        return !Call.doesNotAccessMemory() || !Call.doesNotThrow() || !Call.hasFnAttr(Attribute::WillReturn);
    }

    Function &F;
    NormalisedModule &Module;
    Function &Copy;
    ArrayRef<OpSite> Sites;
    const bool MayTrap;
    const bool ClocksObserve;
    LeftSyncs *const Left; ///< null: none are
    const LoopInfo &Loops; ///< of the copy
    const bool HasOneStream;
    SmallPtrSet<const Instruction *, 4> Candidates;
    IdleSyncs Result;
};

} // namespace

IdleSyncs findIdleSyncs(Function &F, ArrayRef<OpSite> Sites, NormalisedModule &Copy, bool MayTrap,
                        const kesco_wait_options &Options, LeftSyncs *Left) {
    return IdleSyncFinder(F, Sites, Copy, MayTrap, Options, Left).run();
}

} // namespace kesco
