//===- regions.h - what may be scheduled together -----------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analysis of one function: its ops in program order, what each touches, and how barriers cut them into
// regions. A region is the set of ops that may be in flight together, directly or through others, whatever
// branches and loops lie between (launch_flow.h). Nothing here changes IR or decides a schedule.
//
// Between two ops of a region stands only host code that neither touches device memory nor orders device
// work. Some of it (a check for errors, a timer, a store that others may see) still must not see launches
// change places; there a new segment begins, as at each branch, and no op is moved from one segment into
// another.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_HOST_REGIONS_H
#define KESCO_PLUGIN_HOST_REGIONS_H

#include "plugin/frontend/source_facts.h"
#include "plugin/host/effects.h"
#include "plugin/host/launch_flow.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace kesco {

class NormalisedModule;

struct Access {
    unsigned Object; ///< index into Region::Objects, or AnyObject
    bool Write;
};

/// The op may touch every object.
constexpr unsigned AnyObject = ~0u;

/// A pointer that a launch is given, for the alias guard.
struct PointerArgument {
    unsigned Argument;              ///< operand of the stub call: the pointer,
    std::optional<unsigned> Offset; ///< or the address of what has the pointer at this offset
    unsigned Object;                ///< index into Region::Objects

    std::tuple<unsigned, std::optional<unsigned>, unsigned> key() const {
        return {Argument, Offset, Object};
    }
};

struct Op {
    unsigned Site;     ///< index into FunctionAnalysis::Sites
    std::string Name;  ///< of the kernel, as in the source
    unsigned Line = 0; ///< of the launch; 0 where unknown
    int Priority = 1;
    unsigned Segment = 0;                           ///< ops change places only within one; ascending from 0
    llvm::SmallVector<Access, 8> Accesses;          ///< what it touches
    llvm::SmallVector<PointerArgument, 8> Pointers; ///< those whose object is known or guarded
    std::string Doubt;                              ///< why it may touch every object; empty if it does not
    bool First = false;                  ///< control may come here with no op of the region in flight
    llvm::SmallVector<unsigned, 4> Next; ///< ops that may come next, in program order, before any is moved
};

struct Region {
    std::vector<Op> Ops;                                   ///< in program order
    std::vector<std::string> Objects;                      ///< names for people
    Origin From;                                           ///< the stream of all its ops
    llvm::SmallSetVector<llvm::Instruction *, 4> Barriers; ///< of the original, that may come behind its ops
    /// Two objects that conflict if they share an allocation, which only the program's run will tell: the
    /// first is unknown to the compiler, one of them is written.
    std::vector<std::pair<unsigned, unsigned>> Guards;
};

struct Barrier {
    unsigned Line; ///< 0 where unknown
    std::string Why;
    llvm::DebugLoc Where;
};

/// A launch that is an error.
struct BadLaunch {
    unsigned Location; ///< Clang's own number for it; 0 where unknown
    std::string Why;
};

struct FunctionAnalysis {
    llvm::Function *F;                      ///< where the launches stand
    llvm::Function *Named;                  ///< the program's function: F itself, or what F is a variant of
    bool PerThreadDefault = false;          ///< stream 0 is the per-thread default stream
    llvm::SmallVector<LaunchSite, 8> Sites; ///< its launches
    std::vector<Region> Regions;            ///< in program order
    std::vector<Barrier> Barriers;          ///< what stands between them
    std::vector<BadLaunch> BadLaunches;     ///< those that contradict the kernel's summary
};

/// What is known of the program beside its IR.
struct Knowledge {
    const SourceFacts &Facts;
    const KernelSummaries &Summaries;
    bool PerThreadDefault; ///< stream 0 is the per-thread default stream

    /// What is known of the kernel that \p Stub launches.
    Kernel kernel(const llvm::Function &Stub) const;
};

/// Analyses \p F, whose launches are \p Sites, by its copy in \p Copy.
FunctionAnalysis analyseFunction(llvm::Function &F, llvm::ArrayRef<LaunchSite> Sites, NormalisedModule &Copy,
                                 const Knowledge &Known);

/// The source line of \p Location, at the outermost inlining; 0 where unknown.
unsigned lineOf(const llvm::DebugLoc &Location);

} // namespace kesco

#endif
