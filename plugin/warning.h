//===- warning.h - warnings that flags hold for -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_WARNING_H
#define KESCO_PLUGIN_WARNING_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/SourceManager.h"

namespace kesco {

/// Warns in Clang's group for what plugins find, -Wbackend-plugin: a custom warning, which has no group, is
/// out of reach of -Werror. In system headers nothing is found, as ever.
inline void warn(clang::DiagnosticsEngine &Diags, const llvm::Twine &Text, clang::SourceLocation Where = {}) {
    if (Where.isValid() && Diags.getSuppressSystemWarnings() &&
        Diags.getSourceManager().isInSystemHeader(Diags.getSourceManager().getExpansionLoc(Where)))
        return;
    Diags.Report(Where, clang::diag::warn_fe_backend_plugin) << Text.str();
}

} // namespace kesco

#endif
