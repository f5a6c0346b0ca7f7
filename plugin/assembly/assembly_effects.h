//===- assembly_effects.h - assembly.h for C++ --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_EFFECTS_H
#define KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_EFFECTS_H

#include "plugin/assembly/assembly.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

#include <memory>

namespace kesco {

using AssemblyEffects = std::shared_ptr<const kesco_assembly_effects>;

inline AssemblyEffects readAssembly(llvm::StringRef Text, llvm::ArrayRef<kesco_assembly_operand> Operands) {
    AssemblyEffects Read(new kesco_assembly_effects, [](kesco_assembly_effects *Effects) {
        kesco_assembly_effects_free(Effects);
        delete Effects;
    });
    if (kesco_assembly_read(Text.data(), Text.size(), Operands.data(), Operands.size(),
                            const_cast<kesco_assembly_effects *>(Read.get())) != 0)
        llvm::report_bad_alloc_error("kesco: inline assembly");
    return Read;
}

inline llvm::ArrayRef<kesco_assembly_access> accessesOf(const kesco_assembly_effects &Effects) {
    return {Effects.accesses, Effects.access_count};
}

inline llvm::ArrayRef<kesco_assembly_value> resultsOf(const kesco_assembly_effects &Effects) {
    return {Effects.results, Effects.result_count};
}

inline llvm::ArrayRef<kesco_assembly_sum> sumsOf(const kesco_assembly_value &V) {
    return {V.sums, V.count};
}

inline llvm::ArrayRef<kesco_assembly_source> sourcesOf(const kesco_assembly_sum &Sum) {
    return {Sum.sources, Sum.count};
}

} // namespace kesco

#endif
