//===- selection.h - the functions that are to be scheduled ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin option `only`: names of functions as runtime/function_list.h defines them.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_PLAN_SELECTION_H
#define KESCO_PLUGIN_PLAN_SELECTION_H

#include "runtime/function_list.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

#include <string>

namespace kesco {

/// The name of \p F for people, the same in reports, remarks and at run time: demangled.
std::string functionTitle(const llvm::Function &F);

class Selection {
  public:
    /// Those that \p Names, a list, has; all if it is null. Fails where there is no memory.
    static llvm::Expected<Selection> read(const char *Names);

    Selection(Selection &&Other) noexcept : List(Other.List) {
        Other.List = {};
    }

    Selection(const Selection &) = delete;
    Selection &operator=(const Selection &) = delete;

    ~Selection() {
        kesco_function_list_clear(&List);
    }

    bool has(const llvm::Function &F);

    /// The names that no function has had so far.
    llvm::SmallVector<llvm::StringRef, 4> namesOfNone() const;

  private:
    Selection() = default;

    kesco_function_list List = {}; ///< empty: there is no choice
};

} // namespace kesco

#endif
