//===- error_variable.h - errors that a function keeps for later ---------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A local variable that the result of a call goes to, and nowhere else, tells the program of an error where
// it looks at the variable: an error that comes to light later can be stored there right before. So it is for
// `error = cudaDeviceSynchronize();` in a loop behind which the function returns `error`.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_ERROR_VARIABLE_H
#define KESCO_PLUGIN_REGION_ERROR_VARIABLE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace kesco {

/// The variable that the result of \p Call goes to, and nowhere else; null for none.
const llvm::AllocaInst *variableOf(const llvm::CallBase &Call);

/// Where a program looks at an error.
struct ErrorLook {
    llvm::Instruction *At; ///< loads it, or uses
    llvm::Value *Of;       ///< this: At itself, or a value
};

/// Where the program may look next at what \p Call returned, if it does so in these ways alone. Empty where
/// something other than another call's error may have taken its place by then, and where control comes to
/// none that \p Launches accepts before.
llvm::SmallVector<ErrorLook, 2> findLaterLooks(const llvm::CallBase &Call,
                                               llvm::function_ref<bool(const llvm::Instruction &)> Launches);

} // namespace kesco

#endif
