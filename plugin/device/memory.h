//===- memory.h - the kinds of memory in device code --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DEVICE_MEMORY_H
#define KESCO_PLUGIN_DEVICE_MEMORY_H

#include "plugin/device/address_space.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Transforms/Utils/GlobalStatus.h"

namespace kesco {

/// True for memory of a thread, a block or a cluster of blocks alone.
inline bool isOwnSpace(unsigned Space) {
    return Space == KESCO_SPACE_SHARED || Space == KESCO_SPACE_LOCAL || Space == KESCO_SPACE_CLUSTER;
}

/// True for what has one value for good, as string literals and libdevice's tables.
inline bool isTable(const llvm::GlobalVariable &Global) {
    if (Global.isExternallyInitialized() || !Global.hasDefinitiveInitializer())
        return false;
    llvm::GlobalStatus Uses;
    return Global.isConstant() ||
           (Global.hasLocalLinkage() && !llvm::GlobalStatus::analyzeGlobal(&Global, Uses) &&
            Uses.StoredType == llvm::GlobalStatus::NotStored);
}

/// True for a function whose code here is the code that runs.
inline bool hasKnownBody(const llvm::Function &F) {
    return !F.isDeclaration() && !F.isInterposable();
}

} // namespace kesco

#endif
