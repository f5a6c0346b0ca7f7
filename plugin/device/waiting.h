//===- waiting.h - loops that may wait for other blocks -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two kernels that each wait for all of their own blocks must not share the device: neither might ever be
// complete on it (trap 7 of the design page). A loop may wait where it goes on by what volatile or atomic
// accesses, or loads after a fence, let it see of memory that others write, unless its number of passes is
// known on entry, or it is lock-free (lock_free.h).
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_WAITING_H
#define KESCO_PLUGIN_DEVICE_WAITING_H

#include "plugin/device/provenance.h"
#include "plugin/ir/analyses.h"

namespace kesco {

/// True if a loop, or a recursion, of the kernel of \p Sources may wait for what other blocks do.
bool mayWait(Provenance &Sources, Analyses &All);

} // namespace kesco

#endif
