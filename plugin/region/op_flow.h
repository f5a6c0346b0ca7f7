//===- op_flow.h - in which order control comes to ops ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the control-flow graph of one function, the normalised copy, to what scheduling needs of it: which op
// may come next after which, with no barrier between, and where barriers stand. An op that is not understood
// is a barrier itself.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_OP_FLOW_H
#define KESCO_PLUGIN_REGION_OP_FLOW_H

#include "plugin/cuda/op_sites.h"
#include "plugin/region/region.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <string>
#include <vector>

namespace kesco {

class ReloadedStreams;

/// The stream that an op is given. Two ops are given the same one if kinds and values agree. Of a Place, it
/// is likely the same one then, and the run looks.
struct Origin {
    kesco_origin What = KESCO_ORIGIN_LEGACY;
    const llvm::Value *Stream = nullptr; ///< of the copy, for KESCO_ORIGIN_GIVEN

    bool operator==(const Origin &Other) const {
        return What == Other.What && Stream == Other.Stream;
    }
};

/// The stream that all ops of \p Copy, which are of \p Sites, go to each time; nothing if there is none. With
/// \p Reloaded, the one that they most likely go to, if the run looks.
std::optional<Origin> findOneStream(const llvm::Function &Copy, llvm::ArrayRef<OpSite> Sites,
                                    ReloadedStreams *Reloaded = nullptr);

/// How control comes to an op.
struct WayTo {
    bool First = false;      ///< control may come here with no op in flight
    bool CalledBack = false; ///< control may come here right after what may come back into the program
    bool Separate = false;   ///< an op on another stream may have come before: a barrier stands right here
    bool AfterFence = false; ///< the place before it is in another block, or a fence stands between
    /// Of one that is First, the call after which control comes here then (stream_action.h); null for none.
    const llvm::CallBase *Action = nullptr;
};

/// How control goes on from an op.
struct WayOn {
    llvm::SmallSetVector<unsigned, 4> Next;                      ///< places that may come next
    llvm::SmallSetVector<const llvm::Instruction *, 4> Barriers; ///< barriers that may come next
    /// Decisions::Elided and Decisions::Lazy that may come before those.
    llvm::SmallSetVector<const llvm::Instruction *, 2> Elided, Lazy;
    bool Awaited = false; ///< control comes straight to one of the latter, on every way
    llvm::SmallSetVector<const llvm::Instruction *, 2> Claims; ///< claims (claim.h) made on the way, likewise
};

/// An op, in program order.
struct Place {
    unsigned Site;               ///< index into the function's sites
    const llvm::CallBase *Issue; ///< of the copy
    const llvm::CallBase *Start; ///< of the copy: what begins it, as OpSite has it
    Origin From;
    WayTo Before;
    WayOn After;
};

/// A barrier that control may come to with ops in flight, and from which it goes on to others.
struct FlowBarrier {
    const llvm::Instruction *Where; ///< of the copy
    std::string Why;
    const char *Advice; ///< what the programmer can do
};

/// FlowBarrier::Why of an op that has one of its own.
constexpr char AnotherStream[] = "launch on another stream";

struct OpFlow {
    std::vector<Place> Places;
    std::vector<FlowBarrier> Barriers; ///< in program order
};

/// What is decided of a function's calls beyond what their callees say.
struct Decisions {
    /// Sites, by index, whose calls stay the barriers that they are, and why.
    llvm::DenseMap<unsigned, std::string> Refused;
    /// Calls of the copy that synchronise, and will be taken out.
    llvm::SmallPtrSet<const llvm::Instruction *, 4> Elided;
    /// Calls of the copy that synchronise, and that the run may put off.
    llvm::SmallPtrSet<const llvm::Instruction *, 4> Lazy;
    /// Others of them, and why they stay, as part of a sentence.
    llvm::DenseMap<const llvm::Instruction *, std::string> Kept;
};

/// The flow of \p Copy, a function of a normalised module whose original has the sites \p Sites.
OpFlow findOpFlow(const llvm::Function &Copy, llvm::ArrayRef<OpSite> Sites, const Decisions &Decided);

} // namespace kesco

#endif
