//===- loop_writes.h - what else a loop writes to the memory that ends it ----===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_LOOP_WRITES_H
#define KESCO_PLUGIN_DEVICE_LOOP_WRITES_H

#include "plugin/device/provenance.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"

namespace kesco {

/// True if \p L may write where \p Address leads by an instruction that is not \p Allowed to.
bool writesOtherwise(const llvm::Loop &L, const llvm::Value *Address, Provenance &Sources,
                     llvm::function_ref<bool(const llvm::Instruction &)> Allowed);

} // namespace kesco

#endif
