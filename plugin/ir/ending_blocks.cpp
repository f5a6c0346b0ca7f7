#include "plugin/ir/ending_blocks.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

SmallPtrSet<const BasicBlock *, 16> findEndingBlocks(const Function &F) {
    SmallPtrSet<const BasicBlock *, 16> Found;
    if (F.isDeclaration())
        return Found;
    for (auto Next = scc_begin(&F); !Next.isAtEnd(); ++Next) { /* successors come first */
        const BasicBlock *Block = (*Next).front();
        const Instruction *End = Block->getTerminator();
        if (!Next.hasCycle() && !isa<ReturnInst>(End) && !isa<ResumeInst>(End) &&
            all_of(successors(Block), [&](const BasicBlock *To) { return Found.contains(To); }))
            Found.insert(Block);
    }
    return Found;
}

} // namespace kesco
