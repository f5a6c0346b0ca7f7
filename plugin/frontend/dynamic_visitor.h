//===- dynamic_visitor.h - a visitor of the AST with virtual functions --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for "clang/AST/DynamicRecursiveASTVisitor.h" with releases of Clang that lack it
// (plugin/llvm_version.h): what of clang::ConstDynamicRecursiveASTVisitor the plugin uses, on top of
// clang::RecursiveASTVisitor.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_FRONTEND_DYNAMIC_VISITOR_H
#define KESCO_PLUGIN_FRONTEND_DYNAMIC_VISITOR_H

#include "plugin/llvm_version.h"

#include "clang/AST/RecursiveASTVisitor.h"

namespace clang {

class ConstDynamicRecursiveASTVisitor : public RecursiveASTVisitor<ConstDynamicRecursiveASTVisitor> {
    using Base = RecursiveASTVisitor<ConstDynamicRecursiveASTVisitor>;

  public:
    virtual ~ConstDynamicRecursiveASTVisitor() = default;

    bool ShouldVisitTemplateInstantiations = false;
    bool ShouldVisitImplicitCode = false;

    bool shouldVisitTemplateInstantiations() const {
        return ShouldVisitTemplateInstantiations;
    }

    bool shouldVisitImplicitCode() const {
        return ShouldVisitImplicitCode;
    }

    bool TraverseDecl(const Decl *D) {
        return Base::TraverseDecl(const_cast<Decl *>(D));
    }

    bool TraverseStmt(const Stmt *S, DataRecursionQueue *Queue = nullptr) {
        return Base::TraverseStmt(const_cast<Stmt *>(S), Queue);
    }

    /// With the call that a structured binding is made by, of a tuple's kind.
    bool TraverseBindingDecl(BindingDecl *D) {
        if (!Base::TraverseBindingDecl(D))
            return false;
        VarDecl *Holder = !kesco::VisitsHolders && ShouldVisitImplicitCode ? D->getHoldingVar() : nullptr;
        return !Holder || TraverseDecl(Holder);
    }

#define DECL(CLASS, PARENT)                                                                                  \
    virtual bool Visit##CLASS##Decl(const CLASS##Decl *) {                                                   \
        return true;                                                                                         \
    }
#include "clang/AST/DeclNodes.inc"

#define STMT(CLASS, PARENT)                                                                                  \
    virtual bool Visit##CLASS(const CLASS *) {                                                               \
        return true;                                                                                         \
    }
#include "clang/AST/StmtNodes.inc"
};

} // namespace clang

#endif
