//===- launch_range.h - ranges of summaries, for the launch at hand -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the host code of a launch has what a range speaks of (plugin/summary/range.h): arguments in the call
// of the kernel's stub, sizes of grid and block in the call that pushes the configuration.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_KERNELS_LAUNCH_RANGE_H
#define KESCO_PLUGIN_KERNELS_LAUNCH_RANGE_H

#include "plugin/cuda/op_sites.h"

extern "C" {
#include "plugin/summary/range.h"
}

namespace kesco {

/// An integer of a kernel's parameter in the call of the kernel's stub.
struct GivenInteger {
    unsigned Operand; ///< of the call
    bool InMemory;    ///< the operand is the address of the parameter
    unsigned
        BitOrOffset; ///< the integer's lowest bit in the operand, or its offset from the address, in bytes
};

/// Where the call of \p Stub has what \p Token, an argument, stands for; nothing where that cannot be seen.
std::optional<GivenInteger> findGiven(const llvm::Function &Stub, const kesco_range_token &Token);

/// Where a call of __cudaPushCallConfiguration has a size of grid or block.
struct GivenSize {
    unsigned Operand;
    unsigned Bit; ///< its lowest; it has 32
};

/// True for a configuration as x86-64 passes it: x and y of grid and of block in one number each, then z.
bool isInPairs(const llvm::CallBase &Push);

/// The same for \p Token, which is one; nothing where \p Push is not as x86-64 has it.
std::optional<GivenSize> findGiven(const llvm::CallBase &Push, const kesco_range_token &Token);

/// What \p Bits bits of a value are, from bit \p Bit on, or of what it leads to where it is the address of a
/// parameter; nothing where that is not known.
using ReadInteger =
    llvm::function_ref<std::optional<int64_t>(const llvm::Value &, unsigned Bit, unsigned Bits)>;

/// Of constants.
std::optional<int64_t> readConstant(const llvm::Value &V, unsigned Bit, unsigned Bits);

/// The parts of the ranges of one pointer.
struct RangeParts {
    llvm::SmallVector<const char *, 2 * KESCO_RANGE_PARTS> All;
    bool AreApart = false; ///< some range has several: they tell more than one that holds all

    void add(const char *Text);
};

/// The bytes that the part of a range \p Text has if \p Call launches, a call of \p Stub after \p Push, by
/// what \p Read says; nothing where they are not known, or not known to hold.
std::optional<kesco_pieces> rangeOf(const char *Text, const llvm::CallBase &Push, const llvm::CallBase &Call,
                                    const llvm::Function &Stub, ReadInteger Read);

} // namespace kesco

#endif
