//===- names.h - what the source calls memory ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that pointers have in launches and in calls that allocate, as people read them, and those by
// which they go in and out of functions that are called: as arguments, as objects of member functions, as
// results.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_FRONTEND_NAMES_H
#define KESCO_PLUGIN_FRONTEND_NAMES_H

#include "plugin/frontend/source_facts.h"

namespace clang {
class ASTContext;
class CallExpr;
class CXXConstructorDecl;
class Expr;
class SourceLocation;
class VarDecl;
} // namespace clang

namespace kesco {

/// Where IR says that \p Location is: the arguments of macros where they are written, all else of a macro
/// where it is used.
SourcePlace placeOf(clang::SourceLocation Location, const clang::ASTContext &Context);

/// What the pointer \p Argument is called: without what is added to it.
std::string argumentName(const clang::Expr *Argument, const clang::ASTContext &Context);

/// What a launch's argument is called. A struct that is made for the launch has no name.
std::string launchArgumentName(const clang::Expr *Argument, const clang::ASTContext &Context);

/// The pointer that \p Call, of cudaMalloc or its kin, sets.
std::string allocatedName(const clang::CallExpr *Call, const clang::ASTContext &Context);

/// Notes what \p Call hands to a function of the program's.
void noteCall(const clang::CallExpr *Call, const clang::ASTContext &Context, SourceFacts &Facts);

/// Notes that the result of the call \p Value, if it is one, goes to what is called \p Name.
void noteResult(const clang::Expr *Value, llvm::StringRef Name, const clang::ASTContext &Context,
                SourceFacts &Facts);

/// Notes that \p Variable is made by a constructor, or by a call.
void noteVariable(const clang::VarDecl *Variable, const clang::ASTContext &Context, SourceFacts &Facts);

/// Notes the members that \p Constructor makes by constructors of their own, or by calls.
void noteMembers(const clang::CXXConstructorDecl *Constructor, const clang::ASTContext &Context,
                 SourceFacts &Facts);

} // namespace kesco

#endif
