//===- launch_ends.h - ends of launches that nothing else shares --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch is understood where both of its ways meet in a block that nothing else leads to (op_sites.h).
// After the last launch of a function with an early return stands the block that both come to: for as long
// as an object of this class lives, such a launch has an empty block of its own before it.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_COPY_LAUNCH_ENDS_H
#define KESCO_PLUGIN_COPY_LAUNCH_ENDS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"

#include <utility>
#include <vector>

namespace kesco {

class LaunchEnds {
  public:
    /// Gives the launches of \p M their blocks.
    explicit LaunchEnds(llvm::Module &M);

    /// Takes those out again that are still empty.
    ~LaunchEnds();

    LaunchEnds(const LaunchEnds &) = delete;
    LaunchEnds &operator=(const LaunchEnds &) = delete;

  private:
    /// Who uses something, and as which of his operands. What has gone since is none that came in its place.
    using UseOf = std::pair<llvm::WeakVH, unsigned>;

    struct OwnBlock {
        llvm::WeakVH Block;
        llvm::SmallVector<UseOf, 4> Uses; ///< of the end that was shared, in their order
    };

    static void putBack(const OwnBlock &Added);

    std::vector<OwnBlock> Added;
};

} // namespace kesco

#endif
