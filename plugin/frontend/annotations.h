//===- annotations.h - kesco_outputs, kesco_priority and kesco_off ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes, in the spellings __attribute__((kesco_outputs(...))) and [[kesco_outputs(...)]]. Their
// form is checked where they are parsed; what they say of a kernel is checked at the end of the translation
// unit, when all redeclarations are known. They leave no trace in the AST and so none in IR.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_FRONTEND_ANNOTATIONS_H
#define KESCO_PLUGIN_FRONTEND_ANNOTATIONS_H

#include "plugin/frontend/source_facts.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace kesco {

/// One attribute as it stands in the source.
struct Annotation {
    enum Kind { Outputs, Priority, Off };
    Annotation(const clang::FunctionDecl *Function, Kind What, clang::SourceRange Range)
        : Function(Function), What(What), Range(Range) {
    }

    const clang::FunctionDecl *Function; ///< the declaration that carries it
    Kind What;
    clang::SourceRange Range;                                      ///< of the attribute
    bool HasNumber = false;                                        ///< kesco_outputs(N) or kesco_priority(P)
    int Number = 0;                                                ///< N or P
    clang::SourceRange NumberRange;                                ///< of N or P
    std::vector<std::pair<std::string, clang::SourceRange>> Names; ///< kesco_outputs("y", ...)
};

/// What the annotations of one kernel, or of another function, add up to.
struct KernelAnnotations {
    std::optional<llvm::SmallVector<unsigned, 4>> Outputs; ///< indices of written parameters, ascending
    std::optional<Annotation>
        Counted; ///< where only their number is given: what pointers are, instances tell
    clang::SourceLocation OutputsLocation; ///< where that is said first
    std::optional<int> Priority;
    bool IsOff = false; ///< kesco_off: it stays as it is
};

/// Takes the annotations parsed for \p Context so far, reports those that are wrong, and returns what the
/// others say, by canonical declaration (of the pattern, for templates).
llvm::DenseMap<const clang::FunctionDecl *, KernelAnnotations> takeAnnotations(clang::ASTContext &Context);

/// The written parameters by what is \p Said of \p Kernel, or of the template that it is an instance of.
/// Reports an instance that has fewer pointers than are counted; then there is no result.
std::optional<llvm::SmallVector<unsigned, 4>> outputsOf(const KernelAnnotations &Said,
                                                        const clang::FunctionDecl *Kernel);

/// True for a plain pointer to data.
bool isDataPointer(clang::QualType Type);

} // namespace kesco

#endif
