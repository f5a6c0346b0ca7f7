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

class WriteFinder {
  public:
    explicit WriteFinder(Provenance &Sources) : Sources(Sources) {
    }

    void add(const Instruction &I) {
        if (const auto *Store = dyn_cast<StoreInst>(&I))
            Found.Places |= Sources.of(Store->getPointerOperand());
        else if (isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I))
            Found.Places |= Sources.of(I.getOperand(0));
        else if (const auto *Call = dyn_cast<CallBase>(&I))
            addCall(*Call);
    }

    LoopWrites Found;

  private:
    void addCall(const CallBase &Call) {
        const Function *Callee = Call.getCalledFunction();
        if (Callee && hasKnownBody(*Callee)) {
            if (Seen.insert(Callee).second)
                for (const Instruction &I : instructions(*Callee))
                    add(I);
            return;
        }
        const CalleeEffects &Effects = Sources.effectsOf(Call);
        Found.Anywhere |= !Effects.Unseen.empty() || (Effects.Anywhere & KESCO_WRITES) != 0;
        for (const ArgumentAccess &Access : Effects.Arguments)
            if ((Access.Effect & KESCO_WRITES) != 0)
                Found.Places |= Sources.of(Call.getArgOperand(Access.Argument));
        if (!Effects.Assembly)
            return;
        for (const kesco_assembly_access &Access : accessesOf(*Effects.Assembly))
            if ((Access.effect & KESCO_WRITES) != 0)
                Found.Places |= Sources.ofAssembly(Call, Access.address);
    }

    Provenance &Sources;
    SmallPtrSet<const Function *, 8> Seen;
};

} // namespace

/// True if \p Places may lead anywhere that others see.
static bool areLoose(const PlaceSet &Places, const Provenance &Sources) {
    for (unsigned Number : Places)
        if (Sources.place(Number).What == MemoryPlace::Elsewhere ||
            Sources.place(Number).What == MemoryPlace::Number)
            return true;
    return false;
}

bool LoopWrites::mayMeet(const PlaceSet &What, const Provenance &Sources) const {
    return Anywhere || What.intersects(Places) || (areLoose(What, Sources) && Sources.areShared(Places)) ||
           (areLoose(Places, Sources) && Sources.areShared(What));
}

LoopWrites findWrites(const Loop &L, Provenance &Sources, function_ref<bool(const Instruction &)> Allowed) {
    WriteFinder Finder(Sources);
    for (const BasicBlock *Block : L.blocks())
        for (const Instruction &I : *Block)
            if (!Allowed(I))
                Finder.add(I);
    return std::move(Finder.Found);
}

} // namespace kesco
