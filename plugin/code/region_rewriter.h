//===- region_rewriter.h - the ops of a region become what its plan says ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_REGION_REWRITER_H
#define KESCO_PLUGIN_CODE_REGION_REWRITER_H

#include "plugin/code/guard_code.h"
#include "plugin/code/runtime_abi.h"
#include "plugin/code/synchronous_call.h"
#include "plugin/plan/lane_sync.h"
#include "plugin/plan/scheduled_function.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace kesco {

/// Where code is written.
struct CodePosition {
    llvm::Instruction *Next = nullptr; ///< what is written goes before this instruction
    llvm::DebugLoc Location;           ///< of the launch that is being written
};

/// Writes the code of one region, at the op sites of its function.
class RegionRewriter {
  public:
    /// \p Waited: by site, a call right before the op that lets the host wait each time; \p Mode:
    /// KESCO_MODE_.
    RegionRewriter(FunctionAnalysis &Function, const ScheduledRegion &Planned,
                   const llvm::DenseMap<unsigned, llvm::CallBase *> &Waited, unsigned Mode);
    RegionRewriter(const RegionRewriter &) = delete;
    RegionRewriter &operator=(const RegionRewriter &) = delete;
    ~RegionRewriter();

    /// Writes nothing but what fetches memory: the plan is the program's order on the program's stream.
    void runPrefetches();

    void run();

    /// Where the region is serial, the program's own synchronous calls take the place of those that were made
    /// of them.
    void keepSynchronousCalls();

    /// What the runtime may put off, it issues.
    void leaveTransfersToRuntime();

  private:
    /// The two calls of a launch, out of the function.
    struct Calls {
        llvm::CallBase *Start;
        llvm::CallBase *Issue;
    };

    /// What becomes of an op.
    struct OpCode {
        bool IsCollected = false;                   ///< the runtime may put it off
        bool BeginsPass = false;                    ///< of the outermost loop around it, or of those within
        llvm::Constant *Described = nullptr;        ///< what the runtime is told of it
        std::optional<Calls> TakenOut;              ///< it is issued after a later one
        std::optional<SynchronousCall> Synchronous; ///< the call that the program made
    };

    /// What stands around the ops.
    struct Surroundings {
        const llvm::DenseMap<unsigned, llvm::CallBase *> &Waited;
        const llvm::MapVector<unsigned, Cover> &Covers;
        bool SomeAwaited;       ///< some ops have is_awaited (kesco_op_way)
        bool IsAwaited = false; ///< the op in whose place the next one is issued (kesco_op_way)
    };

    bool isOneLane() const;
    bool isPlaced() const;
    void describeOps(FunctionAnalysis &Function);
    llvm::SmallVector<uint32_t, 16> findBeside();
    OpSite &site(unsigned Op);
    llvm::Value *laneOf(unsigned Op) const;
    llvm::Value *number(unsigned N) const;
    llvm::CallInst *call(AbiFunction F, llvm::ArrayRef<llvm::Value *> Arguments = {});
    llvm::Value *pointerOf(const llvm::CallBase &Issue, const kesco_pointer &P);
    llvm::Value *origin(unsigned Op, llvm::Value *Asked);

    void prepareTransfer(unsigned Op);
    void takeOutOvertakenOps();
    void takeOut(unsigned Op);
    void issue(unsigned Op, unsigned Place);
    void issueInPlace(unsigned Op, bool Opens);
    void issueAfterLast(unsigned Op, Calls Moved, bool Opens);
    void waitAndChooseLane(unsigned Op, Calls Of, bool Opens);
    void writeWaits(unsigned Op, const llvm::CallBase &Start, bool Opens);
    llvm::CallInst *chooseLane(unsigned Op, Calls Of);
    void findPasses(llvm::Function &F);
    void tellExpected();
    void enter(unsigned Op, llvm::Value *Stream);
    void prefetch(unsigned Op);
    void writeFetch(const kesco_fetch &Fetch);
    void place(unsigned Op);
    void letHostWait(unsigned Op);
    void pass(unsigned Op);
    void finish(unsigned Op);
    void finishBy(llvm::Value &Result, llvm::Value *Lane, unsigned When);

    llvm::MutableArrayRef<OpSite> Sites;
    const ScheduledRegion &Planned;
    const Region &R;
    const kesco_plan &Plan;
    llvm::LLVMContext &Context;
    kesco_lane_sync Sync;
    const GuardWriter Guards;
    Surroundings Around;
    std::vector<OpCode> Ops;
    bool IsMain = false;               ///< it is in the function that is the program
    llvm::Constant *Entered = nullptr; ///< what the runtime is told of the region
    CodePosition At;
};

} // namespace kesco

#endif
