//===- expected_entries.h - how often a loop will come back --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether it pays to make a graph of what a region launches depends on how often that comes again. Most loops
// say so: they count, and compare with a bound.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_EXPECTED_ENTRIES_H
#define KESCO_PLUGIN_CODE_EXPECTED_ENTRIES_H

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class LoopInfo;
}

namespace kesco {

/// Where \p Builder stands, in a loop: how often, about, control will come there again before it leaves the
/// outermost loop around it, a number of 64 bits; where a loop does not say, as often as control comes to
/// that. Null where the outermost one of \p Loops around does not say. \p IsMain: of the function that is the
/// program.
llvm::Value *entriesLeft(llvm::IRBuilderBase &Builder, const llvm::LoopInfo &Loops, bool IsMain);

} // namespace kesco

#endif
