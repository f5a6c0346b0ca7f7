//===- assembly_statement.h - inline PTX in the syntax tree -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_FRONTEND_ASSEMBLY_STATEMENT_H
#define KESCO_PLUGIN_FRONTEND_ASSEMBLY_STATEMENT_H

#include "plugin/assembly/assembly_effects.h"

#include "clang/AST/ASTContext.h"

namespace kesco {

/// What \p Assembly, device code, does. Arguments are numbered as its operands are.
AssemblyEffects readAssembly(const clang::GCCAsmStmt &Assembly, const clang::ASTContext &Context);

/// Why \p Assembly may touch memory that none of its operands leads to as a pointer, now or through one that
/// it hands out; empty if it does not.
std::string hiddenBy(const clang::GCCAsmStmt &Assembly, const kesco_assembly_effects &Effects);

} // namespace kesco

#endif
