#include "plugin/device/loop_writes.h"

extern "C" {
#include "plugin/summary/summary.h"
}

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

namespace {

/// Finds writes to the places \p What.
class WriteFinder {
  public:
    WriteFinder(const PlaceSet &What, Provenance &Sources) : What(What), Sources(Sources) {
    }

    bool mayWrite(const Instruction &I) {
        if (const auto *Store = dyn_cast<StoreInst>(&I))
            return meets(Sources.of(Store->getPointerOperand()));
        if (isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I))
            return meets(Sources.of(I.getOperand(0)));
        const auto *Call = dyn_cast<CallBase>(&I);
        return Call && mayCallWrite(*Call);
    }

  private:
    /// True if \p Places has one of which \p Is is true.
    bool hasOne(const PlaceSet &Places, function_ref<bool(MemoryPlace::Kind)> Is) const {
        for (unsigned Number : Places)
            if (Is(Sources.place(Number).What))
                return true;
        return false;
    }

    /// True if \p Places may lead anywhere that others see.
    bool areLoose(const PlaceSet &Places) const {
        return hasOne(Places, [](MemoryPlace::Kind Kind) {
            return Kind == MemoryPlace::Elsewhere || Kind == MemoryPlace::Number;
        });
    }

    bool areShared(const PlaceSet &Places) const {
        return hasOne(Places, [](MemoryPlace::Kind Kind) { return Kind != MemoryPlace::Own; });
    }

    bool meets(const PlaceSet &Places) const {
        return What.intersects(Places) || (areLoose(What) && areShared(Places)) ||
               (areLoose(Places) && areShared(What));
    }

    bool mayCallWrite(const CallBase &Call) {
        const Function *Callee = Call.getCalledFunction();
        if (Callee && hasKnownBody(*Callee))
            return Seen.insert(Callee).second &&
                   any_of(instructions(*Callee), [&](const Instruction &I) { return mayWrite(I); });
        const CalleeEffects &Effects = Sources.effectsOf(Call);
        return !Effects.Unseen.empty() || (Effects.Anywhere & KESCO_WRITES) != 0 ||
               any_of(Effects.Arguments,
                      [&](const ArgumentAccess &Access) {
                          return (Access.Effect & KESCO_WRITES) != 0 &&
                                 meets(Sources.of(Call.getArgOperand(Access.Argument)));
                      }) ||
               (Effects.Assembly && any_of(Effects.Assembly->Accesses, [&](const AssemblyAccess &Access) {
                    return (Access.Effect & KESCO_WRITES) != 0 &&
                           meets(Sources.ofAssembly(Call, Access.Address));
                }));
    }

    const PlaceSet &What;
    Provenance &Sources;
    SmallPtrSet<const Function *, 8> Seen;
};

} // namespace

bool writesOtherwise(const Loop &L, const Value *Address, Provenance &Sources,
                     function_ref<bool(const Instruction &)> Allowed) {
    const PlaceSet What = Sources.of(Address);
    WriteFinder Finder(What, Sources);
    return any_of(L.blocks(), [&](const BasicBlock *Block) {
        return any_of(*Block, [&](const Instruction &I) { return !Allowed(I) && Finder.mayWrite(I); });
    });
}

} // namespace kesco
