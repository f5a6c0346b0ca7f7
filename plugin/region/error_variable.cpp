#include "plugin/region/error_variable.h"

#include "plugin/cuda/host_library.h"
#include "plugin/ir/walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace llvm;

namespace kesco {

const AllocaInst *variableOf(const CallBase &Call) {
    if (!Call.hasOneUse())
        return nullptr;
    const auto *Store = dyn_cast<StoreInst>(*Call.user_begin());
    const auto *Found = Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
    return Found && Found->isStaticAlloca() && Store->getValueOperand() == &Call ? Found : nullptr;
}

/// True if \p Variable is only loaded and stored, as a whole.
static bool isPlain(const AllocaInst &Variable) {
    return all_of(Variable.users(), [&](const User *By) {
        if (const auto *Load = dyn_cast<LoadInst>(By))
            return Load->isSimple() && Load->getType() == Variable.getAllocatedType();
        if (const auto *Store = dyn_cast<StoreInst>(By))
            return Store->isSimple() && Store->getPointerOperand() == &Variable &&
                   Store->getValueOperand()->getType() == Variable.getAllocatedType();
        return cast<Instruction>(By)->isLifetimeStartOrEnd();
    });
}

/// True for the error that a call of CUDA's has returned: any of these fails once the device has.
static bool isError(const Value &V) {
    const auto *Call = dyn_cast<CallBase>(&V);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->isDeclaration() && isCudaFunction(*Callee);
}

namespace {

/// Follows what a call returned to where the program looks at it: through a variable, or where that has
/// become values, through merges of these.
class LookFinder {
  public:
    LookFinder(const CallBase &Call, function_ref<bool(const Instruction &)> Launches)
        : Call(Call), Launches(Launches), Variable(variableOf(Call)) {
        if (!Variable)
            addMerged(Call);
    }

    SmallVector<ErrorLook, 2> run() {
        IsKnown = Variable ? isPlain(*Variable) : !Merged.empty();
        if (IsKnown)
            walkAlongEdges(
                behind(Call), [&](const Instruction &I) { return visit(I); },
                [&](const Edge &At) { return follow(At); });
        if (!IsKnown || !Launched)
            Looks.clear();
        return std::move(Looks);
    }

  private:
    void addMerged(const Value &V) {
        for (const User *By : V.users())
            if (const auto *Phi = dyn_cast<PHINode>(By); Phi && Merged.insert(Phi).second)
                addMerged(*Phi);
    }

    bool isKept(const Value &V) const {
        const auto *Phi = dyn_cast<PHINode>(&V);
        return &V == &Call || (Phi && Merged.contains(Phi));
    }

    /// The value that \p I looks at; null for none.
    const Value *lookedAt(const Instruction &I) const {
        if (Variable) {
            const auto *Load = dyn_cast<LoadInst>(&I);
            return Load && Load->getPointerOperand() == Variable ? Load : nullptr;
        }
        if (isa<PHINode>(I))
            return nullptr;
        const auto Found = find_if(I.operands(), [&](const Use &Each) { return isKept(*Each.get()); });
        return Found == I.op_end() ? nullptr : Found->get();
    }

    Walk visit(const Instruction &I) {
        Launched |= Launches(I);
        if (const Value *Of = lookedAt(I)) {
            if (none_of(Looks, [&](const ErrorLook &Known) { return Known.At == &I; }))
                Looks.push_back({const_cast<Instruction *>(&I), const_cast<Value *>(Of)});
            return Walk::Turn;
        }
        const auto *Store = dyn_cast<StoreInst>(&I);
        if (Variable && Store && Store->getPointerOperand() == Variable)
            IsKnown = isError(*Store->getValueOperand());
        return IsKnown ? Walk::On : Walk::End;
    }

    bool follow(const Edge &At) {
        for (const PHINode &Phi : At.To->phis()) {
            const Value *From = Phi.getIncomingValueForBlock(At.From);
            if (Merged.contains(&Phi) && !isKept(*From) && !isError(*From))
                IsKnown = false;
        }
        return IsKnown;
    }

    const CallBase &Call;
    const function_ref<bool(const Instruction &)> Launches;
    const AllocaInst *const Variable;
    SmallPtrSet<const PHINode *, 8> Merged;
    SmallVector<ErrorLook, 2> Looks;
    bool IsKnown = true;   ///< nothing but errors can have taken the place of what the call returned
    bool Launched = false; ///< something is, before the program looks
};

} // namespace

SmallVector<ErrorLook, 2> findLaterLooks(const CallBase &Call,
                                         function_ref<bool(const Instruction &)> Launches) {
    return LookFinder(Call, Launches).run();
}

} // namespace kesco
