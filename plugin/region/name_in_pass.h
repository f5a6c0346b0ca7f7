//===- name_in_pass.h - names in one pass of a loop ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the source calls t[i] is t[2] in the third pass of a loop from 0 on, and t[i + 2] where the pass is
// two after the one that i is of.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_NAME_IN_PASS_H
#define KESCO_PLUGIN_REGION_NAME_IN_PASS_H

#include "plugin/frontend/source_facts.h"
#include "plugin/ir/pass_numbers.h"

namespace kesco {

/// \p Name with what \p For has for each word of it that is no member's; arithmetic on numbers in brackets is
/// done.
std::string replaceWords(llvm::StringRef Name,
                         llvm::function_ref<std::optional<std::string>(llvm::StringRef)> For);

/// What \p Name, as it stands in \p Loop, is called in the pass \p In.
std::string nameInPass(llvm::StringRef Name, const LoopFacts &Loop, const PassNumbers::Number &In);

} // namespace kesco

#endif
