//===- pass_numbers.h - the passes of loops that calls are of ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolling makes several calls of one, with one place in the source. A tag says which pass each is of.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_IR_PASS_NUMBERS_H
#define KESCO_PLUGIN_IR_PASS_NUMBERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugLoc.h"

namespace llvm {
class CallBase;
class Function;
class Instruction;
class Loop;
class LoopInfo;
class MDNode;
class Module;
} // namespace llvm

namespace kesco {

class PassNumbers {
  public:
    struct Number {
        const llvm::DILocation *Loop; ///< where the loop begins
        unsigned Pass;                ///< 0 for the first of those that were made of one
        bool IsFromFirst;             ///< that is the loop's first one
    };

    /// To be made before \p L is unrolled: the calls of its own, not of loops within, for which \p Matters
    /// holds are to be told apart.
    PassNumbers(const llvm::Loop &L, const llvm::LoopInfo &Loops,
                llvm::function_ref<bool(const llvm::Instruction &)> Matters);

    /// To be called when it is, in \p F. \p IsWhole: nothing is left of the loop.
    void assign(llvm::Function &F, bool IsWhole) const;

    /// Of the loops that \p Call stood in, from within to without.
    static llvm::SmallVector<Number, 2> of(const llvm::CallBase &Call);

    /// The tag of \p Call; null for none.
    static llvm::MDNode *tagOf(const llvm::CallBase &Call);

    /// Adds to \p Call, which was inlined from another one, the \p Tag of that.
    static void add(llvm::CallBase &Call, const llvm::MDNode *Tag);

    /// Takes all tags out of \p M.
    static void takeOut(llvm::Module &M);

  private:
    llvm::DebugLoc Begin;
    unsigned Count = 0; ///< of calls
};

} // namespace kesco

#endif
