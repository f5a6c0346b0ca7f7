//===- locations.h - places in the source ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_IR_LOCATIONS_H
#define KESCO_PLUGIN_IR_LOCATIONS_H

#include "llvm/IR/DebugLoc.h"

#include <string>

namespace llvm {
class DILocalScope;
class Module;
} // namespace llvm

namespace kesco {

/// The innermost place of \p Where that is the program's: where a template of cuda_runtime.h is called, not
/// that header's call in it.
llvm::DebugLoc placeInProgram(const llvm::DebugLoc &Where);

/// The file of \p Where, by a name that holds in the folder that the compiler runs in: DIFile's own may start
/// at another one, which the two have in common.
std::string fileFromHere(const llvm::DILocalScope &Where);

/// Takes out of \p M what a compilation without -g would not have made. \returns whether there was something.
bool stripLocations(llvm::Module &M);

} // namespace kesco

#endif
