#include "plugin/host/sync_elision.h"

#include "plugin/host/cuda_model.h"
#include "plugin/host/glue.h"
#include "plugin/host/normalise.h"
#include "plugin/host/op_sites.h"
#include "plugin/host/transfers.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kesco {

namespace {

/// How much a call lets the host wait for; each waits for what the ones before it do.
enum Reach { Nothing, DefaultStream, Device };

class IdleSyncFinder {
  public:
    IdleSyncFinder(const Function &Copy, function_ref<bool(const CallBase &)> IsUnused) {
        for (const Instruction &I : instructions(Copy)) {
            const auto *Call = dyn_cast<CallBase>(&I);
            if (Call && synchronises(*Call) && reachOf(*Call) != Nothing && IsUnused(*Call))
                Candidates.insert(Call);
        }
    }

    SmallPtrSet<const Instruction *, 4> run() const {
        SmallPtrSet<const Instruction *, 4> Idle;
        for (const Instruction *I : Candidates)
            if (isIdle(*cast<CallBase>(I)))
                Idle.insert(I);
        return Idle;
    }

  private:
    static bool synchronises(const CallBase &Call) {
        const ApiFunction *Api = lookUpApi(Call);
        return Api && Api->What == ApiFunction::Synchronises;
    }

    static bool isDefaultStream(const Value *Stream) {
        if (const auto *Cast = dyn_cast<ConstantExpr>(Stream))
            if (Cast->getOpcode() == Instruction::IntToPtr)
                if (const auto *Number = dyn_cast<ConstantInt>(Cast->getOperand(0)))
                    return Number->equalsInt(LegacyStream);
        return isa<ConstantPointerNull>(Stream);
    }

    /// The per-thread default stream waits for less than the legacy one, so it is left alone.
    static Reach reachOf(const CallBase &Call) {
        if (synchronises(Call)) {
            if (Call.arg_empty())
                return Device;
            StringRef Name = Call.getCalledFunction()->getName();
            return isDefaultStream(Call.getArgOperand(0)) && !Name.ends_with("_ptsz") ? DefaultStream
                                                                                      : Nothing;
        }
        if (!isTransfer(Call) || usesPerThreadStream(Call))
            return Nothing;
        std::optional<Transfer> T = readTransfer(Call);
        bool Waits = T && T->IsSynchronous && (T->Way == Transfer::ToDevice || T->Way == Transfer::ToHost);
        return Waits ? DefaultStream : Nothing;
    }

    bool isIdle(const CallBase &Sync) const {
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
                if (Seen.insert(Successor).second)
                    Work.push_back(Successor->begin());
        }
        return true;
    }

    static bool isOwnMemory(const Value *Pointer) {
        const Value *Base = getUnderlyingObject(Pointer);
        const auto *Global = dyn_cast<GlobalVariable>(Base);
        return isPrivateMemory(Base) || (Global && Global->isConstant());
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

    static bool observes(const CallBase &Call) {
        if (NormalisedModule::siteOf(Call) || isAllocation(Call))
            return false;
        if (const ApiFunction *Api = lookUpApi(Call))
            return Api->What != ApiFunction::Allocates;
        if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call);
            Intrinsic && Intrinsic->isAssumeLikeIntrinsic())
            return false;
        return !Call.doesNotAccessMemory() || !Call.doesNotThrow() || !Call.hasFnAttr(Attribute::WillReturn);
    }

    SmallPtrSet<const Instruction *, 4> Candidates;
};

} // namespace

SmallPtrSet<const Instruction *, 4> findIdleSyncs(const Function &Copy,
                                                  function_ref<bool(const CallBase &)> IsUnused) {
    return IdleSyncFinder(Copy, IsUnused).run();
}

} // namespace kesco
