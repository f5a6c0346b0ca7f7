//===- ptx_summaries.h - access summaries of PTX ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In C++ for the analysis of kernels, which is.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_LIFT_PTX_SUMMARIES_H
#define KESCO_PLUGIN_LIFT_PTX_SUMMARIES_H

extern "C" {
#include "plugin/summary/summary.h"
}

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <string>

namespace clang {
class SourceManager;
} // namespace clang

namespace kesco {

/// Whether the pointer-sized part at an offset of a kernel's parameter is a pointer.
using PointerQuestion = llvm::function_ref<bool(llvm::StringRef Kernel, unsigned Parameter, uint64_t Offset)>;

/// Names in host code of all variables that it knows, by their names in device code.
using VariableNames = llvm::StringMap<std::string>;

/// Adds to \p Set a summary of each kernel in the module \p Text; one that is there already gets the union. A
/// kernel of which something is not understood runs code that is not seen. Fails where the module is none
/// that is understood. Variables that are known to host code have their names there.
llvm::Error summarisePtx(llvm::StringRef Text, PointerQuestion IsPointer, const VariableNames &Known,
                         clang::SourceManager &Sources, kesco_summaries &Set);

} // namespace kesco

#endif
