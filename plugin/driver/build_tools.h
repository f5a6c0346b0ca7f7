//===- build_tools.h - what build systems and toolkits have to know -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At the end of a translation unit, before code is made of it: the profile and the exclude list become
// dependencies of what is compiled, as with -MD, and ccache's blindness for what the plugin reads and writes
// is told; of a device that the CUDA Toolkit does not have, that is said before its assembler fails.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DRIVER_BUILD_TOOLS_H
#define KESCO_PLUGIN_DRIVER_BUILD_TOOLS_H

#include "plugin/driver/asked.h"

#include "clang/AST/ASTConsumer.h"

namespace clang {
class CompilerInstance;
}

namespace kesco {

/// For a host compilation.
class InputsConsumer : public clang::ASTConsumer {
  public:
    InputsConsumer(clang::CompilerInstance &CI, const Options &Asked) : CI(CI), Asked(Asked) {
    }

    void HandleTranslationUnit(clang::ASTContext &) override;

  private:
    clang::CompilerInstance &CI;
    Options Asked;
};

/// For a device compilation.
class DeviceConsumer : public clang::ASTConsumer {
  public:
    explicit DeviceConsumer(clang::CompilerInstance &CI) : CI(CI) {
    }

    void HandleTranslationUnit(clang::ASTContext &) override;

  private:
    clang::CompilerInstance &CI;
};

} // namespace kesco

#endif
