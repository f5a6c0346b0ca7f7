#include "plugin/region/error_place.h"

#include "plugin/copy/normalise.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

BasedPlace placeOf(const Instruction &Access) {
    const Value &Pointer = *getLoadStorePointerOperand(&Access);
    const DataLayout &Layout = Access.getDataLayout();
    APInt Offset(Layout.getIndexTypeSizeInBits(Pointer.getType()), 0);
    const Value *Base = Pointer.stripAndAccumulateConstantOffsets(Layout, Offset, /*AllowNonInbounds=*/true);
    return {Base, Offset.getSExtValue()};
}

bool isOfOtherBytes(const Instruction &Access, const BasedPlace &Of, int64_t Size) {
    const BasedPlace At = placeOf(Access);
    Type *Known = getLoadStoreType(const_cast<Instruction *>(&Access)); /* LLVM 19 takes no constant one */
    const TypeSize Accessed = Access.getDataLayout().getTypeStoreSize(Known);
    const int64_t End = At.Offset + static_cast<int64_t>(Accessed.getKnownMinValue());
    return At.Base == Of.Base && (End <= Of.Offset || Of.Offset + Size <= At.Offset);
}

static bool isOwn(const Value &Pointer) {
    return isa<AllocaInst>(getUnderlyingObject(&Pointer));
}

static bool callMayTouch(const CallBase &Call, const BasedPlace &Errors) {
    if (isa<IntrinsicInst>(Call) && cast<IntrinsicInst>(Call).isAssumeLikeIntrinsic())
        return false;
    const bool Hands = any_of(Call.args(), [&](const Use &Each) {
        return Each->getType()->isPointerTy() && getUnderlyingObject(Each) == Errors.Base;
    });
    if (const auto *Copy = dyn_cast<AnyMemTransferInst>(&Call))
        return !isOwn(*Copy->getRawSource()) || !isOwn(*Copy->getRawDest());
    const Function *Callee = Call.getCalledFunction();
    return Hands || !Callee || (!Callee->isDeclaration() && !NormalisedModule::siteOf(Call));
}

bool mayTouchErrors(const Instruction &I, const BasedPlace &Errors) {
    if (!I.mayReadOrWriteMemory())
        return false;
    if (const auto *Call = dyn_cast<CallBase>(&I))
        return callMayTouch(*Call, Errors);
    const auto *Load = dyn_cast<LoadInst>(&I);
    const auto *Store = dyn_cast<StoreInst>(&I);
    if ((!Load && !Store) || I.isVolatile() || I.isAtomic())
        return true;
    const Value &Object = *getUnderlyingObject(getLoadStorePointerOperand(&I));
    if (isa<AllocaInst>(Object) || isOfOtherBytes(I, Errors, ErrorSize))
        return false;
    const bool IsOther = &Object != Errors.Base;
    return !IsOther || (Load && !Load->getType()->isPointerTy() && !Load->getType()->isFloatingPointTy());
}

} // namespace kesco
