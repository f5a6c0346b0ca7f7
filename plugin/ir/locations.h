//===- locations.h - debug locations that only KeSCo needs --------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_IR_LOCATIONS_H
#define KESCO_PLUGIN_IR_LOCATIONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace kesco {

/// Takes out of \p M what a compilation without -g would not have made. \returns whether there was something.
bool stripLocations(llvm::Module &M);

} // namespace kesco

#endif
