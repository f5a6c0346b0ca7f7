//===- site_constant.h - what the runtime is told of an op ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_SITE_CONSTANT_H
#define KESCO_PLUGIN_CODE_SITE_CONSTANT_H

#include "plugin/region/regions.h"

#include "llvm/IR/GlobalVariable.h"

namespace kesco {

/// A new constant of \p M that holds \p Value; its address means nothing, so that equal ones are merged.
llvm::GlobalVariable *privateConstant(llvm::Module &M, llvm::Constant *Value);

/// A C string in \p M, or NULL for an empty \p Text.
llvm::Constant *textConstant(llvm::Module &M, llvm::StringRef Text);

/// A struct kesco_site (runtime/kesco_abi.def) in \p M that names \p O, an op of \p Named, as reports do. \p
/// Site: where it is issued, if it may be collected; else null.
llvm::Constant *siteConstant(llvm::Module &M, const llvm::Function &Named, const Op &O, unsigned Place,
                             const OpSite *Site, uint32_t Beside);

} // namespace kesco

#endif
