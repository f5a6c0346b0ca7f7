//===- address.h - integers that are addresses --------------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_LIFT_ADDRESS_H
#define KESCO_PLUGIN_LIFT_ADDRESS_H

#include "llvm/IR/Function.h"

namespace kesco {

/// Computes with pointers in \p F wherever an integer that becomes an address was made of one pointer and
/// numbers, by sums and choices.
void makePointers(llvm::Function &F);

} // namespace kesco

#endif
