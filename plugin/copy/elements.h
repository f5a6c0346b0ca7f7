//===- elements.h - pointers that each pass of a loop takes out of memory -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a kernel gets buffers[k], tasks[k].out or vector[k] in pass k of a loop, passes have memory of their
// own most likely; and so where it gets buffer + k * size, if its summary says how far it goes from there.
// Nothing relies on that: guards look while the program runs.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_COPY_ELEMENTS_H
#define KESCO_PLUGIN_COPY_ELEMENTS_H

namespace llvm {
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace kesco {

class KernelSummaries;

/// True if kernels in \p L, \p WithTransfers also copies and memsets, get pointers of their own in each pass,
/// and none that another pass gets as well, as far as that can be seen: guards would find that out when it is
/// too late for the region's other lanes. False where each pass has a barrier of its own, and where ops for
/// several passes stand side by side already.
bool takesElements(const llvm::Loop &L, llvm::ScalarEvolution &Evolution, bool WithTransfers,
                   const KernelSummaries &Summaries);

} // namespace kesco

#endif
