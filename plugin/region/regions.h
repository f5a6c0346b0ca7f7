//===- regions.h - what may be scheduled together -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analysis of one function: its ops in program order, what each touches, and how barriers cut them into
// regions. A region is the set of ops that may be in flight together, directly or through others, whatever
// branches and loops lie between (op_flow.h). Nothing here changes IR or decides a schedule.
//
// Between two ops of a region stands only host code that neither touches device memory nor orders device
// work. Some of it (a check for errors, a timer, a store that others may see) still must not see launches
// change places; there a new segment begins, as at each branch, and no op is moved from one segment into
// another.
//
// A call that lets the host wait for all ops (a synchronous copy) is an op like others, that the host waits
// for alone, as long as the host can see nothing of what else is in flight: all that is in plain device
// memory. Else it is a barrier.
//
// What ends a device is seen, too. Kernels that may trap write an object of their own, so that the first trap
// stays the first; what lets the host wait reads it, and so comes after them and tells of it; and what
// writes where the host can look reads it, so that all that came before a trap is there, and nothing of what
// comes after. That a kernel may fault by a bad address goes for all of them, and is left out.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_REGIONS_H
#define KESCO_PLUGIN_REGION_REGIONS_H

#include "plugin/frontend/source_facts.h"
#include "plugin/ir/claim.h"
#include "plugin/kernels/effects.h"
#include "plugin/region/lazy_waits.h"
#include "plugin/region/op_flow.h"
#include "plugin/region/prefetch_option.h"
#include "plugin/region/region.h"
#include "plugin/region/sync_elision.h"
#include "plugin/region/wait_options.h"

#include <string>
#include <utility>
#include <vector>

namespace llvm {
class SCEV;
} // namespace llvm

namespace kesco {

class NormalisedModule;

/// The entries of a list of a region's (region.h).
template <typename List>
auto all(const List &L) {
    return llvm::ArrayRef<std::remove_pointer_t<decltype(L.items)>>(L.items, L.count);
}

template <typename List>
auto all(List &L) {
    return llvm::MutableArrayRef<std::remove_pointer_t<decltype(L.items)>>(L.items, L.count);
}

using Op = kesco_region_op;

/// What a pointer of an op is in the copy.
struct PointerSource {
    /// How far past the object's beginning it leads; null where that is neither the same in all passes of
    /// loops nor goes on by one value.
    const llvm::SCEV *From = nullptr;
    ClaimChain Claims = {};              ///< those that hold for it
    std::optional<unsigned> Launch = {}; ///< as in RegionObjects::Touch
};

/// A structure of C with its memory.
struct RegionMemory : kesco_op_region {
    RegionMemory() : kesco_op_region() {
    }
    RegionMemory(RegionMemory &&Other) noexcept
        : kesco_op_region(std::exchange<kesco_op_region>(Other, kesco_op_region())) {
    }
    RegionMemory(const RegionMemory &) = delete;
    RegionMemory &operator=(const RegionMemory &) = delete;
    ~RegionMemory() {
        kesco_region_clear(this);
    }

    /// \p Text, null if it is empty.
    const char *text(llvm::StringRef Text);

    /// Adds \p Entry to \p L, a list of this region's.
    template <typename List, typename Item>
    Item &append(List &L, const Item &Entry) {
        reserve(reinterpret_cast<void **>(&L.items), L.count, &L.room, sizeof(Item));
        return L.items[L.count++] = Entry;
    }

  private:
    void reserve(void **Items, uint32_t Count, uint32_t *Room, size_t Size);
};

/// A region, and what leads from it into IR.
struct Region : RegionMemory {
    std::vector<PointerSource> Sources; ///< by kesco_pointer::source
    /// By op, of the original: where no op of the region is in flight there, this call is right before, and
    /// has acted on the legacy default stream if it returned cudaSuccess; null for none.
    std::vector<llvm::CallBase *> Actions;
    llvm::SmallSetVector<llvm::Instruction *, 4> Barriers; ///< of the original, that may come after its ops
    llvm::SmallSetVector<llvm::CallBase *, 4>
        Elided;                                     ///< calls that synchronise, and need not between its ops
    llvm::SmallSetVector<llvm::CallBase *, 4> Lazy; ///< the same, which the run may put off
    /// Calls of the original before which memory is fetched to the host, and the variables with pointers to
    /// it.
    std::vector<std::pair<llvm::Instruction *, llvm::Value *>> PrefetchesToHost;
};

struct Barrier {
    unsigned Line; ///< 0 where unknown
    std::string Why;
    const char *Advice; ///< what the programmer can do
    llvm::DebugLoc Where;
    bool IsUnseen; ///< a call that a region may go through (callsUnseen)
};

/// A launch that is an error.
struct BadLaunch {
    unsigned Location; ///< Clang's own number for it; 0 where unknown
    std::string Why;
};

struct FunctionAnalysis {
    llvm::Function *F;                  ///< where the calls stand
    llvm::Function *Named;              ///< the program's function: F itself, or what F is a variant of
    llvm::SmallVector<OpSite, 8> Sites; ///< of its ops
    std::vector<Region> Regions;        ///< in program order
    std::vector<Barrier> Barriers;      ///< what stands between them
    std::vector<BadLaunch> BadLaunches; ///< those that contradict the kernel's summary
    SyncElision Syncs;                  ///< where calls of Elided wait instead
    LazyWaits Lazy;                     ///< calls that the run may put off
};

/// Sites, by index, whose calls stay the barriers that they are, and why.
using Refusals = llvm::DenseMap<unsigned, std::string>;

/// What is known of the program beside its IR.
struct Knowledge {
    const SourceFacts &Facts;
    const KernelSummaries &Summaries;
    kesco_wait_options Waits;     ///< what may become of calls that synchronise
    kesco_prefetching Prefetches; ///< of managed memory, ahead of its use
    bool Joins = false; ///< ops may overlap with those of the function's callers and their other callees

    /// What is known of the kernel that \p Stub launches.
    Kernel kernel(const llvm::Function &Stub) const;
};

/// Analyses \p F, whose ops are issued at \p Sites, by its copy in \p Copy. Calls in \p Refused are barriers;
/// those that turn out to be are added.
FunctionAnalysis analyseFunction(llvm::Function &F, llvm::ArrayRef<OpSite> Sites, NormalisedModule &Copy,
                                 const Knowledge &Known, Refusals &Refused);

/// The source line of \p Location, at the outermost inlining; 0 where unknown.
unsigned lineOf(const llvm::DebugLoc &Location);

} // namespace kesco

#endif
