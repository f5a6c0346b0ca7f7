#include "plugin/device/summarise.h"

#include "plugin/device/callee_effects.h"
#include "plugin/device/provenance.h"
#include "plugin/device/ranges.h"
#include "plugin/device/source_place.h"
#include "plugin/device/waiting.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/AtomicOrdering.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace kesco {

namespace {

class Summariser {
  public:
    Summariser(Function &Kernel, const VariableSet &Read, Analyses &All, clang::SourceManager &Sources,
               kesco_summary &Summary)
        : Kernel(Kernel), Read(Read), From(Kernel),
          Bounds(Kernel, All.functions().getResult<DominatorTreeAnalysis>(Kernel),
                 All.functions().getResult<LoopAnalysis>(Kernel)),
          Sources(Sources), Summary(Summary) {
    }

    WritePlaces run(Analyses &All) {
        for (Function *F : From.functions())
            for (Instruction &I : instructions(*F))
                visit(I);
        if (mayWait(From, All))
            Summary.flags |= KESCO_WAITS;
        for (const auto &[Access, Bytes] : Within)
            if (std::string Text = Bounds.text(Bytes); !Text.empty())
                check(kesco_summary_set_range(&Summary, Access.Parameter, Access.Offset, Access.Effect,
                                              Text.c_str()));
        return std::move(Writes);
    }

  private:
    void visit(Instruction &I) {
        if (releasesToSystem(I))
            anywhere(I, KESCO_READS | KESCO_WRITES, KESCO_SIGNALS_THE_HOST);
        if (const auto *Load = dyn_cast<LoadInst>(&I))
            access(I, Load->getPointerOperand(), KESCO_READS, Load->getType());
        else if (const auto *Store = dyn_cast<StoreInst>(&I))
            access(I, Store->getPointerOperand(), KESCO_WRITES, Store->getValueOperand()->getType());
        else if (isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I))
            access(I, I.getOperand(0), KESCO_READS | KESCO_WRITES, I.getOperand(1)->getType());
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

    void accessInAssembly(CallBase &Call, const kesco_assembly_effects &Assembly) {
        for (const kesco_assembly_access &Access : accessesOf(Assembly)) {
            if (Access.in_block)
                continue;
            PlaceSet Places = From.ofAssembly(Call, Access.address);
            if (Places.empty())
                anywhere(Call, Access.effect, "it makes an address of a number");
            access(Call, Places, Access.effect);
        }
    }

    /// \p Type: of what is accessed; null where that may be more.
    void access(Instruction &I, const Value *Address, unsigned Effect, Type *Accessed = nullptr) {
        const auto *Type = dyn_cast<PointerType>(Address->getType());
        if ((Type && isOwnSpace(Type->getAddressSpace())) || isa<ConstantPointerNull>(Address) ||
            isa<UndefValue>(Address))
            return;
        PlaceSet Places = From.of(Address);
        if (Places.empty())
            anywhere(I, Effect, "it makes an address of a number");
        access(I, Places, Effect, bytesOf(I, Address, Accessed, Places));
    }

    /// Which bytes the access goes to, counted from where the pointer in the one parameter leads that \p
    /// Places is.
    Interval bytesOf(Instruction &I, const Value *Address, Type *Accessed, const PlaceSet &Places) {
        if (!Accessed || I.getFunction() != &Kernel || Places.count() != 1 ||
            From.place(Places.find_first()).What != MemoryPlace::Parameter)
            return Interval::unknown();
        const Value *Root = Ranges::rootOf(Address);
        const auto *Load = dyn_cast_or_null<LoadInst>(Root);
        const auto *Given =
            dyn_cast_or_null<Argument>(Load ? getUnderlyingObject(Load->getPointerOperand()) : Root);
        TypeSize Size = Kernel.getDataLayout().getTypeStoreSize(Accessed);
        if (!Given || Given->hasByValAttr() != (Load != nullptr) || Size.isScalable())
            return Interval::unknown();
        return Bounds.bytesOf(I, Address, Size.getFixedValue());
    }

    void access(Instruction &I, const PlaceSet &Places, unsigned Effect,
                const Interval &Bytes = Interval::unknown()) {
        for (unsigned Number : Places) {
            const MemoryPlace &Place = From.place(Number);
            switch (Place.What) {
            case MemoryPlace::Parameter:
                accessParameter(I, Place, Effect);
                for (unsigned One : {KESCO_READS, KESCO_WRITES})
                    if (Effect & One)
                        addBytes({Place.Index, Place.Offset, One}, Bytes);
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

    /// Accesses with one effect through one pointer.
    struct Access {
        unsigned Parameter, Offset, Effect;

        bool operator<(const Access &Other) const {
            return std::tie(Parameter, Offset, Effect) <
                   std::tie(Other.Parameter, Other.Offset, Other.Effect);
        }
    };

    void addBytes(const Access &Which, const Interval &Bytes) {
        Bounds.add(Within[Which], Bytes);
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
        const kesco_variable_kind Kind = Variable.getAddressSpace() == KESCO_SPACE_CONSTANT ? KESCO_CONSTANT
                                         : Read.contains(&Variable) ? KESCO_VARIABLE_READ
                                                                    : KESCO_VARIABLE;
        check(kesco_summary_add_variable(&Summary, Variable.getName().str().c_str(), Effect, Kind));
    }

    void anywhere(Instruction &I, unsigned Effect, StringRef Why) {
        if ((Effect & ~Summary.beyond.effect) == 0)
            return;
        std::string At = placeOf(locate(I.getDebugLoc(), Sources), Sources);
        check(kesco_summary_add_anywhere(&Summary, Effect, Why.str().c_str(), orNull(At)));
    }

    void unseen(Instruction &I, StringRef Why) {
        if (Summary.hidden.runs)
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

    Function &Kernel;
    const VariableSet &Read;
    Provenance From;
    Ranges Bounds;
    std::map<Access, kesco_interval_parts> Within; ///< value-initialised: nothing
    clang::SourceManager &Sources;
    kesco_summary &Summary;
    WritePlaces Writes;
};

} // namespace

WritePlaces summarise(Function &Kernel, const VariableSet &Read, Analyses &All, clang::SourceManager &Sources,
                      kesco_summary &Summary) {
    return Summariser(Kernel, Read, All, Sources, Summary).run(All);
}

} // namespace kesco
