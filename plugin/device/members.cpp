#include "plugin/device/members.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace kesco {

/// True for an array in \p Memory that may go on past the end of its type (Clang's -fstrict-flex-arrays=2). A
/// parameter has no room for that.
static bool isFlexible(const ArrayType &Array, const Value &Memory) {
    return Array.getNumElements() <= (isa<Argument>(Memory) ? 0u : 1u);
}

std::optional<SmallVector<uint64_t, 8>> offsetsFrom(const Value *Struct, const Value *Address,
                                                    const DataLayout &Layout) {
    if (Address == Struct)
        return SmallVector<uint64_t, 8>{0};
    const auto *Operation = dyn_cast<Operator>(Address);
    if (!Operation || (!isa<GEPOperator>(Address) && !Instruction::isCast(Operation->getOpcode())))
        return std::nullopt;
    std::optional<SmallVector<uint64_t, 8>> Offsets = offsetsFrom(Struct, Operation->getOperand(0), Layout);
    const auto *Computation = dyn_cast<GEPOperator>(Address);
    if (!Offsets || !Computation)
        return Offsets;
    const Type *Outer = nullptr; /* what the step at hand indexes into; the first steps over whole objects */
    for (auto Step = gep_type_begin(Computation), End = gep_type_end(Computation); Step != End;
         Outer = Step.getIndexedType(), ++Step) {
        const auto *Index = dyn_cast<ConstantInt>(Step.getOperand());
        if (StructType *Record = Step.getStructTypeOrNull()) {
            for (uint64_t &Offset : *Offsets)
                Offset += Layout.getStructLayout(Record)->getElementOffset(Index->getZExtValue());
            continue;
        }
        uint64_t Stride = Step.getSequentialElementStride(Layout);
        if (Index) {
            for (uint64_t &Offset : *Offsets)
                Offset += Stride * Index->getSExtValue();
            continue;
        }
        const auto *Array = dyn_cast_or_null<ArrayType>(Outer);
        if (!Array || isFlexible(*Array, *Struct) || Offsets->size() * Array->getNumElements() > MostMembers)
            return std::nullopt;
        SmallVector<uint64_t, 8> Spread;
        for (uint64_t Offset : *Offsets)
            for (uint64_t I = 0; I < Array->getNumElements(); ++I)
                Spread.push_back(Offset + Stride * I);
        Offsets = std::move(Spread);
    }
    return Offsets;
}

/// Adds to \p Slots the offsets of pointers in \p Type, which lies at \p Offset.
static void findPointers(Type *Type, uint64_t Offset, const DataLayout &Layout,
                         SmallVectorImpl<uint64_t> &Slots) {
    if (Slots.size() > MostMembers)
        return;
    if (Type->isPointerTy()) {
        Slots.push_back(Offset);
    } else if (auto *Record = dyn_cast<StructType>(Type)) {
        for (unsigned I = 0; I < Record->getNumElements(); ++I)
            findPointers(Record->getElementType(I),
                         Offset + Layout.getStructLayout(Record)->getElementOffset(I), Layout, Slots);
    } else if (auto *Array = dyn_cast<ArrayType>(Type)) {
        uint64_t Stride = Layout.getTypeAllocSize(Array->getElementType());
        for (uint64_t I = 0; I < Array->getNumElements() && Slots.size() <= MostMembers; ++I)
            findPointers(Array->getElementType(), Offset + I * Stride, Layout, Slots);
    }
}

SmallVector<uint64_t, 8> pointersIn(const Argument &Struct) {
    SmallVector<uint64_t, 8> Slots;
    findPointers(Struct.getParamByValType(), 0, Struct.getParent()->getDataLayout(), Slots);
    return Slots;
}

} // namespace kesco
