//===- unseen_work.h - what a call that synchronises may wait for --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call that synchronises orders all that is in flight before what is issued after it: other functions'
// work and other threads', on streams that the function at hand knows nothing of. It may only be left out if
// all that it could order is known: on every way to it, after an earlier call that waits for as much and
// stays, there is nothing but ops that the analysis sees and orders itself. Where a function begins, nothing
// is known.
//
// A forward data-flow analysis over the copy. At each point, on each way there, one of these holds:
//
//   Unseen   other work may be in flight, and no op of the function has been issued after it
//   Covered  other work may be in flight, and ops of the function after it
//   Known    all that is in flight are ops of the function
//
// A call that is to be left out, where only Known holds, goes. Where other states may hold too, it waits only
// in those. Where Known cannot hold, it would wait each time; but if ops that are issued while work is Unseen
// always come to such a call before anything else that matters, it may wait before the first of them instead:
// there it waits for the unseen work alone. What the host does between the two must then be nothing that such
// work could wait for. Ways on which a call of CUDA's failed may lead elsewhere: if nothing fails, the
// program waits for that work, so that it ends. An op that comes right after a call has Known before
// it, too, but where the call is made, nobody can tell that while the program runs; so it may be waited there
// once more, for nothing.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_UNSEEN_WORK_H
#define KESCO_PLUGIN_REGION_UNSEEN_WORK_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace kesco {

/// What an instruction does to what is in flight.
enum class Work {
    None,     ///< nothing
    Op,       ///< issues an op of the function
    Unseen,   ///< may issue work of which nothing is known
    Waited,   ///< lets the host wait for all that there is
    Released, ///< may let go on what waits for the host
};

class UnseenWork {
  public:
    using Calls = llvm::SmallPtrSet<const llvm::Instruction *, 8>;

    /// Analyses \p F. Of \p Idle, calls that wait, and that may be left out as far as what follows them is
    /// concerned, those that would have to stay anyway are taken out. \p Does says what an instruction does,
    /// Waited for those of Idle.
    UnseenWork(const llvm::Function &F, Calls &Idle,
               llvm::function_ref<Work(const llvm::Instruction &)> Does);

    /// The ops before which a call has to wait in place of \p Call, one that may be left out.
    llvm::SmallVector<const llvm::Instruction *, 2> firstOps(const llvm::Instruction &Call) const;

    /// The ops of the same kind that come right after a call that waits: nothing but Known is before them.
    llvm::SmallVector<const llvm::Instruction *, 2> freshOps(const llvm::Instruction &Call) const;

    /// True if work may be known at \p I, and may be not. Calls there have to look which it is.
    bool dependsOnWay(const llvm::Instruction &I) const;

    /// All that may issue unseen work.
    const llvm::SmallVector<const llvm::Instruction *, 8> &sources() const {
        return Sources;
    }

    /// All calls that wait, but for those that may be left out.
    const llvm::SmallVector<const llvm::Instruction *, 8> &waits() const {
        return Waits;
    }

  private:
    enum State : unsigned { Unseen = 1, Covered = 2, Known = 4 };

    void classify(llvm::function_ref<Work(const llvm::Instruction &)> Does);
    void findHoistable();
    bool comesToIdle(const llvm::BasicBlock &Block,
                     llvm::function_ref<void(const llvm::Instruction &, bool)> See) const;
    void flow();
    void findFresh();
    llvm::SmallVector<const llvm::Instruction *, 2>
    opsBefore(const llvm::Instruction &Call, llvm::function_ref<bool(const llvm::Instruction &)> Has) const;
    unsigned flowThrough(const llvm::BasicBlock &Block, unsigned States);
    unsigned after(const llvm::Instruction &I, Work Does, unsigned States) const;

    const llvm::Function &F;
    Calls &Idle;
    llvm::DenseMap<const llvm::Instruction *, Work> Kinds; ///< of those that do something
    llvm::SmallVector<const llvm::Instruction *, 8> Sources, Waits;
    llvm::DenseMap<const llvm::BasicBlock *, bool> Comes; ///< to one of Idle, from where the block begins
    Calls Hoistable;                                      ///< ops that always come to one of Idle
    Calls Fresh; ///< ops that come right after a call that waits, on some way
    llvm::DenseMap<const llvm::Instruction *, unsigned> Before; ///< states before ops and before calls
};

} // namespace kesco

#endif
