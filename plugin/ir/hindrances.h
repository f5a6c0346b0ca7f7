//===- hindrances.h - what keeps a copy from being simplified -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_IR_HINDRANCES_H
#define KESCO_PLUGIN_IR_HINDRANCES_H

namespace llvm {
class Function;
} // namespace llvm

namespace kesco {

/// Takes out of \p F, part of a copy that is only analysed, the marks against optimising, which -O0 sets, the
/// ends of locals' lifetimes, which keep ways apart that optimising compilations alone have, what counts how
/// often code runs, what tells of undefined behaviour, and what asks how well the code is optimised: both
/// answers remain possible.
void removeHindrances(llvm::Function &F);

} // namespace kesco

#endif
