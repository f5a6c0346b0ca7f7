//===- walk.h - walks along control flow --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_IR_WALK_H
#define KESCO_PLUGIN_IR_WALK_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instruction.h"

namespace kesco {

/// True if control may come from \p Block back to it.
bool isInCycle(const llvm::BasicBlock &Block);

/// True if code of other units or of libraries may call \p F; nobody calls `main`.
bool mayBeEntered(const llvm::Function &F);

/// How a walk goes on from where it is.
enum class Walk {
    On,
    Turn, ///< not on this way
    End,  ///< on no way
};

/// A place between two instructions of a block, or at its begin or end.
struct Point {
    const llvm::BasicBlock *Block;
    llvm::BasicBlock::const_iterator Next; ///< what stands after it
};

inline Point beginOf(const llvm::BasicBlock &Block) {
    return {&Block, Block.begin()};
}
inline Point before(const llvm::Instruction &I) {
    return {I.getParent(), I.getIterator()};
}
inline Point after(const llvm::Instruction &I) {
    return {I.getParent(), std::next(I.getIterator())};
}

/// From one block to the next.
struct Edge {
    const llvm::BasicBlock *From, *To;
};

/// Visits what control may come to from \p From on, along all ways into blocks that \p Enters accepts. Each
/// block is entered once; so what stands after \p From may be visited twice, where control comes back to it.
void walkForward(
    Point From, llvm::function_ref<Walk(const llvm::Instruction &)> Visit,
    llvm::function_ref<bool(const llvm::BasicBlock &)> Enters = [](const llvm::BasicBlock &) {
        return true;
    });

/// True if control may come from \p From to something that \p Is holds of, into such blocks.
bool mayComeTo(
    Point From, llvm::function_ref<bool(const llvm::Instruction &)> Is,
    llvm::function_ref<bool(const llvm::BasicBlock &)> Enters = [](const llvm::BasicBlock &) {
        return true;
    });

/// As walkForward, with a look at how control comes into each block, which is entered once along each edge.
void walkAlongEdges(Point From, llvm::function_ref<Walk(const llvm::Instruction &)> Visit,
                    llvm::function_ref<bool(const Edge &)> Follows);

/// Visits what control may come from to \p From, the last first, along all ways. \p AtBegin is asked where a
/// way has come to the begin of a block.
void walkBackward(
    Point From, llvm::function_ref<Walk(const llvm::Instruction &)> Visit,
    llvm::function_ref<Walk(const llvm::BasicBlock &)> AtBegin = [](const llvm::BasicBlock &) {
        return Walk::On;
    });

/// The least solution of a forward data flow, as bits that hold along some way: those at the begin of each
/// block. \p Enters: what holds there by itself. \p Through: what holds at the end of a block if so much does
/// at its begin; last asked of each with the solution, and not at all where nothing holds.
llvm::DenseMap<const llvm::BasicBlock *, unsigned>
flowForward(const llvm::Function &F, llvm::function_ref<unsigned(const llvm::BasicBlock &)> Enters,
            llvm::function_ref<unsigned(const llvm::BasicBlock &, unsigned)> Through);

} // namespace kesco

#endif
