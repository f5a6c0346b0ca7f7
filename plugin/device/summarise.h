//===- summarise.h - the access summary of a kernel ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over all accesses of a kernel and of what it calls, and notes in which places each may be
// (provenance.h). Nothing is left out: what is not understood is noted as that.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_SUMMARISE_H
#define KESCO_PLUGIN_DEVICE_SUMMARISE_H

extern "C" {
#include "plugin/summary/summary.h"
}

#include "plugin/device/read_variables.h"
#include "plugin/ir/analyses.h"

#include "clang/Basic/SourceLocation.h"

#include <map>

namespace clang {
class SourceManager;
} // namespace clang

namespace kesco {

/// Where a kernel first writes through each of its plain pointers, by parameter; invalid where unknown.
using WritePlaces = std::map<unsigned, clang::SourceLocation>;

/// Fills in \p Summary, which is empty, for \p Kernel, simplified as by kernel_copy.h. \p Read: of its
/// module.
/// \returns where it writes.
WritePlaces summarise(llvm::Function &Kernel, const VariableSet &Read, Analyses &All,
                      clang::SourceManager &Sources, kesco_summary &Summary);

} // namespace kesco

#endif
