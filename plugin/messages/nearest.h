//===- nearest.h - what somebody may have meant --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_MESSAGES_NEAREST_H
#define KESCO_PLUGIN_MESSAGES_NEAREST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace kesco {

/// The one of \p Functions, which are not none, whose name without parameters is nearest to \p Name.
const std::string &nearestFunction(llvm::StringRef Name, llvm::ArrayRef<std::string> Functions);

/// True if \p Name may be meant to be that of \p Function: at most a third of it would have to be changed.
bool isNear(llvm::StringRef Name, const std::string &Function);

} // namespace kesco

#endif
