//===- host_pass.h - the host side of KeSCo -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on the IR that Clang emits for the host, before any optimisation: finds ops, reads the kernels'
// access summaries from the device image, analyses a simplified copy of the functions that launch, plans each
// region, rewrites those whose plan has more than one lane, and reports. A region with one lane is left
// exactly as it was.
//
// See what it does: -fplugin-arg-kesco-show=summaries|regions|ir, -fplugin-arg-kesco-report=FILE,
// -Rpass=kesco, -Rpass-missed=kesco, -Rpass-analysis=kesco.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DRIVER_HOST_PASS_H
#define KESCO_PLUGIN_DRIVER_HOST_PASS_H

#include "plugin/driver/asked.h"
#include "plugin/frontend/source_facts.h"
#include "plugin/kernels/kernel_summaries.h"
#include "plugin/messages/report_path.h"
#include "plugin/messages/write_report.h"
#include "plugin/plan/scheduled_function.h"

#include "llvm/IR/PassManager.h"

#include <memory>
#include <string>
#include <vector>

namespace clang {
class DiagnosticsEngine;
}

namespace kesco {

/// What one compilation hands to its host pass.
struct Compilation {
    Options Asked;
    std::shared_ptr<SourceFacts> Facts;
    clang::DiagnosticsEngine *Diags = nullptr; ///< alive while the pass runs
    std::vector<std::string> DeviceImages;     ///< files that the host code embeds
    UnitPaths Paths;                           ///< names of its files as given to the compiler
    std::string NvccHost;                      ///< where the source came through nvcc, the host code of that
    bool IsCuda = true;                        ///< else it only calls functions of others
    bool PerThreadDefault = false;             ///< -fgpu-default-stream=per-thread
    bool Optimises = false;                    ///< at -O1 and above
    bool StripLocations = false; ///< source locations were asked for by the plugin alone and must not stay
};

class HostPass : public llvm::PassInfoMixin<HostPass> {
  public:
    explicit HostPass(Compilation Unit) : Unit(std::move(Unit)) {
    }

    llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);

    /// At -O0 too: what a flag promises does not depend on the optimisation level.
    static bool isRequired() {
        return true;
    }

  private:
    kesco_wait_options waitOptions() const;
    bool schedule(llvm::Module &M);
    bool lend(llvm::Module &M) const;
    void readSummaries(llvm::Module &M, KernelSummaries &Summaries) const;
    void write(llvm::Module &M, const Options &Asked, llvm::ArrayRef<ScheduledFunction> Functions,
               const OtherFunctions &Others) const;
    void tellOf(std::vector<Lender> &Lenders) const;
    bool strip(llvm::Module &M, const KernelSummaries &Summaries) const;

    Compilation Unit;
    bool HasRegions = false; ///< some function of the module has, once all are written
};

} // namespace kesco

#endif
