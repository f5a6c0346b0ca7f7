//===- launcher.h - stubs that launch through the runtime ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_LAUNCHER_H
#define KESCO_PLUGIN_CODE_LAUNCHER_H

#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace kesco {

/// Lets \p Call, of a stub of which findStubLaunch finds something, launch through the runtime: by a copy of
/// the stub, the same one each time, whose name has the stub's in it.
void leaveLaunchToRuntime(llvm::CallBase &Call);

} // namespace kesco

#endif
