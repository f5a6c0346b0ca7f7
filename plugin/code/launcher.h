//===- launcher.h - stubs that launch through the runtime ---------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_LAUNCHER_H
#define KESCO_PLUGIN_CODE_LAUNCHER_H

#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace kesco {

/// A copy of \p Stub, of which findStubLaunch finds something, that lets the runtime launch; the same one
/// each time. Its name has the stub's in it.
llvm::Function &launcherOf(llvm::Function &Stub);

/// Lets \p Call, of a stub, launch by that where the stub has one.
void leaveLaunchToRuntime(llvm::CallBase &Call);

} // namespace kesco

#endif
