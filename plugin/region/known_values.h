//===- known_values.h - what values are on one way through a function -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where control comes along an edge, values that are merged there may be constants, as what a helper returns
// for an error is once it is inlined; and those choose where control goes on. They are known for as long as
// there is one way only.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_KNOWN_VALUES_H
#define KESCO_PLUGIN_REGION_KNOWN_VALUES_H

#include "plugin/ir/walk.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constant.h"

namespace kesco {

/// What \p I makes where its operand \p Of is \p Known; null where it takes more than that.
const llvm::Constant *foldWith(const llvm::Instruction &I, const llvm::Value &Of,
                               const llvm::Constant &Known);

/// What \p By, a flag, can only be where there is an error, as \p V is \p Known only then; null for no value.
const llvm::Constant *valueThatTells(const llvm::Instruction &By, const llvm::Value &V,
                                     const llvm::Constant &Known);

class KnownValues {
  public:
    /// The way begins with an edge out of \p From.
    explicit KnownValues(const llvm::BasicBlock &From) : Last(&From) {
    }

    /// False where it is known that control goes elsewhere from where \p At begins.
    bool mayTake(const Edge &At) const;

    /// Control comes along \p At, perhaps; what is known then is noted for as long as there is no other way.
    void take(const Edge &At);

    /// Null where that is not known.
    const llvm::Constant *valueOf(const llvm::Value &V) const;

  private:
    const llvm::BasicBlock *Last; ///< up to where there is one way; null after it
    bool HasBegun = false;
    llvm::DenseMap<const llvm::Value *, const llvm::Constant *> Known;
};

} // namespace kesco

#endif
