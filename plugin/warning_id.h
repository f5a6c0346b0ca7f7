//===- warning_id.h - warnings that flags hold for ----------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_WARNING_ID_H
#define KESCO_PLUGIN_WARNING_ID_H

#include "clang/Basic/Diagnostic.h"

namespace kesco {

/// A number for the warning \p Text. It is in Clang's group for what plugins find, -Wbackend-plugin: a custom
/// warning without a group is out of reach of -Werror.
inline unsigned warningId(clang::DiagnosticsEngine &Diags, const char *Text) {
    return Diags.getDiagnosticIDs()->getCustomDiagID(
        {clang::diag::Severity::Warning, Text, clang::DiagnosticIDs::CLASS_WARNING,
         /*ShowInSystemHeader=*/false,
         /*ShowInSystemMacro=*/false, clang::diag::Group::BackendPlugin});
}

} // namespace kesco

#endif
