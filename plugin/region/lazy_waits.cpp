#include "plugin/region/lazy_waits.h"

#include "plugin/copy/normalise.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/host_library.h"
#include "plugin/ir/walk.h"
#include "plugin/region/op_flow.h"
#include "plugin/region/unseen_work.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

namespace {

class LazyWaitFinder {
  public:
    LazyWaitFinder(Function &F, ArrayRef<OpSite> Sites, NormalisedModule &Module, const Origin &Stream)
        : F(F), Sites(Sites), Module(Module), Copy(*Module.copyOf(F)), Stream(Stream) {
    }

    LazyWaits run(const DenseMap<const Instruction *, CallBase *> &Elided) {
        for (const Instruction &I : instructions(Copy)) {
            const auto *Call = dyn_cast<CallBase>(&I);
            if (!Call || Elided.contains(Call) || reachOf(*Call) == Reach::Nothing)
                continue;
            auto *Original = dyn_cast_or_null<CallInst>(Module.originalOf(F, *Call));
            if (Original && Original->getCalledFunction() &&
                Original->getCalledFunction()->getName() == Call->getCalledFunction()->getName() &&
                comesToLaunch(*Call) && (!isTold(*Call) || isToldLater(*Call)))
                Result.Calls[Call] = {Original, reachOf(*Call)};
        }
        for (Reach Of : {Reach::Device, Reach::DefaultStream})
            cover(Of);
        if (!Result.Calls.empty() && !findObservers())
            return {};
        return std::move(Result);
    }

  private:
    /// What \p Call waits for, where it does nothing else.
    Reach reachOf(const CallBase &Call) const {
        const kesco_call *Api = lookUpApi(Call);
        if (!Api || Api->effect != KESCO_SYNCHRONISES)
            return Reach::Nothing;
        if (Call.arg_empty())
            return Reach::Device;
        const Value *Given = Call.getArgOperand(0);
        std::optional<unsigned> Handle = constantStream(*Given);
        if (!Handle)
            return Stream.What == Origin::Given && Stream.Stream == Given ? Reach::DefaultStream
                                                                          : Reach::Nothing;
        bool IsLegacy = *Handle == LegacyStream ||
                        (*Handle == 0 && !Call.getCalledFunction()->getName().ends_with("_ptsz"));
        return IsLegacy && Stream.What == Origin::Legacy ? Reach::DefaultStream : Reach::Nothing;
    }

    /// Copies alone, which the host waits for anyway, gain little by coming earlier; and nothing does behind
    /// a clock.
    bool comesToLaunch(const CallBase &Wait) const {
        bool Found = false;
        walkForward(behind(Wait), [&](const Instruction &I) {
            const auto *Call = dyn_cast<CallBase>(&I);
            std::optional<unsigned> Site = Call ? NormalisedModule::siteOf(*Call) : std::nullopt;
            Found |= Site && Sites[*Site].isLaunch();
            return Found ? Walk::End : stops(I) || readsClock(I) ? Walk::Turn : Walk::On;
        });
        return Found;
    }

    static bool readsClock(const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        return Callee && kesco::readsClock(*Callee);
    }

    bool isUsed(const Instruction &I) const {
        const Instruction *Original = Module.originalOf(F, I);
        return !I.use_empty() || !Original || !Original->use_empty();
    }

    static bool asksForError(const CallBase &Call) {
        const Function *Callee = Call.getCalledFunction();
        return Callee &&
               (Callee->getName() == "cudaGetLastError" || Callee->getName() == "cudaPeekAtLastError");
    }

    /// True for a block that control only comes to if a call of CUDA's failed.
    static bool isOnFailure(const BasicBlock &Block) {
        const BasicBlock *Before = Block.getSinglePredecessor();
        const auto *Branch = Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
        const auto *Test =
            Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
        if (!Test || !Test->isEquality() || !isa<ConstantInt>(Test->getOperand(1)) ||
            !cast<ConstantInt>(Test->getOperand(1))->isZero())
            return false;
        const auto *Call = dyn_cast<CallBase>(Test->getOperand(0));
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        bool IsSuccess = (Test->getPredicate() == ICmpInst::ICMP_EQ) == (Branch->getSuccessor(0) == &Block);
        return Callee && Callee->isDeclaration() && Callee->getName().starts_with("cuda") && !IsSuccess;
    }

    /// True if the program looks at the error that \p Wait tells of: at its result, or by a question before
    /// the next such call.
    bool isTold(const CallBase &Wait) const {
        bool Found = isUsed(Wait);
        walkForward(behind(Wait), [&](const Instruction &I) {
            const auto *Call = dyn_cast<CallBase>(&I);
            if (!Call || Found)
                return Found ? Walk::End : Walk::On;
            if (reachOf(*Call) != Reach::Nothing)
                return Walk::Turn;
            Found = asksForError(*Call) && isUsed(*Call);
            return Walk::On;
        });
        return Found;
    }

    /// True if control always comes from \p Wait, if it succeeds and nothing is thrown, to another such call
    /// that the program is told by.
    bool isToldLater(const CallBase &Wait) const {
        bool Always = true;
        walkForward(
            behind(Wait),
            [&](const Instruction &I) {
                const auto *Call = dyn_cast<CallBase>(&I);
                if (Call && reachOf(*Call) != Reach::Nothing && &I != &Wait && isTold(*Call))
                    return Walk::Turn;
                if (Call && throws(*Call))
                    return Walk::Turn;
                Always = !isa<ReturnInst>(I) && !isa<ResumeInst>(I) && !isa<UnreachableInst>(I) && !stops(I);
                return Always ? Walk::On : Walk::End;
            },
            [](const BasicBlock &Block) { return !isOnFailure(Block) && !Block.isEHPad(); });
        return Always;
    }

    static bool throws(const CallBase &Call) {
        const Function *Callee = Call.getCalledFunction();
        return Callee && Call.doesNotReturn() && Callee->isDeclaration() &&
               Callee->getName().contains("throw");
    }

    /// What library functions call back waits itself for what it could tell.
    bool stops(const Instruction &I) const {
        const auto *Call = dyn_cast<CallBase>(&I);
        if (Call && (NormalisedModule::siteOf(*Call) || reachOf(*Call) != Reach::Nothing))
            return false;
        return hostEffectOf(I).What == HostEffect::Barrier;
    }

    /// What \p I does to what is in flight, as calls of reach \p Of see it.
    Work workOf(const Instruction &I, Reach Of) const {
        const auto *Call = dyn_cast<CallBase>(&I);
        if (Call && reachOf(*Call) != Reach::Nothing)
            return reachOf(*Call) >= Of ? Work::Waited : Work::None;
        if (std::optional<unsigned> Site = Call ? NormalisedModule::siteOf(*Call) : std::nullopt)
            return Sites[*Site].isLaunch() && !isPushConfiguration(*Call) ? Work::None : Work::Op;
        return stops(I) ? Work::Unseen : Work::None;
    }

    /// Leaves out the calls of one reach that would wait each time anyway.
    void cover(Reach Of) {
        UnseenWork::Calls Idle;
        for (const auto &[Call, Wait] : Result.Calls)
            if (Wait.Of == Of)
                Idle.insert(Call);
        if (Idle.empty())
            return;
        UnseenWork Unseen(Copy, Idle, [&](const Instruction &I) { return workOf(I, Of); });
        Result.Calls.remove_if(
            [&](const auto &Entry) { return Entry.second.Of == Of && !Idle.contains(Entry.first); });
        for (const auto &[Call, Wait] : Result.Calls)
            if (Wait.Of == Of)
                for (const Instruction *Op : Unseen.firstOps(*Call))
                    Result.Covers.try_emplace(*NormalisedModule::siteOf(cast<CallBase>(*Op)), Of);
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
    LazyWaits Result;
};

} // namespace

LazyWaits findLazyWaits(Function &F, ArrayRef<OpSite> Sites, NormalisedModule &Copy,
                        const DenseMap<const Instruction *, CallBase *> &Elided) {
    std::optional<Origin> Stream = findOneStream(*Copy.copyOf(F), Sites);
    return Stream ? LazyWaitFinder(F, Sites, Copy, *Stream).run(Elided) : LazyWaits();
}

} // namespace kesco
