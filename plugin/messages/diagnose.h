//===- diagnose.h - warnings and errors about kernels and device images -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host pass has to say beside remarks. They are Clang's own diagnostics, so that they stand at their
// place in the source and flags such as -Werror and -w hold for them.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_MESSAGES_DIAGNOSE_H
#define KESCO_PLUGIN_MESSAGES_DIAGNOSE_H

#include "plugin/plan/exclusions.h"
#include "plugin/region/regions.h"

#include "llvm/Support/Error.h"

namespace clang {
class DiagnosticsEngine;
}

namespace kesco {

/// Warns that the device image in the file \p Path cannot be used.
void warnOfImage(clang::DiagnosticsEngine &Diags, llvm::StringRef Path, llvm::Error Why);

/// Warns that the plans in the file \p Path, which were those of \p Source, have been replaced.
void warnOfReplaced(clang::DiagnosticsEngine &Diags, llvm::StringRef Path, llvm::StringRef Source);

/// Warns that kernels which nvcc compiles are not known, and why.
void warnOfPtx(clang::DiagnosticsEngine &Diags, llvm::Error Why);

/// Warns that the option strip-summaries cannot be followed.
void warnOfSummariesThatStay(clang::DiagnosticsEngine &Diags);

/// Warns that the option `only` names \p Name, and no function with ops of this unit is called so; \p
/// Functions are.
void warnOfNoFunction(clang::DiagnosticsEngine &Diags, llvm::StringRef Name,
                      llvm::ArrayRef<std::string> Functions);

/// Warns that the profile in the file \p Path, of the functions \p Profiled, has no op of this unit, whose
/// functions with ops are \p Functions.
void warnOfStaleProfile(clang::DiagnosticsEngine &Diags, llvm::StringRef Path,
                        llvm::ArrayRef<std::string> Profiled, llvm::ArrayRef<std::string> Functions);

/// Warns of each line of the exclude list \p List that begins with a word that is not known, and of a list
/// without any line for KeSCo.
void warnOfUnknownPrefixes(clang::DiagnosticsEngine &Diags, const Exclusions &List);

/// Warns of each line of \p List that names no function or kernel of \p M, but nearly one. Others may be of
/// other units.
void warnOfNearNames(clang::DiagnosticsEngine &Diags, const Exclusions &List, const llvm::Module &M);

/// Warns of each annotation of a kernel of \p M that says of a parameter that it is written where no kernel
/// under it, a template's instances, ever writes it.
void warnOfIdleOutputs(clang::DiagnosticsEngine &Diags, const llvm::Module &M, const Knowledge &Program);

/// Reports launches that contradict their kernels' summaries, each once though several functions may have it.
void reportBadLaunches(clang::DiagnosticsEngine &Diags, llvm::ArrayRef<BadLaunch> Launches);

} // namespace kesco

#endif
