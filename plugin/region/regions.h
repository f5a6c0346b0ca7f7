//===- regions.h - what may be scheduled together -----------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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
// stays the first; what lets the host wait reads it, and so comes behind them and tells of it; and what
// writes where the host can look reads it, so that all that came before a trap is there, and nothing of what
// comes behind. That a kernel may fault by a bad address goes for all of them, and is left out.
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
#include "plugin/region/sync_elision.h"
#include "plugin/region/wait_options.h"

extern "C" {
#include "plugin/schedule/graph.h"
}

#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace llvm {
class SCEV;
} // namespace llvm

namespace kesco {

class NormalisedModule;

struct Access {
    unsigned Part; ///< index into Region::Parts, or AnyPart
    bool Write;
    bool AlsoReads = false; ///< it is known to read what it writes
};

/// The op may touch every object.
constexpr unsigned AnyPart = ~0u;

/// A pointer that an op is given, for the alias guard.
struct PointerArgument {
    unsigned Argument;              ///< operand of the call that issues: the pointer,
    std::optional<unsigned> Offset; ///< or the address of what has the pointer at this offset
    unsigned Object;                ///< index into Region::Objects
    /// Of a copy or memset, the operands of the call that say how much it touches; -1 for none.
    int Size = -1, Pitch = -1, Height = -1;
    /// Of a launch: ranges (plugin/summary/range.h) in which all that it touches lies; none: it may be
    /// anywhere.
    llvm::SmallVector<std::string, 2> Within = {};
    /// Of the copy: how far behind the object's beginning it leads; null where that is neither the same in
    /// all passes of loops nor goes on by one value.
    const llvm::SCEV *From = nullptr;
    bool MustBeLocked = false; ///< the plan holds only if it does not lead to pageable memory
    bool IsInside = false;     ///< it leads, perhaps, to another place than where the object begins
    bool Varies = false;       ///< it stands in a loop, and may lead to another object in each pass
    bool Moves = false;        ///< it stands in loops, and in passes of one may lead to other memory each
    bool Writes = false;       ///< what it leads to is written, perhaps
    ClaimChain Claims = {};    ///< of the copy: those that hold for it
    /// Which of the two pointers of the region's claims it comes from, by their indices.
    llvm::SmallVector<std::pair<unsigned, bool /* the second */>, 1> Claimed = {};

    std::tuple<unsigned, std::optional<unsigned>, unsigned> key() const {
        return {Argument, Offset, Object};
    }
};

/// What the host knows when the call that issues an op returns.
enum class HostWait {
    None,   ///< nothing
    Unsure, ///< perhaps that the op is done: a copy to what may be pageable memory
    Done,   ///< that the op is done
};

struct Op {
    unsigned Site; ///< index into FunctionAnalysis::Sites
    kesco_op_kind Kind = KESCO_OP_KERNEL;
    std::string Name;      ///< of the kernel, as in the source; of other ops as profilers call them
    unsigned Line = 0;     ///< in the function, of the call or of the helper that has it; 0 where unknown
    std::string File;      ///< of the function, as the compiler was given it; empty where unknown
    unsigned SiteLine = 0; ///< of the call itself, be it in a helper; 0 where unknown
    std::string SiteFile;  ///< of the call itself, as above
    int Priority = 1;
    kesco_engine Engine = KESCO_ENGINE_COMPUTE;
    unsigned Work = 0;    ///< of a kernel: instructions that a thread runs, about; 0 where unknown
    unsigned Segment = 0; ///< ops change places only within one; ascending from 0
    llvm::SmallVector<Access, 8> Accesses;          ///< what it touches
    llvm::SmallVector<PointerArgument, 8> Pointers; ///< those whose object is known or guarded
    llvm::SmallVector<PointerArgument, 2> Ends;     ///< of a copy that may go from device to device
    std::string Doubt;                              ///< why it may touch every object; empty if it does not
    std::string Seen;                               ///< why the host may see what it does; empty if it cannot
    llvm::SmallVector<unsigned, 4> Unsettled;       ///< objects that the host may touch, or not
    llvm::SmallVector<unsigned, 4> Visible;         ///< objects that the host may touch
    HostWait Wait = HostWait::None;                 ///< what the program relies on when the call returns
    bool WaitsElsewhere = false; ///< but for plain device memory, the host would wait until it is done
    bool MayTrap = false;        ///< it is a kernel that has a trap or an assert
    bool IsTold = true;          ///< its Pointers lead to all that it touches and some op writes
    bool IsWhollyTold = true;    ///< they lead to all that it touches
    bool First = false;          ///< control may come here with no op of the region in flight
    bool CalledBack = false;     ///< the program may have closed the region right before, called back
    /// Of the original: where no op of the region is in flight here, this call is right before, and has acted
    /// on the legacy default stream if it returned cudaSuccess; null for none.
    llvm::CallBase *Action = nullptr;
    llvm::SmallVector<unsigned, 4> Next; ///< ops that may come next, in program order, before any is moved
};

struct Object {
    std::string Name;         ///< for people
    unsigned Where;           ///< what memory it may be: bits of Memory
    bool Written = false;     ///< by some op
    bool MustBePlain = false; ///< the plan holds only if the host cannot touch it
    bool IsNoted = false;     ///< waits may be put off only if the host cannot touch it
    bool MayMeet = false;     ///< some op writes it, or what may be the same memory
};

/// A claim of the program's that two pointers are distinct.
struct Claim {
    std::pair<std::string, std::string> Names; ///< of the pointers, as the source has them
    std::string File;                          ///< as the compiler was given it
    unsigned Line = 0;
};

struct Region {
    std::vector<Op> Ops;            ///< in program order
    std::vector<Object> Objects;    ///< what its ops touch
    std::vector<std::string> Parts; ///< pieces of objects that no op touches but whole: names for people
    Origin From;                    ///< the stream of all its ops
    llvm::SmallSetVector<llvm::Instruction *, 4> Barriers; ///< of the original, that may come behind its ops
    llvm::SmallSetVector<llvm::CallBase *, 4>
        Elided;                                     ///< calls that synchronise, and need not between its ops
    llvm::SmallSetVector<llvm::CallBase *, 4> Lazy; ///< the same, which the run may put off
    /// Two objects that conflict if they share an allocation, which only the program's run will tell: the
    /// first is unknown to the compiler, one of them is written.
    std::vector<std::pair<unsigned, unsigned>> Guards;
    std::vector<Claim> Claims; ///< those that the plan relies on
    /// Two objects that the guard must not compare: the program claims that they are distinct, or one is all
    /// of what the other is a part of by claims, and the plan has that.
    std::vector<std::pair<unsigned, unsigned>> NotCompared;
    /// Claims that hold in one pass of a loop alone, where ops of several passes are in flight.
    std::vector<Claim> IdleClaims;
    /// Ops before which memory is fetched to the device, and the pointers to it (prefetch.h).
    std::vector<std::pair<unsigned, PointerArgument>> PrefetchesToDevice;
    bool MustPrefetch = false; ///< the region is rewritten for that alone, if need be
    /// Calls of the original before which memory is fetched to the host, and the variables with pointers to
    /// it.
    std::vector<std::pair<llvm::Instruction *, llvm::Value *>> PrefetchesToHost;
};

struct Barrier {
    unsigned Line; ///< 0 where unknown
    std::string Why;
    const char *Advice; ///< what the programmer can do
    llvm::DebugLoc Where;
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
    WaitOptions Waits;      ///< what may become of calls that synchronise
    Prefetching Prefetches; ///< of managed memory, ahead of its use
    bool Joins = false;     ///< ops may overlap with those of the function's callers and their other callees

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
