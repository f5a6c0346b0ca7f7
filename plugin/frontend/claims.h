//===- claims.h - the form of KESCO_DISTINCT ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_FRONTEND_CLAIMS_H
#define KESCO_PLUGIN_FRONTEND_CLAIMS_H

namespace clang {
class ASTContext;
class CallExpr;
} // namespace clang

namespace kesco {

/// If \p Call is what KESCO_DISTINCT(a, b) comes to (kesco.h): reports what is no variable that holds a
/// pointer, and two that are one and the same. In a template, its instances are checked.
void checkClaim(const clang::CallExpr *Call, const clang::ASTContext &Context);

} // namespace kesco

#endif
