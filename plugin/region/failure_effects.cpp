#include "plugin/region/failure_effects.h"

#include "plugin/cuda/host_functions.h"
#include "plugin/cuda/host_library.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kesco {

using Owner = function_ref<bool(const Value &)>;

/// Functions that \p I may be in, one called by the other, are looked into so deep.
static constexpr unsigned Deepest = 4;

static bool has(const CallBase &Call, kesco_host_trait Trait) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && libraryTraits(*Callee) & Trait;
}

/// True if \p Pointer leads to memory that is \p IsOwn, or that such memory leads to.
static bool leadsToOwn(const Value &Pointer, Owner IsOwn, SmallPtrSetImpl<const Value *> &Seen) {
    const Value &Base = *getUnderlyingObject(&Pointer);
    if (const auto *Call = dyn_cast<CallBase>(&Base))
        return has(*Call, KESCO_HOST_NEW) && IsOwn(Base);
    if (!Seen.insert(&Base).second || IsOwn(Base))
        return true;
    if (const auto *Load = dyn_cast<LoadInst>(&Base))
        return leadsToOwn(*Load->getPointerOperand(), IsOwn, Seen);
    if (isa<PHINode>(Base) || isa<SelectInst>(Base))
        return all_of(cast<Instruction>(Base).operands(), [&](const Use &Each) {
            return !Each->getType()->isPointerTy() || leadsToOwn(*Each, IsOwn, Seen);
        });
    return false;
}

static bool isOwnMemory(const Value &Pointer, Owner IsOwn) {
    SmallPtrSet<const Value *, 8> Seen;
    return leadsToOwn(Pointer, IsOwn, Seen);
}

/// True if \p Call writes to std::cout or the like.
static bool putsOutByStream(const CallBase &Call) {
    if (!has(Call, KESCO_HOST_STREAM) || Call.arg_size() == 0 ||
        !Call.getArgOperand(0)->getType()->isPointerTy())
        return false;
    const Value &Stream = *getUnderlyingObject(Call.getArgOperand(0));
    const auto *Returned = dyn_cast<CallBase>(&Stream);
    return isa<GlobalValue>(Stream) || (Returned && putsOutByStream(*Returned));
}

static bool onlySays(const Instruction &I, Owner IsOwn, unsigned Depth);

/// The same for all of what \p Call calls. \p Callee: in sight.
static bool onlySays(const CallBase &Call, const Function &Callee, Owner IsOwn, unsigned Depth) {
    const auto isOwnInside = [&](const Value &Base) {
        const auto *Given = dyn_cast<Argument>(&Base);
        return isa<AllocaInst>(Base) || isa<CallBase>(Base) ||
               (Given && isOwnMemory(*Call.getArgOperand(Given->getArgNo()), IsOwn));
    };
    return Depth < Deepest && !Callee.isInterposable() && !Callee.isVarArg() &&
           all_of(
               instructions(Callee),
               [&](const Instruction &I) { return onlySays(I, isOwnInside, Depth + 1); });
}

static bool onlySays(const Instruction &I, Owner IsOwn, unsigned Depth) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!I.mayHaveSideEffects() || (!Call && I.isTerminator()))
        return true;
    if (const auto *Store = dyn_cast<StoreInst>(&I))
        return !Store->isAtomic() && !Store->isVolatile() && isOwnMemory(*Store->getPointerOperand(), IsOwn);
    if (!Call)
        return false;
    if (const auto *Memory = dyn_cast<AnyMemIntrinsic>(Call))
        return isOwnMemory(*Memory->getRawDest(), IsOwn);
    const Function *Callee = Call->getCalledFunction();
    if (!Callee)
        return false;
    if (isa<IntrinsicInst>(Call) || Callee->getName().starts_with("kesco.") || isCudaFunction(*Callee) ||
        Call->doesNotReturn() || libraryTraits(*Callee) & (KESCO_HOST_WORDS | KESCO_HOST_NEW) ||
        putsOutByStream(*Call))
        return true;
    if (!Callee->isDeclaration())
        return onlySays(*Call, *Callee, IsOwn, Depth);
    return isHostLibraryFunction(*Callee) && Call->arg_size() > 0 &&
           Call->getArgOperand(0)->getType()->isPointerTy() && isOwnMemory(*Call->getArgOperand(0), IsOwn);
}

bool onlySays(const Instruction &I, Owner IsOwn) {
    return onlySays(I, IsOwn, 0);
}

} // namespace kesco
