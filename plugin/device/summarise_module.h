//===- summarise_module.h - the kernels of a device module --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DEVICE_SUMMARISE_MODULE_H
#define KESCO_PLUGIN_DEVICE_SUMMARISE_MODULE_H

#include "plugin/device/summarise.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"

namespace kesco {

/// Frees a set of summaries.
struct Summaries {
    Summaries() = default;
    Summaries(const Summaries &) = delete;
    Summaries &operator=(const Summaries &) = delete;
    ~Summaries() {
        kesco_summaries_free(&Set);
    }

    kesco_summaries Set = {};
};

/// Adds to \p Set, which is empty, a summary of each kernel of \p M, and tells \p Note where it writes.
void summariseModule(const llvm::Module &M, clang::SourceManager &Sources, kesco_summaries &Set,
                     llvm::function_ref<void(const llvm::Function &, const WritePlaces &)> Note);

} // namespace kesco

#endif
