/*
 * What instructions of inline assembly do, a table row for each. instructions.cpp has arithmetic, moves and
 * comparisons, and finds the row; instructions_memory.cpp has accesses and copies, instructions_textures.cpp
 * accesses to textures and surfaces, instructions_threads.cpp what threads do together.
 */
#ifndef KESCO_TEST_VGPU_IMAGE_INSTRUCTIONS_H
#define KESCO_TEST_VGPU_IMAGE_INSTRUCTIONS_H

#include "assembly.h"

namespace vgpu {

constexpr PtxType Predicate = {'p', 1};

/// What rows of the table have in common with others.
enum class Op {
    None,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Min,
    Max,
    Left,
    Right,
    Low,
    High,
    Wide,
    Not,
    Neg,
    Abs,
    Count,
    Zeros,
    Reverse,
    Reciprocal,
    Root,
    ReciprocalRoot,
    Power,
    Logarithm,
    Sine,
    Cosine,
    Tangent
};

struct Row {
    const char *Name;
    const char *Modifiers; ///< that may stand there, whatever order; one that ends in * may be any such
    bool (*Emit)(Assembly &, const PtxInstruction &, Op);
    Op What;
};

llvm::ArrayRef<Row> memoryRows();
llvm::ArrayRef<Row> textureRows();
llvm::ArrayRef<Row> threadRows();

/// The one type of an instruction that has one, of a class in \p Classes.
std::optional<PtxType> onlyType(const PtxInstruction &Inst, llvm::StringRef Classes);

/// The operands from the first behind the result on, as \p Type; empty if one is not modelled, or they are
/// not \p Count.
llvm::SmallVector<llvm::Value *, 3> sources(Assembly &A, const PtxInstruction &Inst, PtxType Type,
                                            size_t Count);

/// Gives the first operand a value. Whether that is modelled.
bool setFirst(Assembly &A, const PtxInstruction &Inst, llvm::Value *V, PtxType Type);

/// The state space that the modifiers name: "shared", or "" for all that are one address space here.
llvm::StringRef spaceOf(const PtxInstruction &Inst);

/// What only makes things faster.
bool emitNothing(Assembly &, const PtxInstruction &, Op);

} // namespace vgpu

#endif
