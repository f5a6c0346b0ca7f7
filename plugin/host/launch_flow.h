//===- launch_flow.h - in which order control comes to launches ---------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the control-flow graph of one function, the normalised copy, to what scheduling needs of it: which
// launch may come next behind which, with no barrier between, and where barriers stand. A launch that is not
// understood is a barrier itself.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_HOST_LAUNCH_FLOW_H
#define KESCO_PLUGIN_HOST_LAUNCH_FLOW_H

#include "plugin/host/launch_sites.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"

#include <string>
#include <vector>

namespace kesco {

/// The stream that a launch asks for. Two launches ask for the same one if kinds and values agree.
struct Origin {
    enum Kind { Legacy, PerThread, Given };
    Kind What = Legacy;
    const llvm::Value *Stream = nullptr; ///< of the copy, for Given

    bool operator==(const Origin &Other) const {
        return What == Other.What && Stream == Other.Stream;
    }
};

/// A launch, in program order.
struct Place {
    unsigned Site;              ///< index into the function's sites
    const llvm::CallBase *Stub; ///< of the copy
    Origin From;
    bool First = false;    ///< control may come here with no launch in flight
    bool Separate = false; ///< a launch on another stream may have come before: a barrier stands right here
    bool BehindFence = false; ///< the place before it is in another block, or a fence stands between
    llvm::SmallSetVector<unsigned, 4> Next;                      ///< places that may come next
    llvm::SmallSetVector<const llvm::Instruction *, 4> Barriers; ///< barriers that may come next
};

/// A barrier that control may come to with launches in flight, and from which it goes on to others.
struct FlowBarrier {
    const llvm::Instruction *Where; ///< of the copy
    std::string Why;
};

struct LaunchFlow {
    std::vector<Place> Places;
    std::vector<FlowBarrier> Barriers; ///< in program order
};

/// The flow of \p Copy, a function of a normalised module with \p SiteCount launch sites. \p
/// PerThreadDefault: stream 0 is the per-thread default stream.
LaunchFlow findLaunchFlow(const llvm::Function &Copy, size_t SiteCount, bool PerThreadDefault);

} // namespace kesco

#endif
