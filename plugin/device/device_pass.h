//===- device_pass.h - the device compile's part of KeSCo ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs at the start of the pipeline of a device compile, at every -O level: summarises what each kernel reads
// and writes, checks annotations by that, and embeds the summaries in the device image, where the host
// compile finds them (summary_text.h). The code of the kernels is not touched.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_DEVICE_PASS_H
#define KESCO_PLUGIN_DEVICE_DEVICE_PASS_H

#include "plugin/frontend/source_facts.h"

#include "llvm/IR/PassManager.h"

#include <memory>

namespace clang {
class DiagnosticsEngine;
} // namespace clang

namespace kesco {

struct DeviceCompilation {
    std::shared_ptr<SourceFacts> Facts; ///< filled when the AST is complete, which is before the pass runs
    clang::DiagnosticsEngine *Diags = nullptr;
    bool StripLocations = false; ///< debug locations are there for this pass alone
};

class DevicePass : public llvm::PassInfoMixin<DevicePass> {
  public:
    explicit DevicePass(DeviceCompilation Unit) : Unit(std::move(Unit)) {
    }

    llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);

    /// Summaries are wanted at -O0, too.
    static bool isRequired() {
        return true;
    }

  private:
    DeviceCompilation Unit;
};

} // namespace kesco

#endif
