//===- assembly.h - what inline PTX touches -----------------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says of an inline assembly statement which memory it accesses, and where the values that it computes come
// from: the CUDA headers have many, for loads with a cache policy, asynchronous copies, textures.
//
// 1. ptx.h reads the text. What is no PTX, an instruction that is not in the table, a name that is none of
//    the assembly's own, or a jump that leaves it makes the statement not understood: it may do anything.
// 2. The registers of the assembly get values from the instructions that write them, whatever guards and
//    jumps lie between, until nothing changes. A value is a set of sums: a move hands on those of its
//    operand, an addition makes a sum of each of one operand and each of the other, a choice has both.
// 3. The addresses of loads and stores then are such values, in terms of the operands of the assembly.
//
// What an instruction makes of operands is taken for a sum of them if nothing else is known. Loads through
// addresses that are loaded themselves may give anything.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_H
#define KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_H

#include "plugin/assembly/assembly_value.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace kesco {

/// An access to where \p Address leads.
struct AssemblyAccess {
    AssemblyValue Address;
    unsigned Effect;      ///< KESCO_READS, KESCO_WRITES or both
    bool InBlock;         ///< by its state space, memory of a thread, block or cluster alone
    AssemblyValue Stored; ///< of a write: what is
};

struct AssemblyEffects {
    std::vector<AssemblyAccess> Accesses;
    std::vector<AssemblyValue> Results; ///< what its outputs in registers may be
    AssemblyValue Mixed;                ///< what it computes otherwise with than by sums
    AssemblyValue Leaving;              ///< what it stores in memory that no access leads to
    unsigned Anywhere = 0;              ///< effect on memory that no access leads to
    std::string AnywhereWhy;            ///< how: through textures, tensor maps, signals
    std::string NotUnderstood;          ///< what is not; empty if all is
    bool FollowsAnything = false;       ///< accesses memory through pointers behind pointers that it loads
    bool Traps = false;
    bool Watches =
        false;          ///< reads what other threads write meanwhile: volatile, acquiring and atomic accesses
    bool Loops = false; ///< jumps back
    bool Fences = false; ///< loads behind it may not be taken from before it
};

/// Of what releases to the whole system, the effect on all memory: a host that polls for it may then look at
/// what any kernel before this one wrote.
constexpr llvm::StringLiteral SignalsTheHost = "it may signal to the host how far the stream is";

/// An operand of an assembly statement, as its text numbers them.
struct AssemblyOperand {
    std::optional<unsigned> Argument; ///< of the call, which has its value on entry
    bool IsOutput = false;
    bool IsMemory = false; ///< the text says where the argument leads, not the argument
};

/// Reads \p Text in LLVM's form, with operands as $0, $1.
AssemblyEffects readAssembly(llvm::StringRef Text, llvm::ArrayRef<AssemblyOperand> Operands);

} // namespace kesco

#endif
