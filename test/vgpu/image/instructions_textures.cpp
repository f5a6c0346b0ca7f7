#include "instructions.h"
#include "library.h"
#include "test/vgpu/device_abi.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace vgpu {
namespace {

using Instruction = PtxInstruction;

constexpr PtxType Word = {'b', 32};
constexpr unsigned MostWords = 4;

/// VGPU_TEXELS_ of an instruction's geometry: "a2d" has layers of two dimensions. 0 for what is not modelled.
unsigned geometryOf(const Instruction &Inst) {
    unsigned Form = 0;
    for (StringRef Modifier : Inst.Modifiers)
        Form |= StringSwitch<unsigned>(Modifier)
                    .Case("1d", 1)
                    .Case("2d", 2)
                    .Case("3d", 3)
                    .Case("a1d", 1 | VGPU_TEXELS_LAYERED)
                    .Case("a2d", 2 | VGPU_TEXELS_LAYERED)
                    .Case("cube", 3 | VGPU_TEXELS_CUBE)
                    .Case("acube", 3 | VGPU_TEXELS_CUBE | VGPU_TEXELS_LAYERED)
                    .Default(0);
    return Form;
}

/// Memory of the function's own for a call of the library.
AllocaInst *makePlace(Assembly &A, Type *T) {
    BasicBlock &Entry = A.B.GetInsertBlock()->getParent()->getEntryBlock();
    return IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(T);
}

/// The coordinates behind the handle in [handle, {...}], of which the last may stand twice; null if they are
/// not of the kind that \p Form asks for.
AllocaInst *placeOf(Assembly &A, const kesco_ptx_operand &Operand, unsigned Form) {
    const unsigned Count = (Form & VGPU_TEXELS_DIMENSIONS) + ((Form & VGPU_TEXELS_LAYERED) != 0);
    if (Operand.form != KESCO_PTX_ADDRESS || A.elements(Operand) < 1 + Count)
        return nullptr;
    AllocaInst *Place = makePlace(A, ArrayType::get(A.B.getInt32Ty(), MostWords));
    for (unsigned Element = 0; Element < Count; Element++) {
        Value *V = A.value(Operand, 1 + Element, Word);
        if (!V)
            return nullptr;
        A.B.CreateStore(V, A.B.CreateConstGEP1_32(A.B.getInt32Ty(), Place, Element));
    }
    return Place;
}

/// Four channels of a texture. Levels and gradients choose among levels of detail, of which there is one.
bool fetch(Assembly &A, const Instruction &Inst, unsigned Form) {
    if (!(Form & VGPU_TEXELS_DIMENSIONS) || Inst.Types.size() != 2 || Inst.Operands.size() < 2 ||
        A.elements(Inst.Operands[0]) != MostWords)
        return false;
    if (Inst.Types[1].Class != 'f')
        Form |= VGPU_TEXELS_INTEGERS;
    Value *Handle = A.value(Inst.Operands[1], 0, {'b', 64});
    AllocaInst *Place = placeOf(A, Inst.Operands[1], Form);
    AllocaInst *Channels = makePlace(A, ArrayType::get(A.B.getInt32Ty(), MostWords));
    if (!Handle || !Place ||
        !callLibrary(A.I, A.B, "vgpu_texture_fetch", {Handle, A.B.getInt32(Form), Place, Channels},
                     A.B.getVoidTy()))
        return false;
    A.accessesMemory();
    for (unsigned Element = 0; Element < MostWords; Element++) {
        Value *From = A.B.CreateConstGEP1_32(A.B.getInt32Ty(), Channels, Element);
        if (!A.set(Inst.Operands[0], Element, A.B.CreateLoad(A.B.getInt32Ty(), From), Word))
            return false;
    }
    return true;
}

bool emitFetch(Assembly &A, const Instruction &Inst, Op) {
    return fetch(A, Inst, geometryOf(Inst));
}

bool emitGather(Assembly &A, const Instruction &Inst, Op) {
    unsigned Channel = 0;
    for (StringRef Modifier : Inst.Modifiers)
        Channel += StringSwitch<unsigned>(Modifier).Case("g", 1).Case("b", 2).Case("a", 3).Default(0);
    return fetch(A, Inst, geometryOf(Inst) | VGPU_TEXELS_GATHER | Channel * VGPU_TEXELS_CHANNEL);
}

/// A load has its result first, a store its value last: What is Op::None.
bool emitSurface(Assembly &A, const Instruction &Inst, Op What) {
    const bool Loads = What != Op::None;
    const unsigned Geometry = geometryOf(Inst), Count = Inst.has("v4") ? 4 : Inst.has("v2") ? 2 : 1;
    if (!Geometry || Inst.Types.size() != 1 || Inst.Operands.size() != 2 || !Inst.has("b"))
        return false;
    const kesco_ptx_operand &Data = Inst.Operands[Loads ? 0 : 1], &Surface = Inst.Operands[Loads ? 1 : 0];
    const unsigned Outside = Inst.has("clamp")  ? VGPU_TEXELS_CLAMPS
                             : Inst.has("zero") ? VGPU_TEXELS_ZEROS
                                                : 0;
    const unsigned Form = Geometry | Outside | (Loads ? 0 : VGPU_TEXELS_WRITES);
    Type *Element = A.typeOf(Inst.Types[0]);
    Value *Handle = A.value(Surface, 0, {'b', 64});
    AllocaInst *Place = placeOf(A, Surface, Form), *Bytes = makePlace(A, ArrayType::get(Element, Count));
    if (!Handle || !Place || A.elements(Data) != Count)
        return false;
    for (unsigned Index = 0; !Loads && Index < Count; Index++) {
        Value *V = A.value(Data, Index, Inst.Types[0]);
        if (!V)
            return false;
        A.B.CreateStore(V, A.B.CreateConstGEP1_32(Element, Bytes, Index));
    }
    A.accessesMemory();
    if (!callLibrary(A.I, A.B, "vgpu_surface_access",
                     {Handle, A.B.getInt32(Form), Place, Bytes, A.B.getInt64(Count * Inst.Types[0].Bits / 8)},
                     A.B.getVoidTy()))
        return false;
    for (unsigned Index = 0; Loads && Index < Count; Index++) {
        Value *From = A.B.CreateConstGEP1_32(Element, Bytes, Index);
        if (!A.set(Data, Index, A.B.CreateLoad(Element, From), Inst.Types[0]))
            return false;
    }
    return true;
}

#define GEOMETRIES "1d 2d 3d a1d a2d "

constexpr Row Rows[] = {
    {"tex", GEOMETRIES "cube acube base level grad v4", emitFetch, Op::None},
    {"tld4", "r g b a 2d a2d v4", emitGather, Op::None},
    {"suld", GEOMETRIES "b trap clamp zero v2 v4", emitSurface, Op::Add},
    {"sust", GEOMETRIES "b trap clamp zero wb cg cs wt v2 v4", emitSurface, Op::None},
};

} // namespace

ArrayRef<Row> textureRows() {
    return Rows;
}

} // namespace vgpu
