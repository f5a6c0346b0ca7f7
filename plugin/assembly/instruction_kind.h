//===- instruction_kind.h - what PTX instructions do, by their names ----------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions of PTX ISA, chapter "Instruction Set", by what they do to memory and to addresses. What is
// in none of the tables is not understood.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_ASSEMBLY_INSTRUCTION_KIND_H
#define KESCO_PLUGIN_ASSEMBLY_INSTRUCTION_KIND_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace kesco {

/// Instructions with a result have it in their first operand.
enum class InstructionKind {
    Idle,       ///< neither result nor memory
    Count,      ///< its result is a number, whatever it is made of
    Sum,        ///< its result is a sum of its operands, or the one that it has
    First,      ///< its result is made of the first operand behind it; the others are numbers
    Choice,     ///< its result is one of the two operands behind it
    Difference, ///< its result is its second operand less its third
    Product,    ///< its result is a product of two operands, and a third
    Mask,       ///< its result has some of the bits of its operands
    Mixture,    ///< its result is made of its operands otherwise
    Jump,
    Trap,         ///< or a breakpoint, which may end a kernel where no debugger is
    Fence,        ///< orders accesses
    Load,         ///< reads through its address
    Store,        ///< writes through its address
    Atomic,       ///< both, with a result
    Reduction,    ///< both, without
    Discard,      ///< what is behind its address is undefined then
    Barrier,      ///< of memory of the block: its state there is no address
    MatrixLoad,   ///< as a load, from memory of the block
    MatrixStore,  ///< as a store there
    Copy,         ///< by the state spaces that it names
    CopyAndAdd,   ///< the same with what is there
    CopyControl,  ///< waits for copies or orders them
    Texture,      ///< reads through a handle
    SurfaceLoad,  ///< the same
    SurfaceStore, ///< writes through a handle
    SurfaceAdd,   ///< both
    Multicast,    ///< accesses memory of several devices by an address that leads to all
};

/// \p Opcode with all of its parts, "ld.global.u32". Nothing if it is not known.
std::optional<InstructionKind> kindOfInstruction(llvm::StringRef Opcode);

/// True for \p Name as "%tid.x", and for WARP_SZ: it is no address that a kernel may use.
bool isSpecialRegister(llvm::StringRef Name);

} // namespace kesco

#endif
