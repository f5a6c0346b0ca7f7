//===- op_call.h - what the call that issues an op says of it -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_REGION_OP_CALL_H
#define KESCO_PLUGIN_REGION_OP_CALL_H

#include "plugin/cuda/op_sites.h"
#include "plugin/cuda/transfers.h"
#include "plugin/region/region.h"

#include <optional>

namespace kesco {

/// True for what the runtime can issue in the program's place, and may be a node of a graph.
bool canBeNode(const OpSite &Site);

/// True for cudaMemcpy from or to the host, which waits for it.
bool isPlainCopy(const OpSite &Site);

/// A pointer that the call which issues an op has as \p Argument; nothing else is known of it.
kesco_pointer pointerHeldAt(unsigned Argument, std::optional<unsigned> Offset = std::nullopt);

/// Where the program's own call has the pointer.
kesco_pointer heldBy(const TransferOperand &O);

bool isHeldAlike(const kesco_held &A, const kesco_held &B);

kesco_engine engineOf(const Transfer &T);

/// \p Target is what memory the op may write, in bits. \p MayBePlain: all that it touches may be the device's
/// own.
kesco_host_wait waitOf(const Transfer &T, unsigned Target, bool MayBePlain);

} // namespace kesco

#endif
