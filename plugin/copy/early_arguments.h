//===- early_arguments.h - launches whose arguments come from calls -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the configuration of a launch and the call of its stub stands what its arguments come from. Where
// that calls what is not seen here, as members of classes of other source files, the launch is none that can
// be moved, nor be lent a region for. So the configuration is pushed after them, which no program can tell:
// what is called leaves as many configurations as it found.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_COPY_EARLY_ARGUMENTS_H
#define KESCO_PLUGIN_COPY_EARLY_ARGUMENTS_H

#include "llvm/IR/Module.h"

namespace kesco {

/// Lets launches of \p M evaluate their arguments before they are configured, where these call what is not
/// seen. \returns whether there are some.
bool evaluateArgumentsFirst(llvm::Module &M);

} // namespace kesco

#endif
