//===- lending_calls.h - what lends and closes regions, as IR ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function that lends has a local variable that says whether a region of others may be open. Where it
// says no, and what is called has no mark, lending costs a look at the mark. That is done by functions of the
// module's own, which are inlined.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_LENDING_CALLS_H
#define KESCO_PLUGIN_CODE_LENDING_CALLS_H

#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace kesco {

/// The variables of a function that lends.
struct LendingState {
    llvm::Value &IsOpen; ///< a region may be, which others have ops in
    llvm::Value &IsTold; ///< what was called last opens regions of its own
};

/// Where \p Builder stands, right before a call of \p Callee: lends it what is open if it borrows, and closes
/// that if it is not known. \p What says for people what closes it here, as in the next two.
void writeLend(llvm::IRBuilderBase &Builder, llvm::Value &Callee, const LendingState &State,
               llvm::StringRef What);

/// Closes what is open, where the variable says that it may be.
void writeClose(llvm::IRBuilderBase &Builder, llvm::Value &IsOpen, llvm::StringRef What);

/// The same, unless it is \p Borrowed, as __kesco1_borrow returned it.
void writeGiveBack(llvm::IRBuilderBase &Builder, llvm::Value &IsOpen, llvm::Value &Borrowed,
                   llvm::StringRef What);

/// Tells the runtime, right behind a call of what was lent something, or opens regions of its own, that
/// control comes here so often again, a number of 64 bits.
void writeExpectation(llvm::IRBuilderBase &Builder, const LendingState &State, llvm::Value &Left);

/// Lets the runtime know, as it is loaded, the code of the program or library that \p M becomes a part of:
/// functions of another runtime's, in a library loaded apart, cannot borrow.
void announceBorrowing(llvm::Module &M);

/// Whether a region of others may be open after \p I, if that is one of these: it is a call that lends, or
/// one that closes.
std::optional<bool> isOpenAfterLending(const llvm::Instruction &I);

} // namespace kesco

#endif
