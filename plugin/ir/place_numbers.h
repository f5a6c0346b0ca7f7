//===- place_numbers.h - calls that a macro puts in one place -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug locations do not tell calls apart that stand in one use of a macro. For as long as an object of this
// class lives, metadata does, and goes with the calls into copies.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_IR_PLACE_NUMBERS_H
#define KESCO_PLUGIN_IR_PLACE_NUMBERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace kesco {

class PlaceNumbers {
  public:
    /// Numbers the calls in \p M, where a function has several of one kind in one place. \p KindOf tells the
    /// kind, 0 for what is not wanted.
    PlaceNumbers(llvm::Module &M, llvm::function_ref<unsigned(const llvm::CallBase &)> KindOf);

    ~PlaceNumbers();

    PlaceNumbers(const PlaceNumbers &) = delete;
    PlaceNumbers &operator=(const PlaceNumbers &) = delete;

    struct Number {
        unsigned Which = 0, Of = 1;
    };

    /// Which one \p Call is of those of its kind in its place, in the order of the source.
    static Number of(const llvm::CallBase &Call);

  private:
    llvm::Module &M;
    bool HasNumbers = false;
};

} // namespace kesco

#endif
