#include "plugin/ir/ending_blocks.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

/// Blocks that \p Ends says it of, and those from which control comes nowhere else.
static SmallPtrSet<const BasicBlock *, 16> findBlocks(const Function &F,
                                                      function_ref<bool(const BasicBlock &)> Ends) {
    SmallPtrSet<const BasicBlock *, 16> Found;
    if (F.isDeclaration())
        return Found;
    for (auto Next = scc_begin(&F); !Next.isAtEnd(); ++Next) { /* successors come first */
        const BasicBlock *Block = (*Next).front();
        const Instruction *End = Block->getTerminator();
        if (Ends(*Block))
            Found.insert(Block);
        else if (!Next.hasCycle() && !isa<ReturnInst>(End) && !isa<ResumeInst>(End) &&
                 all_of(successors(Block), [&](const BasicBlock *To) { return Found.contains(To); }))
            Found.insert(Block);
    }
    return Found;
}

SmallPtrSet<const BasicBlock *, 16> findEndingBlocks(const Function &F) {
    return findBlocks(F, [](const BasicBlock &) { return false; });
}

SmallPtrSet<const BasicBlock *, 16> findFailingBlocks(const Function &F) {
    return findBlocks(F, [](const BasicBlock &Block) { return Block.isLandingPad(); });
}

} // namespace kesco
