#include "plugin/device/summarise.h"

#include "plugin/assembly/assembly.h"
#include "plugin/device/callee_effects.h"
#include "plugin/device/provenance.h"
#include "plugin/device/source_place.h"
#include "plugin/device/waiting.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/AtomicOrdering.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace kesco {

namespace {

class Summariser {
  public:
    Summariser(Function &Kernel, clang::SourceManager &Sources, kesco_summary &Summary)
        : From(Kernel), Sources(Sources), Summary(Summary) {
    }

    WritePlaces run(Analyses &All) {
        for (Function *F : From.functions())
            for (Instruction &I : instructions(*F))
                visit(I);
        if (mayWait(From, All))
            Summary.flags |= KESCO_WAITS;
        return std::move(Writes);
    }

  private:
    void visit(Instruction &I) {
        if (releasesToSystem(I))
            anywhere(I, KESCO_READS | KESCO_WRITES, SignalsTheHost);
        if (const auto *Load = dyn_cast<LoadInst>(&I))
            access(I, Load->getPointerOperand(), KESCO_READS);
        else if (const auto *Store = dyn_cast<StoreInst>(&I))
            access(I, Store->getPointerOperand(), KESCO_WRITES);
        else if (isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I))
            access(I, I.getOperand(0), KESCO_READS | KESCO_WRITES);
        else if (auto *Call = dyn_cast<CallBase>(&I))
            visitCall(*Call);
        else if (I.mayReadOrWriteMemory() && !isa<FenceInst>(I))
            unseen(I, "an instruction that is not understood");
    }

    /// Read-modify-writes are left out: CUDA's own, relaxed as they are, look like those that release.
    static bool releasesToSystem(const Instruction &I) {
        if (const auto *Fence = dyn_cast<FenceInst>(&I))
            return Fence->getSyncScopeID() == SyncScope::System && isReleaseOrStronger(Fence->getOrdering());
        const auto *Store = dyn_cast<StoreInst>(&I);
        return Store && Store->getSyncScopeID() == SyncScope::System &&
               isReleaseOrStronger(Store->getOrdering());
    }

    void visitCall(CallBase &Call) {
        const Function *Callee = Call.getCalledFunction();
        if (Callee && hasKnownBody(*Callee))
            return;
        const CalleeEffects &Effects = From.effectsOf(Call);
        for (const ArgumentAccess &Access : Effects.Arguments)
            access(Call, Call.getArgOperand(Access.Argument), Access.Effect);
        if (Effects.Assembly)
            accessInAssembly(Call, *Effects.Assembly);
        if (Effects.ReadsPointeesOf)
            access(Call, From.pointeesOf(Effects.ReadsPointeesOf), KESCO_READS);
        Summary.flags |= Effects.Flags;
        if (Effects.Anywhere)
            anywhere(Call, Effects.Anywhere, Effects.AnywhereWhy);
        if (!Effects.Unseen.empty())
            unseen(Call, Effects.Unseen);
    }

    void accessInAssembly(CallBase &Call, const AssemblyEffects &Assembly) {
        for (const AssemblyAccess &Access : Assembly.Accesses) {
            if (Access.InBlock)
                continue;
            PlaceSet Places = From.ofAssembly(Call, Access.Address);
            if (Places.empty())
                anywhere(Call, Access.Effect, "it makes an address of a number");
            access(Call, Places, Access.Effect);
        }
    }

    void access(Instruction &I, const Value *Address, unsigned Effect) {
        const auto *Type = dyn_cast<PointerType>(Address->getType());
        if ((Type && isOwnSpace(Type->getAddressSpace())) || isa<ConstantPointerNull>(Address) ||
            isa<UndefValue>(Address))
            return;
        PlaceSet Places = From.of(Address);
        if (Places.empty())
            anywhere(I, Effect, "it makes an address of a number");
        access(I, Places, Effect);
    }

    void access(Instruction &I, const PlaceSet &Places, unsigned Effect) {
        for (unsigned Number : Places) {
            const MemoryPlace &Place = From.place(Number);
            switch (Place.What) {
            case MemoryPlace::Parameter:
                accessParameter(I, Place, Effect);
                break;
            case MemoryPlace::Variable:
                accessVariable(*cast<GlobalVariable>(Place.Base), Effect);
                break;
            case MemoryPlace::Own:
                break;
            case MemoryPlace::Heap:
                Summary.flags |= KESCO_USES_HEAP;
                break;
            case MemoryPlace::Elsewhere:
                anywhere(I, Effect, "it follows a pointer that it loads from memory");
                break;
            case MemoryPlace::Number:
                anywhere(I, Effect, "it makes an address of a number");
                break;
            }
        }
    }

    void accessParameter(Instruction &I, const MemoryPlace &Place, unsigned Effect) {
        bool IsFirstWrite =
            (Effect & ~kesco_summary_effect(&Summary, Place.Index, Place.Offset) & KESCO_WRITES) != 0;
        clang::SourceLocation Where =
            IsFirstWrite ? locate(I.getDebugLoc(), Sources) : clang::SourceLocation();
        std::string At = placeOf(Where, Sources);
        if (IsFirstWrite && Place.Offset == 0)
            Writes[Place.Index] = Where;
        check(kesco_summary_add_parameter(&Summary, Place.Index, Place.Offset, Effect, orNull(At)));
    }

    void accessVariable(const GlobalVariable &Variable, unsigned Effect) {
        bool Constant = Variable.getAddressSpace() == ConstantSpace;
        check(kesco_summary_add_variable(&Summary, Variable.getName().str().c_str(), Effect, Constant));
    }

    void anywhere(Instruction &I, unsigned Effect, StringRef Why) {
        if ((Effect & ~Summary.anywhere) == 0)
            return;
        std::string At = placeOf(locate(I.getDebugLoc(), Sources), Sources);
        check(kesco_summary_add_anywhere(&Summary, Effect, Why.str().c_str(), orNull(At)));
    }

    void unseen(Instruction &I, StringRef Why) {
        if (Summary.unseen)
            return;
        std::string At = placeOf(locate(I.getDebugLoc(), Sources), Sources);
        check(kesco_summary_add_unseen(&Summary, Why.str().c_str(), orNull(At)));
    }

    static const char *orNull(const std::string &Text) {
        return Text.empty() ? nullptr : Text.c_str();
    }

    static void check(int Status) {
        if (Status != 0)
            report_bad_alloc_error("kesco: access summaries");
    }

    Provenance From;
    clang::SourceManager &Sources;
    kesco_summary &Summary;
    WritePlaces Writes;
};

} // namespace

WritePlaces summarise(Function &Kernel, Analyses &All, clang::SourceManager &Sources,
                      kesco_summary &Summary) {
    return Summariser(Kernel, Sources, Summary).run(All);
}

} // namespace kesco
