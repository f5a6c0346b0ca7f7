//===- range_code.h - code that evaluates ranges before a launch --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_RANGE_CODE_H
#define KESCO_PLUGIN_CODE_RANGE_CODE_H

#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace kesco {

/// How far past the pointer a piece begins, how far it is from one to the next, 0 for none after all, and how
/// long each is.
struct PlaceValues {
    llvm::Value *First, *Distance, *Length;
};

/// Begin and end of bytes, 64 bits each; both INT64_MIN where they may be any. In pieces, also where these
/// are, by each of the distances that they are at.
struct RangeValues {
    llvm::Value *Begin, *End;
    llvm::SmallVector<PlaceValues, 2> Places = {};
};

/// Where \p Builder stands: the part of a range \p Text of the launch that \p Issue makes, after the call \p
/// Push. Nothing where the launch does not show what it takes, or it might not fit the numbers of the
/// machine.
std::optional<RangeValues> evaluateRange(llvm::IRBuilderBase &Builder, const char *Text,
                                         const llvm::CallBase &Push, const llvm::CallBase &Issue);

/// What holds the bytes of both, in no pieces.
RangeValues uniteRanges(llvm::IRBuilderBase &Builder, const RangeValues &A, const RangeValues &B);

} // namespace kesco

#endif
