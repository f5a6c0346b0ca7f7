//===- effects.h - what a launch touches, from all that says so ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three things speak of a kernel: the access summary of its device code, the annotation, and what the
// frontend sees in its source.
//
//   a summary                          is the truth; what is annotated as written beside it counts as written
//   one that says "code is not seen"   with an annotation: all pointer parameters are read, the annotated
//                                      ones written, as is what the summary has, and no more: it does not
//                                      trap; without: anything
//   no summary                         the annotation, and what the source shows beyond the parameters;
//                                      without annotation: anything
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_KERNELS_EFFECTS_H
#define KESCO_PLUGIN_KERNELS_EFFECTS_H

#include "plugin/frontend/source_facts.h"
#include "plugin/kernels/kernel_summaries.h"

namespace kesco {

/// One thing that a launch does.
struct Effect {
    enum Kind {
        Pointer,  ///< goes to the memory that a pointer in a parameter leads to
        Variable, ///< goes to a device variable that kernels can write
        Constant, ///< reads one that only the host can write
        Shared,   ///< uses what is in no memory that a pointer leads to: PrintBuffer and the like
        Anywhere, ///< goes to memory that nobody names
    };
    Kind What;
    bool Write;             ///< writes, or reads and writes
    unsigned Parameter = 0; ///< of a Pointer
    unsigned Offset = 0;    ///< of the Pointer in the parameter
    std::string Text;       ///< name of the object; for Anywhere why, and what the user can do
    /// Of a Pointer: ranges (plugin/summary/range.h) in which all accesses lie; none: they may go anywhere.
    llvm::SmallVector<std::string, 2> Within = {};
    bool AlsoReads = false; ///< it is known to read what it writes
};

/// All that is known of a kernel.
struct Kernel {
    const KernelFacts *Facts = nullptr;     ///< null: no declaration was seen
    const kesco_summary *Summary = nullptr; ///< null: there is none
    bool IsDefined = false;                 ///< in this unit
    bool IsMissing = false;                 ///< there are summaries, but not this kernel's
};

/// What the launch passes for the kernel's parameter `outputs`, where it has one (the paper's form).
using GivenOutputs = std::optional<int64_t>;

/// What one launch of \p K does. Nothing is left out.
llvm::SmallVector<Effect, 8> effectsOf(const Kernel &K, GivenOutputs Outputs);

/// Why what the launch says of its outputs is wrong: \p K writes more. Empty if it does not.
std::string findDeniedWrite(const Kernel &K, GivenOutputs Outputs);

/// True if the annotation of \p K is all that is known of code that its device compile did not see.
bool trustsAnnotation(const Kernel &K);

/// The pointer parameters that the annotation of \p K says are written, but no launch writes; none where the
/// summary leaves doubt.
llvm::SmallVector<unsigned, 4> findIdleOutputs(const Kernel &K);

/// " (line PLACE)" for a source place of a summary; empty for null.
std::string placeInSource(const char *Place);

/// The device variable \p Name as people write it.
std::string variableName(llvm::StringRef Name);

} // namespace kesco

#endif
