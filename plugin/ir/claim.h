//===- claim.h - what the program claims of two pointers ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KESCO_DISTINCT(a, b) of kesco.h is a call of an empty function, which is given both pointers. From there
// on, what is reached through one of them and what is reached through the other do not overlap, as with C's
// `restrict`: "through" a pointer goes what is computed from it after the claim, and nothing else that is
// the same address. For that, each of the two gets a new value, and only what comes from it is under the
// claim:
//
//   1. each pointer becomes the result of a call of its own; the second of the two calls has the first for an
//   operand.
//      Local variables that the pointers were loaded from are set to these
//   2. in the copy of the module, all other variables are, too (in the program, they may be constant)
//   3. the copy is simplified, so that these values go where the variables are used
//   4. the stores that are left are taken out again, and LLVM is told that each call returns what it was
//   given
//
// In the program, all of this is taken out at last. A claim holds within the function that makes it, also
// where that is inlined. A variable that is set anew, or that may be, in a branch or by code that nobody
// sees, is under no claim.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_IR_CLAIM_H
#define KESCO_PLUGIN_IR_CLAIM_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <string>

namespace kesco {

/// The calls that one pointer comes from, the last first: each makes it one of two that are claimed to be
/// distinct.
using ClaimChain = llvm::SmallVector<const llvm::CallBase *, 2>;

/// Spells out the claims in \p M, a program: step 1.
void expandClaims(llvm::Module &M);

/// Step 2.
void storeClaimed(llvm::Module &Copy);

/// Step 4, for the function \p F of a copy, which is simplified, and for the module, whose functions all are.
void takeOutClaimStores(llvm::Function &F);
void describeClaims(llvm::Module &Copy);

/// True for a call that makes a pointer one of two.
bool isClaim(const llvm::Instruction &I);

/// The claims that hold for \p Pointer, a value of a copy: for what it is an offset from.
ClaimChain claimsOn(const llvm::Value &Pointer);

/// True if \p I stands in the function that \p Claim was made in, the same call of it, or in what that calls.
/// Claims say nothing of the time after that, where their variables may still be used.
bool isInReach(const llvm::CallBase &Claim, const llvm::Instruction &I);

/// The claim by which what is reached through a pointer of the one chain and through one of the other does
/// not overlap: the second of its two calls. Null for none.
const llvm::CallBase *claimBetween(llvm::ArrayRef<const llvm::CallBase *> A,
                                   llvm::ArrayRef<const llvm::CallBase *> B);

/// The first of the two calls of which \p Second is the second; null where that has been lost.
const llvm::CallBase *firstOf(const llvm::CallBase &Second);

/// What the source calls the two pointers of the claim, by its second call.
std::pair<std::string, std::string> namesIn(const llvm::CallBase &Second);

/// Takes all claims out of \p M again, a program. \returns whether there were any.
bool eraseClaims(llvm::Module &M);

} // namespace kesco

#endif
