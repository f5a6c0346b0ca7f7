//===- source_names.h - memory in the words of a function ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a helper calls `p`, its caller may call `left`, and what a constructor calls `this->data_` is
// `left.data_` outside. Names are handed on from call to call, as far as the source tells how.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_SOURCE_NAMES_H
#define KESCO_PLUGIN_REGION_SOURCE_NAMES_H

#include "plugin/frontend/source_facts.h"
#include "plugin/ir/pass_numbers.h"

#include "llvm/IR/InstrTypes.h"

namespace llvm {
class DILocation;
} // namespace llvm

namespace kesco {

class SourceNames {
  public:
    explicit SourceNames(const SourceFacts &Facts) : Facts(Facts) {
    }

    /// Of the calls that the source names something of, which kind \p Call is: of launches and copies, or of
    /// those that allocate; 0 for none.
    static unsigned kindOf(const llvm::CallBase &Call);

    /// The launch, copy or the like that \p Call begins; null where the source does not tell which it is.
    const LaunchFacts *launch(const llvm::CallBase &Call) const;

    /// What the function that all is inlined in calls \p Name, which stands in the pass of loops that \p Call
    /// is of; what the last function does that hands it on, where one does not.
    std::string outside(std::string Name, const llvm::CallBase &Call) const;

    /// What the same function calls the memory that \p Call, of cudaMalloc or its kin, makes; empty where it
    /// has no name for it.
    std::string allocation(const llvm::CallBase &Call) const;

  private:
    using Passes = llvm::ArrayRef<PassNumbers::Number>;

    std::string inPasses(std::string Name, const llvm::DILocation &Where, Passes Of) const;
    CallFacts inPasses(CallFacts Call, const llvm::DILocation &Where, Passes Of) const;
    bool handOn(std::string &Name, const llvm::DILocation *Where, Passes Of) const;

    const SourceFacts &Facts;
};

/// Where \p Where stands in the function that all is inlined in: "file.cu:3"; empty where unknown.
std::string placeInFunction(const llvm::DILocation *Where);

} // namespace kesco

#endif
