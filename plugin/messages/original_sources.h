//===- original_sources.h - where functions come from ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_MESSAGES_ORIGINAL_SOURCES_H
#define KESCO_PLUGIN_MESSAGES_ORIGINAL_SOURCES_H

#include "llvm/IR/Module.h"

#include <string>

namespace clang {
class SourceManager;
} // namespace clang

namespace kesco {

/// Makes the files known to \p Sources that the functions of \p M with launches come from by #line alone, so
/// that Clang finds the places that remarks name.
void addOriginalSources(const llvm::Module &M, clang::SourceManager &Sources);

/// True for a function of a library's header, which is nobody's to change here.
bool isFromSystemHeader(const llvm::Function &F, const clang::SourceManager &Sources);

/// The source that nvcc made the main file of, as nvcc was given it; empty where that file does not say.
std::string originalSource(const clang::SourceManager &Sources);

} // namespace kesco

#endif
