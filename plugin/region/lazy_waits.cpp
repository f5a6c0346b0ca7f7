#include "plugin/region/lazy_waits.h"

#include "plugin/copy/normalise.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/host_library.h"
#include "plugin/cuda/host_summary.h"
#include "plugin/cuda/transfers.h"
#include "plugin/ir/ending_blocks.h"
#include "plugin/ir/walk.h"
#include "plugin/region/error_checks.h"
#include "plugin/region/error_place.h"
#include "plugin/region/error_test.h"
#include "plugin/region/function_ends.h"
#include "plugin/region/host_touches.h"
#include "plugin/region/known_consequences.h"
#include "plugin/region/late_check.h"
#include "plugin/region/op_flow.h"
#include "plugin/region/regions.h"
#include "plugin/region/reloaded_streams.h"
#include "plugin/region/unseen_work.h"
#include "plugin/region/wait_reach.h"

#include "llvm/IR/InstIterator.h"

#include <map>

using namespace llvm;

namespace kesco {

namespace {

/// What is found of the copy at first.
struct CopyFacts {
    const DenseMap<const CallBase *, Reach> Reaches; ///< of calls that wait
    const SmallPtrSet<const BasicBlock *, 16> Ending;
    const bool MayReturnTwice; ///< by longjmp
};

class LazyWaitFinder {
  public:
    LazyWaitFinder(Function &F, ArrayRef<OpSite> Sites, NormalisedModule &Module, const Origin &Stream,
                   ReloadedStreams &Reloaded, const kesco_wait_options &Options)
        : F(F), Sites(Sites), Module(Module), Copy(*Module.copyOf(F)), Stream(Stream), Options(Options),
          Facts{findReaches(Copy, Stream, Reloaded), findEndingBlocks(Copy),
                Copy.callsFunctionThatReturnsTwice()},
          Known(Copy, [this](const Instruction &I) { return isWork(I); }) {
    }

    LazyWaits run(const DenseMap<const Instruction *, CallBase *> &Elided, const std::string &Hindrance) {
        findErrorPlace();
        for (const Instruction &I : instructions(Copy)) {
            const auto *Call = dyn_cast<CallBase>(&I);
            if (!Call || Elided.contains(Call))
                continue;
            if (reachOf(*Call) == Reach::Nothing) {
                const kesco_call *Api = lookUpApi(*Call);
                if (Api && Api->effect == KESCO_SYNCHRONISES)
                    Result.Kept[Call] = waitsForPerThread(*Call)
                                            ? "for the per-thread default stream, which is left alone"
                                            : "for what may be another stream than that of the launches";
                continue;
            }
            auto *Original = dyn_cast_or_null<CallBase>(Module.originalOf(F, *Call));
            if (!Original || !Original->getCalledFunction() ||
                Original->getCalledFunction()->getName() != Call->getCalledFunction()->getName()) {
                if (!frees(*Call))
                    Result.Kept[Call] = "in a helper that does more than that";
                continue;
            }
            Tellers Others;
            std::string Why = Hindrance.empty() ? whyKept(*Call, *Original, Others) : Hindrance;
            if (Why.empty()) {
                Result.Calls[Call] = {Original, reachOf(*Call), std::nullopt, nullptr, !Others.Late.empty()};
                for (Instruction *Teller : Others.Calls)
                    (isa<ReturnInst>(Teller) ? Result.Ends : Result.Observers).insert(Teller);
                noteLate(Others, tellingOf(*Call).What, *Original);
            } else
                Result.Kept[Call] = std::move(Why);
        }
        for (Reach Of : {Reach::Device, Reach::DefaultStream})
            cover(Of, Elided);
        findTouches();
        if (!Result.Calls.empty() && !findObservers())
            return LazyWaits();
        return std::move(Result);
    }

  private:
    Reach reachOf(const CallBase &Call) const {
        return Facts.Reaches.lookup(&Call);
    }

    bool isWait(const Instruction &I) const {
        return Facts.Reaches.contains(dyn_cast<CallBase>(&I));
    }

    void findTouches() {
        if (Result.Calls.empty())
            return;
        const TouchingFunction In(F, Module);
        for (auto &[Call, Wait] : Result.Calls) {
            HostTouches Found = findHostTouches(In, *Wait.Original, cast<CallBase>(*Call),
                                                [&](const Instruction &I) { return isWait(I) || stops(I); });
            Wait.Touches = Found.Unnamed;
            if (!Found.Unnamed)
                Wait.Touched = std::move(Found.Pointers);
        }
    }

    /// What a wait that is put off leaves its error to, of the original.
    struct Tellers {
        SmallVector<Instruction *, 2> Calls;  ///< copies, or the function's returns
        SmallVector<Instruction *, 2> Late;   ///< before these, the same as after the wait has to follow
        SmallVector<Instruction *, 2> Silent; ///< other calls that wait, and do not tell
    };

    /// \p What follows from an error of \p Wait, of the original, which is left to \p Others.
    void noteLate(const Tellers &Others, const Consequences &What, CallBase &Wait) {
        Result.Silent.insert(Others.Silent.begin(), Others.Silent.end());
        for (Instruction *Place : Others.Late)
            Result.LateChecks[Place].push_back(&Wait);
        Late.note(Others.Late, What);
        const BasicBlock *Join = LateCheck(Wait, What, Sites).join();
        if (!Join || Others.Late.empty() || !Late.isNew(*Join, What))
            return;
        for (const Instruction &I : instructions(Copy)) {
            const auto *Call = dyn_cast<CallBase>(&I);
            const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
            auto *Original = Callee && Callee->isDeclaration() && isCudaFunction(*Callee)
                                 ? dyn_cast_or_null<CallBase>(Module.originalOf(F, I))
                                 : nullptr;
            if (Original && What.followFrom(Known.of(*Call)))
                if (const ReturningPath Path(*Original); Path.join() == Join)
                    Result.Told.insert(const_cast<Instruction *>(&*Path.first().getFirstInsertionPt()));
        }
    }

    /// Why \p Wait, of \p Original, cannot be put off, as far as that is known by now; empty for no reason.
    /// Adds to \p Others what it relies on then.
    std::string whyKept(const CallBase &Wait, const CallBase &Original, Tellers &Others) const {
        const Instruction *Clock = nullptr;
        if (!comesToLaunch(Wait, Clock))
            return Clock ? "behind which the host reads a clock" + lineIn(*Clock)
                         : "behind which no launch comes before other barriers";
        if (Options.elide == KESCO_ELIDE_UNCHECKED && tellingOf(Wait).Perhaps)
            return "whose error the program looks for, and -fplugin-arg-kesco-sync-elision=unchecked keeps "
                   "it";
        if (Facts.MayReturnTwice && tellingOf(Wait).Perhaps)
            return "whose error the program may look for where it jumps back to";
        return whyNotToldLater(Wait, Original, Others);
    }

    /// " in line N", where that is known.
    std::string lineIn(const Instruction &I) const {
        const Instruction *Original = Module.originalOf(F, I);
        const unsigned Line = Original ? lineOf(Original->getDebugLoc()) : 0;
        return Line > 0 ? " in line " + std::to_string(Line) : "";
    }

    /// Copies alone, which the host waits for anyway, gain little by coming earlier; and nothing does after
    /// a clock, which is put into \p Clock.
    bool comesToLaunch(const CallBase &Wait, const Instruction *&Clock) const {
        bool Found = false;
        walkForward(after(Wait), [&](const Instruction &I) {
            const auto *Call = dyn_cast<CallBase>(&I);
            std::optional<unsigned> Site = Call ? NormalisedModule::siteOf(*Call) : std::nullopt;
            Found |= Site && Sites[*Site].isLaunch();
            if (readsClock(I) && !Clock)
                Clock = &I;
            return Found ? Walk::End : stops(I) || readsClock(I) ? Walk::Turn : Walk::On;
        });
        return Found;
    }

    /// Assembly that is no barrier may have no other use.
    bool readsClock(const Instruction &I) const {
        const auto *Call = dyn_cast<CallBase>(&I);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        return Options.clocks_observe &&
               ((Callee && kesco::readsClock(*Callee)) || (Call && Call->isInlineAsm()));
    }

    bool isUsed(const Instruction &I) const {
        const Instruction *Original = Module.originalOf(F, I);
        return !I.use_empty() || !Original || !Original->use_empty();
    }

    /// How the program is told of an error by a call that waits.
    struct Telling {
        bool Perhaps = false; ///< on some way
        bool Always = false;  ///< on each
        Consequences What;    ///< what the program does then
    };

    /// By the result of \p Wait, or by a question before the next such call.
    const Telling &tellingOf(const CallBase &Wait) const {
        const auto [Found, IsNew] = Tellings.try_emplace(&Wait);
        if (IsNew)
            Found->second = findTelling(Wait);
        return Found->second;
    }

    Telling findTelling(const CallBase &Wait) const {
        Telling Found;
        bool IsMissed = false;
        const bool IsUnseen = !isUsed(Wait);
        Found.What = Known.of(Wait);
        Found.Always = !Found.What.empty();
        walkAlongEdges(
            after(Wait),
            [&](const Instruction &I) {
                const auto *Call = dyn_cast<CallBase>(&I);
                if (Call && (asksForError(*Call) || (IsUnseen && mayReturnError(*Call))) && isUsed(*Call)) {
                    Found.What.add(Known.of(*Call));
                    Found.Perhaps = true;
                    return Walk::Turn;
                }
                bool Ends = isWait(I) || isEnd(I) || stops(I);
                IsMissed |= Ends;
                return Ends ? Walk::Turn : Walk::On;
            },
            [](const Edge &At) { return !failedCall(At) && !At.To->isEHPad(); });
        Found.Always |= Found.Perhaps && !IsMissed;
        Found.Perhaps |= isUsed(Wait);
        return Found;
    }

    bool isWork(const Instruction &I) const {
        const auto *Call = dyn_cast<CallBase>(&I);
        return (Call && NormalisedModule::siteOf(*Call)) || isWait(I);
    }

    /// Why \p Wait, of \p Original, as far as it tells of an error, cannot leave that to others: control does
    /// not always come from it, if it succeeds, to another such call that always tells, with the same
    /// consequences, or to where the same can as well be done. Empty if it does.
    std::string whyNotToldLater(const CallBase &Wait, const CallBase &Original, Tellers &Others) const {
        const Telling &First = tellingOf(Wait);
        std::string Why;
        if (!First.Perhaps)
            return Why;
        std::optional<LateCheck> Later;
        walkAlongEdges(
            after(Wait),
            [&](const Instruction &I) {
                Instruction *Teller = findTeller(I, First.What);
                if (!Teller)
                    Teller = findTellingEnd(I);
                if (Teller) {
                    Others.Calls.push_back(Teller);
                    return Walk::Turn;
                }
                const Walk How = &I == &Wait ? Walk::On : lookForTelling(I, First.What);
                if (How == Walk::On && &I != &Wait && isWait(I))
                    Others.Silent.push_back(Module.originalOf(F, I));
                if (How != Walk::End)
                    return How;
                Instruction *Place = findLatePlace(I);
                if (Place && !Later)
                    Later.emplace(Original, First.What, Sites);
                if (Place && Later->add(*Place, Others.Late))
                    return Walk::Turn;
                Why = First.What.whyKept(whyUntold(I));
                return Walk::End;
            },
            [&](const Edge &At) {
                if (At.To->isEHPad() && !endsBadly(*At.To, [&](const Instruction &I) { return isWork(I); }))
                    Why = "whose error would be lost where an exception is caught";
                return !At.To->isEHPad() && !failsAlike(At, Wait, First.What);
            });
        if (Why.empty() && !Late.agree(Others.Late, First.What))
            Why = "whose error has other consequences than that of other calls that wait";
        return Why;
    }

    /// Of the original, \p I, if that is a synchronous copy that always tells with \p What: once the host has
    /// waited for what was put off, it fails as any call does. Null if not.
    Instruction *findTeller(const Instruction &I, const Consequences &What) const {
        const auto *Call = dyn_cast<CallBase>(&I);
        const std::optional<unsigned> Site = Call ? NormalisedModule::siteOf(*Call) : std::nullopt;
        if (!Site || Sites[*Site].isLaunch() || streamOperand(*Call) >= 0)
            return nullptr;
        const Telling &Next = tellingOf(*Call);
        return Next.Always && What.followFrom(Next.What) ? Module.originalOf(F, I) : nullptr;
    }

    /// True if \p I stores what a call that waits returned.
    bool storesError(const Instruction &I) const {
        const auto *Store = dyn_cast<StoreInst>(&I);
        const auto *Stored = Store ? dyn_cast<CallBase>(Store->getValueOperand()) : nullptr;
        return Stored && isWait(*Stored);
    }

    /// Where the errors of all calls that wait are stored, if that is a member by an argument which the
    /// function does nothing else with.
    void findErrorPlace() {
        std::optional<BasedPlace> Kept;
        for (const Instruction &I : instructions(Copy)) {
            const auto *Call = dyn_cast<CallBase>(&I);
            if (readsClock(I) || hostEffectOf(I).CallsBack)
                return; /* after what is waited for there, nothing would be left to tell */
            if (!isWait(I))
                continue;
            const auto Place = tellingOf(*Call).What.onlyStored();
            if (!Place || !isa<Argument>(Place->Base) || (Kept && !(*Kept == *Place)))
                return;
            Kept = Place;
        }
        if (Kept && none_of(instructions(Copy), [&](const Instruction &I) {
                return !storesError(I) && mayTouchErrors(I, *Kept);
            }))
            Result.ErrorsAt = {F.getArg(cast<Argument>(Kept->Base)->getArgNo()), Kept->Offset};
    }

    /// Of the original, \p I, if that is a return before which errors can still be stored. Null if not.
    Instruction *findTellingEnd(const Instruction &I) const {
        if (!Result.ErrorsAt.Base || !isa<ReturnInst>(I) || I.getParent()->getTerminatingMustTailCall())
            return nullptr;
        Instruction *Original = Module.originalOf(F, I);
        return Original && isa<ReturnInst>(Original) ? Original : nullptr;
    }

    /// Of the original, \p I, or the call that it is inlined from, if that does not wait or is a return.
    Instruction *findLatePlace(const Instruction &I) const {
        const bool MayBe = isa<CallBase, ReturnInst>(I) || NormalisedModule::inlinedFrom(I);
        Instruction *Original = MayBe && !isWait(I) ? Module.originalOf(F, I) : nullptr;
        return isa_and_nonnull<CallBase, ReturnInst>(Original) ? Original : nullptr;
    }

    /// For people: an error would be lost at \p I.
    std::string whyUntold(const Instruction &I) const {
        if (isWait(I))
            return "whose error has other consequences than that of the call" + lineIn(I);
        if (isEnd(I))
            return "whose error the program does not look for again before the function ends";
        return "whose error the program does not look for before the call" + lineIn(I);
    }

    /// Turns where \p I tells with \p What, and ends where that will not be.
    Walk lookForTelling(const Instruction &I, const Consequences &What) const {
        const auto *Call = dyn_cast<CallBase>(&I);
        if (isWait(I)) {
            const Telling &Next = tellingOf(*Call);
            return !Next.Always ? Walk::On : What.followFrom(Next.What) ? Walk::Turn : Walk::End;
        }
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        if (Callee && throwsFromLibrary(*Callee)) {
            const auto *Invoke = dyn_cast<InvokeInst>(Call);
            return !Invoke || endsBadly(*Invoke->getUnwindDest(),
                                        [&](const Instruction &I) { return isWork(I); })
                       ? Walk::Turn
                       : Walk::End;
        }
        return isEnd(I) || stops(I) ||
                       (Callee && (actsOnFiles(*Callee) || hostFunctionDoes(*Callee, HostTrait::Ends)))
                   ? Walk::End
                   : Walk::On;
    }

    /// True if control comes along \p At only where \p Wait failed, or another call with the same
    /// consequences: any call may tell of an error that came before it.
    bool failsAlike(const Edge &At, const CallBase &Wait, const Consequences &What) const {
        const CallBase *Failed = failedCall(At);
        return Failed && (Failed == &Wait || What.followFrom(Known.of(*Failed)));
    }

    /// What library functions call back waits itself for what it could tell.
    bool stops(const Instruction &I) const {
        if (isWork(I))
            return false;
        return hostEffectOf(I).What == HostEffect::Barrier;
    }

    /// What \p I does to what is in flight, as calls of reach \p Of see it.
    Work workOf(const Instruction &I, Reach Of) const {
        const auto *Call = dyn_cast<CallBase>(&I);
        if (isWait(I))
            return reachOf(*Call) >= Of ? Work::Waited : Work::None;
        if (std::optional<unsigned> Site = Call ? NormalisedModule::siteOf(*Call) : std::nullopt)
            return Sites[*Site].isLaunch() && !isPushConfiguration(*Call) ? Work::None : Work::Op;
        if (stops(I))
            return Work::Unseen;
        return mayReleaseWork(I) && !Facts.Ending.contains(I.getParent()) ? Work::Released : Work::None;
    }

    /// True if the host has waited for as much as \p Of on each way to \p Op, and nothing has been issued
    /// since but records of events, after which \p Op comes by its stream. So who waits for \p Op has waited
    /// for all that a wait after it could wait for.
    bool isIdleBefore(const Instruction &Op, Reach Of,
                      const DenseMap<const Instruction *, CallBase *> &Elided) const {
        bool IsIdle = Stream.What == KESCO_ORIGIN_LEGACY;
        const auto IsBusy = [&] {
            IsIdle = false;
            return Walk::End;
        };
        walkBackward(
            before(Op),
            [&](const Instruction &I) {
                if (recordsOnDefaultStream(I))
                    return Walk::On;
                if (I.isAtomic() || I.isVolatile()) /* another thread's work may be seen by that */
                    return IsBusy();
                switch (workOf(I, Of)) {
                case Work::None:
                case Work::Released: /* there is nothing to be let go on */
                    return Walk::On;
                case Work::Waited: /* what frees waits for nothing where there is nothing to free */
                    return Result.Calls.contains(&I) || Elided.contains(&I) || frees(I) ? IsBusy()
                                                                                        : Walk::Turn;
                case Work::Op:
                case Work::Unseen:
                    break;
                }
                return IsBusy();
            },
            [&](const BasicBlock &Block) {
                return Block.isEntryBlock() || Block.isEHPad() ? IsBusy() : Walk::On;
            });
        return IsIdle;
    }

    /// Leaves out the calls of one reach that would wait each time anyway.
    void cover(Reach Of, const DenseMap<const Instruction *, CallBase *> &Elided) {
        UnseenWork::Calls Idle;
        for (const auto &[Call, Wait] : Result.Calls)
            if (Wait.Of == Of)
                Idle.insert(Call);
        if (Idle.empty())
            return;
        UnseenWork Unseen(Copy, Idle, [&](const Instruction &I) { return workOf(I, Of); });
        Result.Calls.remove_if([&](const auto &Entry) {
            if (Entry.second.Of != Of || Idle.contains(Entry.first))
                return false;
            Result.Kept[Entry.first] = "which may wait for work of other code";
            return true;
        });
        for (const auto &[Call, Wait] : Result.Calls) {
            if (Wait.Of != Of)
                continue;
            for (const Instruction *Op : Unseen.firstOps(*Call))
                addCover(*Op, {Of, isIdleBefore(*Op, Of, Elided), false});
            for (const Instruction *Op : Unseen.freshOps(*Call))
                addCover(*Op, {Of, isIdleBefore(*Op, Of, Elided), true});
        }
    }

    void addCover(const Instruction &Op, const Cover &What) {
        Result.Covers.try_emplace(*NormalisedModule::siteOf(cast<CallBase>(Op)), What);
    }

    /// False if one cannot be found in the original.
    bool findObservers() {
        for (const Instruction &I : instructions(Copy)) {
            if (!readsClock(I))
                continue;
            Instruction *Original = Module.originalOf(F, I);
            if (!Original)
                return false;
            Result.Observers.insert(Original);
        }
        return true;
    }

    Function &F;
    ArrayRef<OpSite> Sites;
    NormalisedModule &Module;
    Function &Copy;
    const Origin Stream; ///< of all ops
    const kesco_wait_options Options;
    const CopyFacts Facts;
    mutable KnownConsequences Known;                      ///< of the copy
    mutable std::map<const CallBase *, Telling> Tellings; ///< as found; the copy does not change
    LateConsequences Late;                                ///< of calls that are put off
    LazyWaits Result;
};

} // namespace

LazyWaits findLazyWaits(Function &F, ArrayRef<OpSite> Sites, NormalisedModule &Copy,
                        const DenseMap<const Instruction *, CallBase *> &Elided, const std::string &Hindrance,
                        const kesco_wait_options &Options) {
    ReloadedStreams Reloaded(*Copy.copyOf(F));
    if (std::optional<Origin> Stream = findOneStream(*Copy.copyOf(F), Sites, &Reloaded))
        return LazyWaitFinder(F, Sites, Copy, *Stream, Reloaded, Options).run(Elided, Hindrance);
    LazyWaits Result;
    for (const Instruction &I : instructions(*Copy.copyOf(F))) {
        const auto *Call = dyn_cast<CallBase>(&I);
        const kesco_call *Api = Call ? lookUpApi(*Call) : nullptr;
        if (Api && Api->effect == KESCO_SYNCHRONISES && !Elided.contains(Call))
            Result.Kept[Call] =
                "where the launches may go to several streams (keep a stream in a local variable)";
    }
    return Result;
}

} // namespace kesco
