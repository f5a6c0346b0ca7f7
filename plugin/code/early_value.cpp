#include "plugin/code/early_value.h"

#include "plugin/cuda/op_sites.h"
#include "plugin/llvm_version.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kesco {

/// Of an expression; what is longer is not evaluated.
static constexpr unsigned MostLinks = 8;

/// The local variable that \p I does nothing but write, as a whole or in part; null if it does more.
static const AllocaInst *variableWrittenBy(const Instruction &I) {
    const Value *To = nullptr;
    if (const auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple())
        To = Store->getPointerOperand();
    if (const auto *Copy = dyn_cast<MemCpyInst>(&I); Copy && !Copy->isVolatile())
        To = Copy->getDest();
    if (I.isLifetimeStartOrEnd())
        To = cast<CallBase>(I).getArgOperand(cast<CallBase>(I).arg_size() - 1);
    return To ? dyn_cast<AllocaInst>(getUnderlyingObject(To)) : nullptr;
}

/// True if nothing of \p Variable is past \p Pointer.
static bool isApart(const AllocaInst &Variable, const Value *Pointer) {
    const Value *Object = getUnderlyingObject(Pointer);
    return Object != &Variable && (isIdentifiedObject(Object) || !mayBeCaptured(&Variable));
}

/// Where \p Copy, which has its bytes from elsewhere, has the \p Size bytes past \p Pointer: how far past
/// its own first ones.
static std::optional<int64_t> placeInCopy(const MemCpyInst &Copy, const Value *Pointer, uint64_t Size) {
    const DataLayout &Layout = Copy.getModule()->getDataLayout();
    APInt At(64, 0), Begin(64, 0);
    const Value *Object = Pointer->stripAndAccumulateConstantOffsets(Layout, At, false);
    const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
    if (Copy.isVolatile() || !Length ||
        Copy.getDest()->stripAndAccumulateConstantOffsets(Layout, Begin, false) != Object)
        return std::nullopt;
    const int64_t Place = (At - Begin).getSExtValue();
    const bool Holds = Place >= 0 && Size <= Length->getZExtValue() &&
                       static_cast<uint64_t>(Place) <= Length->getZExtValue() - Size;
    return Holds ? std::optional(Place) : std::nullopt;
}

namespace {

class EarlyValue {
  public:
    EarlyValue(IRBuilderBase &Builder, const Instruction &Start, const BasicBlock &Late)
        : Builder(Builder), Start(Start), Late(Late) {
    }

    Value *of(Value *V, unsigned Links) {
        auto *I = dyn_cast<Instruction>(V);
        if (!I)
            return V;
        if (I->getParent() != &Late)
            return I->getParent() != Start.getParent() || I->comesBefore(&Start) ? V : nullptr;
        if (Links == 0 || !canEvaluateEarly(*I))
            return nullptr;
        if (auto *Load = dyn_cast<LoadInst>(I))
            return read(Load->getType(), Load->getPointerOperand(), 0, *Load, Links - 1);
        return isSafeToSpeculativelyExecute(I) || comesFor(*I) ? copy(*I, Links - 1) : nullptr;
    }

  private:
    Value *copy(Instruction &I, unsigned Links) {
        SmallVector<Value *, 4> Operands;
        for (Value *Operand : I.operands())
            if (!Operands.emplace_back(of(Operand, Links)))
                return nullptr;
        Instruction *Early = I.clone();
        for (auto [Place, Operand] : enumerate(Operands))
            Early->setOperand(static_cast<unsigned>(Place), Operand);
        return Builder.Insert(Early);
    }

    /// True if control that comes to the block comes to \p I, too.
    static bool comesFor(const Instruction &I) {
        for (const Instruction *Before = I.getPrevNode(); Before; Before = Before->getPrevNode())
            if (!isGuaranteedToTransferExecutionToSuccessor(Before))
                return false;
        return true;
    }

    /// What stands \p Offset bytes past \p Pointer before \p At.
    Value *read(Type *What, Value *Pointer, int64_t Offset, const Instruction &At, unsigned Links) {
        for (const Instruction *Before = At.getPrevNode(); Before; Before = Before->getPrevNode()) {
            const AllocaInst *Variable = variableWrittenBy(*Before);
            if (!isGuaranteedToTransferExecutionToSuccessor(Before))
                return nullptr;
            if (!Before->mayWriteToMemory() || (Variable && isApart(*Variable, Pointer)))
                continue;
            const auto *Copy = dyn_cast<MemCpyInst>(Before);
            return Copy && comesFor(*Copy) ? readFrom(*Copy, What, Pointer, Offset, Links) : nullptr;
        }
        Value *Early = Links > 0 ? of(Pointer, Links) : nullptr;
        if (Early && Offset != 0)
            Early = Builder.CreatePtrAdd(Early, Builder.getInt64(static_cast<uint64_t>(Offset)));
        return Early ? Builder.CreateAlignedLoad(What, Early, Align(1)) : nullptr;
    }

    /// The same where \p Copy is what has put it there, as arguments that are passed by value are.
    Value *readFrom(const MemCpyInst &Copy, Type *What, Value *Pointer, int64_t Offset, unsigned Links) {
        const uint64_t Size = Copy.getModule()->getDataLayout().getTypeStoreSize(What).getFixedValue();
        std::optional<int64_t> Place =
            Offset == 0 && Links > 0 ? placeInCopy(Copy, Pointer, Size) : std::nullopt;
        return Place ? read(What, Copy.getSource(), *Place, Copy, Links - 1) : nullptr;
    }

    IRBuilderBase &Builder;
    const Instruction &Start;
    const BasicBlock &Late;
};

} // namespace

Value *evaluateEarly(IRBuilderBase &Builder, Value *V, const Instruction &Start, const BasicBlock &Late) {
    return EarlyValue(Builder, Start, Late).of(V, MostLinks);
}

} // namespace kesco
