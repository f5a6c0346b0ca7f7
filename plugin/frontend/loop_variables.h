//===- loop_variables.h - what counts the passes of loops -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `i` of `for (int i = 0; i < n; i++)`: its name in the passes that launches are unrolled to is its value
// there.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_FRONTEND_LOOP_VARIABLES_H
#define KESCO_PLUGIN_FRONTEND_LOOP_VARIABLES_H

#include "plugin/frontend/source_facts.h"

namespace clang {
class ASTContext;
class ForStmt;
class Stmt;
class VarDecl;
} // namespace clang

namespace kesco {

/// Notes the variable of \p Loop, if one steps through it by a constant, and nothing else in it may change
/// that.
void noteLoop(const clang::ForStmt *Loop, const clang::ASTContext &Context, SourceFacts &Facts);

/// True if \p Code does nothing with the variable but read it.
bool onlyReads(const clang::Stmt *Code, const clang::VarDecl *Variable);

} // namespace kesco

#endif
