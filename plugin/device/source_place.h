//===- source_place.h - from IR's debug locations to the source ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DEVICE_SOURCE_PLACE_H
#define KESCO_PLUGIN_DEVICE_SOURCE_PLACE_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/IR/DebugLoc.h"

#include <string>

namespace clang {
class SourceManager;
} // namespace clang

namespace kesco {

/// Where \p Where is, out of system headers: there, the place that they were called from. Invalid where
/// unknown.
clang::SourceLocation locate(const llvm::DebugLoc &Where, clang::SourceManager &Sources);

/// \p Location as summaries have it: "LINE" in the main file, "FILE:LINE" in others; empty where invalid.
std::string placeOf(clang::SourceLocation Location, const clang::SourceManager &Sources);

} // namespace kesco

#endif
