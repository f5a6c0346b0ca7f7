//===- assembly.h - what inline PTX touches -----------------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the text of an inline assembly statement, instruction by instruction (PTX ISA, "Instruction Set"):
// the CUDA headers have many, for loads with a cache policy, asynchronous copies, textures. An opcode that is
// not known, or an address that is none of the operands, makes the statement not understood: it may do
// anything.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_ASSEMBLY_H
#define KESCO_PLUGIN_DEVICE_ASSEMBLY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace kesco {

/// An access of an inline assembly statement to memory that all blocks see.
struct AssemblyAccess {
    static constexpr unsigned AnyOperand = ~0u;
    unsigned
        Operand;     ///< number of the operand that holds the address, or AnyOperand: one of them leads there
    unsigned Effect; ///< KESCO_READS, KESCO_WRITES or both
    bool InBlock;    ///< by its state space, memory of a thread, block or cluster alone
};

struct AssemblyEffects {
    llvm::SmallVector<AssemblyAccess, 2> Accesses;
    unsigned Anywhere = 0;     ///< effect on memory that no operand leads to
    std::string AnywhereWhy;   ///< how: through textures, tensor maps, signals
    std::string NotUnderstood; ///< what is not; empty if all is
    bool Traps = false;
    bool Watches =
        false;          ///< reads what other threads write meanwhile: volatile, acquiring and atomic accesses
    bool Jumps = false; ///< so it may loop
    bool Fences = false; ///< loads behind it may not be taken from before it
};

/// Of what releases to the whole system, the effect on all memory: a host that polls for it may then look at
/// what any kernel before this one wrote.
constexpr llvm::StringLiteral SignalsTheHost = "it may signal to the host how far the stream is";

/// Reads \p Text in LLVM's form, with operands as $0, $1.
AssemblyEffects readAssembly(llvm::StringRef Text);

} // namespace kesco

#endif
