//===- error_place.h - where a function stores errors --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An error that a function only stores, in a member by one of its arguments, may be stored as late as the
// function ends, if nothing in the function looks at the member, or writes it, in between.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_ERROR_PLACE_H
#define KESCO_PLUGIN_REGION_ERROR_PLACE_H

#include "llvm/IR/Instruction.h"

#include <cstdint>

namespace kesco {

inline constexpr int64_t ErrorSize = 4; ///< bytes of a cudaError_t

/// A base, and how many bytes past it.
struct BasedPlace {
    const llvm::Value *Base = nullptr;
    int64_t Offset = 0;

    bool operator==(const BasedPlace &Other) const {
        return Base == Other.Base && Offset == Other.Offset;
    }
};

/// What \p Access, a load or store, accesses.
BasedPlace placeOf(const llvm::Instruction &Access);

/// True if \p Access, a load or store, is of other bytes past the same base than the \p Size bytes at \p
/// Of.
bool isOfOtherBytes(const llvm::Instruction &Access, const BasedPlace &Of, int64_t Size);

/// True if \p I may look at the number of 32 bits at \p Errors, a member by an argument, or write it. Loads
/// of pointers and floating-point numbers by way of other pointers do not, nor do stores: they would be of
/// another type.
bool mayTouchErrors(const llvm::Instruction &I, const BasedPlace &Errors);

} // namespace kesco

#endif
