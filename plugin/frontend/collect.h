//===- collect.h - gathers source facts from the AST --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An AST consumer that runs before code generation: it notes kernels as they are declared and instantiated,
// and at the end of the translation unit checks the annotations and fills in SourceFacts. A device compile
// needs to know only of kernels.
//
// The host code that nvcc makes is plain C++: what is launched is known by the shape of a launch,
//
//     (__cudaPushCallConfiguration(grid, block)) ? (void)0 : kernel(arguments)
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_FRONTEND_COLLECT_H
#define KESCO_PLUGIN_FRONTEND_COLLECT_H

#include "plugin/frontend/source_facts.h"

#include "clang/AST/ASTConsumer.h"

#include <memory>
#include <vector>

namespace kesco {

class FactsCollector : public clang::ASTConsumer {
  public:
    explicit FactsCollector(std::shared_ptr<SourceFacts> Facts) : Facts(std::move(Facts)) {
    }

    bool HandleTopLevelDecl(clang::DeclGroupRef Group) override;
    void HandleTranslationUnit(clang::ASTContext &Context) override;

  private:
    std::shared_ptr<SourceFacts> Facts;
    std::vector<clang::Decl *> Declarations; ///< in source order; templates' instantiations too
};

} // namespace kesco

#endif
