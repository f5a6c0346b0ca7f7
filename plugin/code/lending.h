//===- lending.h - regions go through calls ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that launches once, in a source file of its own or called by a pointer, has nothing to overlap
// by itself. Its caller may have: it calls it in a loop, or other such functions next to it. What they launch
// is in one region, whose ops the run places (plan/placed.h), if nothing looks at the device in between.
// Nobody sees all of that at compile time, so each side does its part, and says so where the other can read
// it:
//
// - A function *borrows* if it begins with __kesco1_borrow and leaves a region open that its caller has lent
//   it. So do those whose own regions join others', and those that only call such functions. It is marked by
//   a number in front of its code.
// - Whoever calls a function that it does not see looks for the mark, and *lends* it the thread's region by
//   __kesco1_lend (lending_calls.h). Functions without one are called with no region open, as ever.
// - After such a call a region may be open. Before anything that is a barrier, and where the function ends,
//   the caller closes it, or gives back what it has borrowed itself.
//
// A function marked as harmless may be called with a region open, and need not know.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_LENDING_H
#define KESCO_PLUGIN_CODE_LENDING_H

#include "plugin/region/wait_options.h"

#include "llvm/IR/DebugLoc.h"

#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace kesco {

/// A function that lends.
struct Lender {
    /// Before which it does; where loops are unrolled, once.
    struct Call {
        llvm::DebugLoc Where;
        std::string Callee; ///< its name in the source; empty for a pointer
    };
    const llvm::Function *F;
    std::vector<Call> Calls;
};

/// Lets the functions of \p M, in which all regions are written, lend and borrow. \returns whether there are
/// some that do. Adds to \p Lenders those that lend. \p IsClosedAtEnds: where functions do not come back,
/// they close what is open (region_entries.h).
bool lendRegions(llvm::Module &M, bool IsClosedAtEnds, const kesco_wait_options &Options,
                 std::vector<Lender> &Lenders);

} // namespace kesco

#endif
