//===- work.h - how much a thread of a kernel has to do -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DEVICE_WORK_H
#define KESCO_PLUGIN_DEVICE_WORK_H

#include "plugin/ir/analyses.h"

#include <cstdint>
#include <string>

namespace kesco {

struct KernelWork {
    uint32_t Instructions; ///< of a thread, at least 1
    std::string Range; ///< the same where a launch says more: from 0 to it, as plugin/summary/range.h has it
};

/// About how many instructions a thread of \p Kernel runs, simplified as by kernel_copy.h. It takes
/// every branch, and a loop whose passes are not known for one of a few dozen. Accesses to memory count as
/// often as instructions could run meanwhile.
KernelWork estimateWork(llvm::Function &Kernel, Analyses &All);

} // namespace kesco

#endif
