#include "plugin/code/lending.h"

#include "plugin/code/allocations.h"
#include "plugin/code/expected_entries.h"
#include "plugin/code/lending_calls.h"
#include "plugin/code/lending_launches.h"
#include "plugin/code/lent_waits.h"
#include "plugin/code/open_regions.h"
#include "plugin/code/region_closer.h"
#include "plugin/code/region_constant.h"
#include "plugin/code/runtime_abi.h"
#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/host_library.h"
#include "plugin/cuda/transfers.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/ending_blocks.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/ir/off_mark.h"
#include "plugin/ir/walk.h"
#include "plugin/plan/selection.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

/// True for a launch or transfer whose stream the runtime gives.
static bool isManaged(const CallBase &Call) {
    if (const Function *Callee = Call.getCalledFunction(); Callee && Callee->hasLocalLinkage())
        return isKernelStub(*Callee) && any_of(instructions(*Callee), [](const Instruction &I) {
                   return calledAbi(I) == AbiFunction::launch;
               });
    const int Operand = isPushConfiguration(Call) ? static_cast<int>(pushStreamOperand(Call))
                        : issuesOp(Call)          ? streamOperand(Call)
                                                  : -1;
    const auto *Stream =
        Operand < 0 ? nullptr : dyn_cast<Instruction>(Call.getArgOperand(static_cast<unsigned>(Operand)));
    return Stream && (calledAbi(*Stream) == AbiFunction::op || calledAbi(*Stream) == AbiFunction::place);
}

static bool isBarrier(const Instruction &I) {
    return !calledAbi(I) && (isa<CallBase>(I) || !I.isTerminator()) &&
           hostEffectOf(I).What == HostEffect::Barrier;
}

/// Of regions that others may be part of: none is after the opening of one of the function's own.
static std::optional<bool> isOthersOpenAfter(const Instruction &I) {
    const std::optional<AbiFunction> Called = calledAbi(I);
    return Called == AbiFunction::enter || Called == AbiFunction::enter_behind ? std::optional(false)
                                                                               : isOpenAfter(I);
}

/// Whether a region that joins no others may be open after \p I.
static std::optional<bool> isOwnOpenAfter(const Instruction &I) {
    const std::optional<AbiFunction> Called = calledAbi(I);
    if (Called == AbiFunction::enter || Called == AbiFunction::enter_behind)
        return true;
    return Called == AbiFunction::leave_own || isOpenAfter(I) == false ? std::optional(false) : std::nullopt;
}

/// A function, or the kernel whose stub it is, for people.
static std::string titleOf(const Function &F) {
    constexpr StringLiteral Stub = "__device_stub__";
    std::string Title = functionTitle(F);
    if (const size_t At = Title.find(Stub.str()); isKernelStub(F) && At != std::string::npos)
        Title.erase(At, Stub.size());
    return Title;
}

static std::string describeStop(const Instruction &I) {
    const Function *Callee = calleeOf(I);
    return Callee && isKernelStub(*Callee) && Callee->isDeclaration() ? "launch of '" + titleOf(*Callee) + "'"
                                                                      : describeBarrier(I);
}

/// What closes regions at \p I, for people.
static std::string whatCloses(const Instruction &I) {
    std::string Text = isa<ReturnInst>(I) ? "the end of "
                       : calledAbi(I)     ? "what is ordered by itself in "
                                          : describeStop(I) + " in ";
    Text += functionTitle(*I.getFunction());
    if (const DebugLoc &Where = I.getDebugLoc(); Where && Where.getLine() > 0)
        Text += (" (" + Where->getFilename() + ":" + Twine(Where.getLine()) + ")").str();
    return Text;
}

static std::vector<Lender::Call> describe(ArrayRef<CallBase *> Calls) {
    std::vector<Lender::Call> Result;
    for (const CallBase *Call : Calls) {
        const auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts());
        Lender::Call Next = {Call->getDebugLoc(), Callee ? titleOf(*Callee) : ""};
        if (!Next.Where || none_of(Result, [&](const Lender::Call &Known) {
                return Known.Callee == Next.Callee && Known.Where &&
                       Known.Where.getLine() == Next.Where.getLine() &&
                       Known.Where.getCol() == Next.Where.getCol() &&
                       Known.Where->getFilename() == Next.Where->getFilename();
            }))
            Result.push_back(std::move(Next));
    }
    return Result;
}

/// True if nothing is known of how control comes back into \p F, or calls of it must end it.
static bool isUnusual(const Function &F) {
    return F.isPresplitCoroutine() || F.hasFnAttribute(Attribute::Naked) ||
           F.callsFunctionThatReturnsTwice() || any_of(instructions(F), [](const Instruction &I) {
               const auto *Call = dyn_cast<CallInst>(&I);
               return Call && Call->isMustTailCall();
           });
}

/// What a launch of \p F is made by, or the registration of kernels, by Clang or by nvcc.
static bool isOfCuda(const Function &F) {
    const StringRef Name = F.getName();
    return isKernelStub(F) || Name.starts_with("__cuda_") || Name.contains("__sti____cudaRegisterAll") ||
           Name.contains("__cudaUnregisterBinaryUtil") || Name.ends_with(".kesco");
}

namespace {

/// What stands in a function.
struct Contents {
    /// Calls that are barriers, but for those where it does not come back and closes what is open.
    SmallVector<CallBase *, 8> Barriers;
    bool HasOtherBarriers = false;
    bool Joins = false;      ///< it has a region that does
    bool Frees = false;      ///< it frees memory, for which the run may wait later
    bool MayBeAlone = false; ///< or that may be replayed instead, by itself
    bool HasOwn = false;     ///< it has a region that does not
    bool OnlyJoins = true;   ///< all that it calls of the runtime is for such regions
    bool HasRuntime = false; ///< it calls the runtime
};

class Lending {
  public:
    /// \p IsClosedAtEnds: where functions do not come back, they close what is open (region_entries.h).
    Lending(Module &M, bool IsClosedAtEnds, const kesco_wait_options &Options) : M(M), Options(Options) {
        for (Function &F : M)
            if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage() && !isOfCuda(F) &&
                whyOff(F).empty() && !isUnusual(F)) {
                for (const LendingLaunch &Launch : findLendingLaunches(F)) {
                    Configurations.insert(Launch.Start);
                    Stubs.insert(Launch.Issue);
                }
                All[&F] = contentsOf(F, IsClosedAtEnds);
            }
        findHarmless();
        findBorrowing();
    }

    bool run(std::vector<Lender> &Lenders) {
        bool Changed = false;
        for (auto &[F, Own] : All) {
            if (Own.HasOwn && isCalledUnseen(*F)) {
                setMark(*F, KESCO_MARK_REGIONS);
                Changed = true;
            }
            const SmallVector<CallBase *, 8> Calls = lendingCalls(Own);
            if (!Borrowing.contains(F) && !areInSequence(Calls)) {
                Changed |= mark(*F);
                continue;
            }
            if (!Calls.empty())
                Lenders.push_back({F, describe(Calls)});
            Changed |= write(*F, Calls);
        }
        if (!Borrowing.empty())
            announceBorrowing(M);
        return Changed;
    }

  private:
    Contents contentsOf(Function &F, bool IsClosedAtEnds) const {
        Contents Found;
        const auto Ending = IsClosedAtEnds ? findEndingBlocks(F) : SmallPtrSet<const BasicBlock *, 16>();
        for (Instruction &I : instructions(F)) {
            if (std::optional<AbiFunction> Called = calledAbi(I)) {
                Found.HasRuntime = true;
                Found.Joins |= Called == AbiFunction::join;
                Found.HasOwn |= Called == AbiFunction::enter || Called == AbiFunction::enter_behind;
                Found.MayBeAlone |= Called == AbiFunction::join && mayBeReplayed(cast<CallBase>(I));
                Found.OnlyJoins &= isOfJoiningRegions(*Called);
            } else if (isBarrier(I) && !Configurations.contains(&I)) {
                Found.Frees |= frees(I);
                if (auto *Call = dyn_cast<CallBase>(&I); Call && !Ending.contains(I.getParent()))
                    Found.Barriers.push_back(Call);
                else if (!Ending.contains(I.getParent()))
                    Found.HasOtherBarriers = true;
            }
        }
        return Found;
    }

    void findHarmless() {
        for (const auto &[F, Own] : All)
            if (!F->isInterposable() && !Own.HasRuntime && !Own.HasOtherBarriers)
                Harmless.insert(F);
        const auto isNone = [&](const Function *F) {
            return any_of(All.find(const_cast<Function *>(F))->second.Barriers,
                          [&](const CallBase *Call) { return stops(*Call); });
        };
        while (Harmless.remove_if(isNone))
            ;
    }

    /// True for a barrier that is no call of a harmless function.
    bool stops(const Instruction &I) const {
        Function *Callee = calleeOf(I);
        return isBarrier(I) && !Configurations.contains(&I) && !(Callee && Harmless.contains(Callee));
    }

    /// True for a barrier that calls what may be compiled with KeSCo, and is not seen, or borrows.
    bool mayLend(const CallBase &Call) const {
        if (Call.doesNotReturn() || !stops(Call))
            return false;
        auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
        if (Callee && !Callee->isDeclaration())
            return Borrowing.contains(Callee);
        return Stubs.contains(&Call) || (callsUnseen(Call) && !issuesOp(Call));
    }

    SmallVector<CallBase *, 8> lendingCalls(const Contents &Own) const {
        SmallVector<CallBase *, 8> Calls;
        copy_if(Own.Barriers, std::back_inserter(Calls),
                [&](const CallBase *Call) { return mayLend(*Call); });
        return Calls;
    }

    void findBorrowing() {
        for (bool IsNew = true; std::exchange(IsNew, false);)
            for (const auto &[F, Own] : All)
                if (F->getName() != "main" && Own.OnlyJoins && !Borrowing.contains(F) &&
                    (Own.Joins || Own.Frees ||
                     any_of(Own.Barriers, [&](const CallBase *Call) { return mayLend(*Call); })))
                    IsNew |= Borrowing.insert(F);
    }

    /// True if one of the calls may come after another, or after itself.
    static bool areInSequence(ArrayRef<CallBase *> Calls) {
        return Calls.size() > 1 ||
               any_of(Calls, [](const CallBase *Call) { return isInCycle(*Call->getParent()); });
    }

    static void setMark(Function &F, uint64_t Mark) {
        if (!F.hasPrefixData())
            F.setPrefixData(ConstantInt::get(Type::getInt64Ty(F.getContext()), Mark));
    }

    /// What the program does when it exits may rely on all that it has issued before.
    static bool closeBeforeEnds(Function &F) {
        SmallVector<CallInst *, 2> Ends;
        for (Instruction &I : instructions(F)) {
            auto *Call = dyn_cast<CallInst>(&I);
            const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
            if (Callee && Call->doesNotReturn() && !Callee->isIntrinsic() && !throwsFromLibrary(*Callee) &&
                !Callee->getName().starts_with("__cxa_"))
                Ends.push_back(Call);
        }
        for (CallInst *Call : Ends)
            RegionCloser(F).closeBefore(*Call);
        return !Ends.empty();
    }

    /// True if what calls \p F may be in another unit.
    static bool isCalledUnseen(const Function &F) {
        return !(F.hasLocalLinkage() || F.hasLinkOnceLinkage()) || F.hasAddressTaken();
    }

    /// Units that only declare a function rely on its mark.
    bool mark(Function &F) const {
        if (!Harmless.contains(&F))
            return false;
        const bool Closes = closeBeforeEnds(F), Settles = settle(F, /*IsCalledWithin=*/true),
                   Allocates = letAllocationsHaveAll(F, /*IsCalledWithin=*/true);
        if (!isCalledUnseen(F))
            return Closes || Settles || Allocates;
        setMark(F, KESCO_MARK_HARMLESS);
        return true;
    }

    bool write(Function &F, ArrayRef<CallBase *> Calls) const {
        IRBuilder<> Builder(&*F.getEntryBlock().begin());
        AllocaInst *IsOpen = Builder.CreateAlloca(Builder.getInt1Ty()),
                   *IsTold = Builder.CreateAlloca(Builder.getInt1Ty());
        const LendingState State = {*IsOpen, *IsTold};
        Builder.SetInsertPoint(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
        Value *Borrowed = Builder.getInt32(0);
        if (Borrowing.contains(&F)) {
            setMark(F, KESCO_MARK_BORROWS);
            Borrowed = callAbi(Builder, AbiFunction::borrow);
        }
        Builder.CreateStore(Builder.CreateIsNotNull(Borrowed), IsOpen);
        lendWaits(F, Calls.empty() ? *Borrowed : *Builder.getInt32(1), Options);
        keepOpen(F, Calls);
        writeJoins(F, Calls, *IsOpen, *Borrowed);
        for (CallBase *Call : Calls)
            lendTo(*Call, State);
        closeBeforeBarriers(F, Calls, *IsOpen);
        settle(F, /*IsCalledWithin=*/false);
        tellEnds(F);
        tellExpected(F, Calls, State);
        RegionCloser(F).closeAtExits([&](Instruction &Return) {
            IRBuilder<> AtReturn(&Return);
            if (All.find(&F)->second.MayBeAlone)
                callAbi(AtReturn, AbiFunction::leave_own);
            writeGiveBack(AtReturn, *IsOpen, *Borrowed, whatCloses(Return));
        });
        return true;
    }

    /// Where regions that join may now stay open, those that do not are still closed.
    void keepOpen(Function &F, ArrayRef<CallBase *> Calls) const {
        SmallVector<Instruction *, 8> Needless, Own;
        visitWithRegions(F, isOwnOpenAfter, [&](Instruction &I, bool MayBeOwn) {
            const Instruction *Next = I.getNextNode();
            if (calledAbi(I) != AbiFunction::leave ||
                !(isa<ReturnInst>(Next) || is_contained(Calls, Next) || (isBarrier(*Next) && !stops(*Next))))
                return;
            if (!MayBeOwn)
                Needless.push_back(&I);
            else if (!isa<ReturnInst>(Next))
                Own.push_back(&I);
        });
        for (Instruction *I : Own) {
            IRBuilder<> Builder(I);
            callAbi(Builder, AbiFunction::leave_own);
        }
        const bool HasTold = any_of(instructions(F), isToldWait);
        for (Instruction *I : concat<Instruction *>(Needless, Own)) {
            if (HasTold) {
                IRBuilder<> Builder(I);
                callAbi(Builder, AbiFunction::settle_visible);
            }
            I->eraseFromParent();
        }
    }

    /// True for a wait that may be put off by what the runtime is told that the host touches until the region
    /// is closed.
    static bool isToldWait(const Instruction &I) {
        if (calledAbi(I) != AbiFunction::synchronize)
            return false;
        const auto *How = dyn_cast<ConstantInt>(cast<CallBase>(I).getArgOperand(1));
        return !How || (How->getZExtValue() & KESCO_REACH_TOLD) != 0;
    }

    /// What loops around calls say: right behind these, which may have opened a region.
    static void tellExpected(Function &F, ArrayRef<CallBase *> Calls, const LendingState &State) {
        SmallVector<std::pair<CallBase *, Instruction *>, 8> Places;
        for (CallBase *Call : Calls)
            if (isInCycle(*Call->getParent()))
                Places.push_back({Call, afterReturn(*Call)});
        if (Places.empty())
            return;
        DominatorTree Dominators(F);
        const LoopInfo Loops(Dominators);
        for (auto [Call, Place] : Places) {
            if (Loops.getLoopFor(Place->getParent()) != Loops.getLoopFor(Call->getParent()))
                continue;
            IRBuilder<> Builder(Place);
            Builder.SetCurrentDebugLocation(Call->getDebugLoc());
            if (Value *Left = entriesLeft(Builder, Loops, F.getName() == "main"))
                writeExpectation(Builder, State, *Left);
        }
    }

    static void lendTo(CallBase &Call, const LendingState &State) {
        IRBuilder<> Builder(&Call);
        writeLend(Builder, *Call.getCalledOperand(), State, whatCloses(Call));
    }

    /// True if \p I closes what is open, on every path.
    bool closes(const Instruction &I, ArrayRef<CallBase *> Calls) const {
        const std::optional<AbiFunction> Called = calledAbi(I);
        return Called ? is_contained({AbiFunction::enter, AbiFunction::enter_behind, AbiFunction::leave,
                                      AbiFunction::leave_by_event, AbiFunction::leave_behind,
                                      AbiFunction::leave_behind_record},
                                     *Called)
                      : needsNone(I) && !is_contained(Calls, &I);
    }

    /// True if control may come from \p Join to another op that joins, one of \p Calls, or the end of the
    /// function, with nothing between that closes the region.
    bool mayOthersFollow(const Instruction &Join, ArrayRef<CallBase *> Calls) const {
        bool MayFollow = false;
        walkForward(after(Join), [&](const Instruction &I) {
            MayFollow |= calledAbi(I) == AbiFunction::join || is_contained(Calls, &I) || isa<ReturnInst>(I);
            return MayFollow ? Walk::End : closes(I, Calls) ? Walk::Turn : Walk::On;
        });
        return MayFollow;
    }

    /// A region that only joins is opened where others may come after it: here, or, if it is \p Borrowed, in
    /// what called the function.
    void writeJoins(Function &F, ArrayRef<CallBase *> Calls, Value &IsOpen, Value &Borrowed) const {
        IRBuilder<> Builder(F.getContext());
        for (Instruction &I : instructions(F)) {
            if (calledAbi(I) != AbiFunction::join)
                continue;
            auto &Call = cast<CallBase>(I);
            if (cast<ConstantInt>(Call.getArgOperand(0))->isZero() && mayOthersFollow(I, Calls))
                Call.setArgOperand(0, Calls.empty() ? &Borrowed : Builder.getInt32(1));
            new StoreInst(ConstantInt::getTrue(F.getContext()), &IsOpen, std::next(I.getIterator()));
        }
    }

    void closeBeforeBarriers(Function &F, ArrayRef<CallBase *> Calls, Value &IsOpen) const {
        SmallVector<Instruction *, 8> Before;
        visitWithRegions(F, isOthersOpenAfter, [&](Instruction &I, bool MayBeOpen) {
            if (MayBeOpen && needsNone(I) && !is_contained(Calls, &I))
                Before.push_back(&I);
        });
        for (Instruction *I : Before) {
            IRBuilder<> Builder(I);
            writeClose(Builder, IsOpen, whatCloses(*I));
        }
    }

    /// The host waits for what was put off before it could tell. \p IsCalledWithin: regions may be open
    /// anywhere.
    bool settle(Function &F, bool IsCalledWithin) const {
        SmallVector<std::pair<Instruction *, bool>, 4> Before;
        visitWithRegions(F, isOthersOpenAfter, [&](Instruction &I, bool MayBeOpen) {
            MayBeOpen |= IsCalledWithin;
            if (std::optional<bool> Asks = MayBeOpen ? tellsLentWaits(I, Options) : std::nullopt)
                Before.push_back({&I, *Asks});
        });
        for (auto [I, Asks] : Before)
            settleLentWaits(*I, Asks, Options);
        return !Before.empty();
    }

    /// True if \p I wants no region of others open.
    bool needsNone(const Instruction &I) const {
        if (std::optional<AbiFunction> Called = calledAbi(I))
            return !isOfJoiningRegions(*Called) &&
                   !is_contained({AbiFunction::enter, AbiFunction::enter_behind, AbiFunction::borrow},
                                 *Called);
        const auto *Call = dyn_cast<CallBase>(&I);
        return stops(I) && !isOpenAfterLending(I) && !(Call && isManaged(*Call));
    }

    Module &M;
    const kesco_wait_options Options;
    MapVector<Function *, Contents> All;
    SmallPtrSet<const Instruction *, 16> Configurations; ///< of launches of kernels that may borrow
    SmallPtrSet<const Instruction *, 16> Stubs;          ///< the calls of their stubs
    SmallSetVector<Function *, 16> Harmless;  ///< they stop no region, and call nothing of the runtime
    SmallSetVector<Function *, 16> Borrowing; ///< they begin with __kesco1_borrow
};

} // namespace

bool lendRegions(Module &M, bool IsClosedAtEnds, const kesco_wait_options &Options,
                 std::vector<Lender> &Lenders) {
    return Lending(M, IsClosedAtEnds, Options).run(Lenders);
}

} // namespace kesco
