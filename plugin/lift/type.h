//===- type.h - opcodes of PTX and their types --------------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_LIFT_TYPE_H
#define KESCO_PLUGIN_LIFT_TYPE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace kesco {

/// A type as ".s32".
struct PtxType {
    char Kind;     ///< b, u, s or f
    unsigned Bits; ///< 1 for a predicate
};

/// The type called \p Name, which has no point; nothing for what is none.
std::optional<PtxType> ptxType(llvm::StringRef Name);

/// An opcode in its parts: "ld.global.v2.u32".
struct PtxOpcode {
    explicit PtxOpcode(llvm::StringRef Text);

    llvm::StringRef Base;                       ///< "ld"
    llvm::SmallVector<llvm::StringRef, 4> Rest; ///< what is neither base nor type: "global", "v2"
    llvm::SmallVector<PtxType, 2> Types;

    bool has(llvm::StringRef Part) const;

    /// True if nothing but some of the words in \p Allowed is in the rest.
    bool hasOnly(llvm::StringRef Allowed) const;

    /// True for one type, of an integer or of bits.
    bool isInteger() const {
        return Types.size() == 1 && Types[0].Kind != 'f' && Types[0].Bits > 1 && Types[0].Bits <= 64;
    }

    bool isSigned() const {
        return Types.back().Kind == 's';
    }

    /// How many elements a load or a store has.
    unsigned lanes() const;

    /// The address space that is named; generic addresses are those of global memory.
    unsigned space() const;
};

} // namespace kesco

#endif
