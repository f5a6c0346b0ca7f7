//===- lent_waits.h - waits in functions that are lent regions -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that launches and waits, called again and again, gives the caller back a device that is idle.
// Where it is lent a region, which all that follows closes before it could tell, the run puts the wait off.
// Its caller does not know that it looks for errors, so what the program does where the wait fails is a
// function, which the runtime calls where an error comes to light.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_LENT_WAITS_H
#define KESCO_PLUGIN_CODE_LENT_WAITS_H

#include "plugin/region/wait_options.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>

namespace kesco {

/// Leaves waits of \p F, in which all regions are written, to the run where it is \p Lent one, as
/// __kesco1_borrow returned it, or lends one itself. Those stay whose error the program does more with than
/// report it and end.
void lendWaits(llvm::Function &F, llvm::Value &Lent, const kesco_wait_options &Options);

/// Tells the run how \p F ends the program for errors, once its waits and questions are written; those stay
/// at their places that do so in several ways.
void tellEnds(llvm::Function &F);

/// What \p I, a call of a library, asks for where waits may have been put off: nothing, or what
/// __kesco1_settle_lent is given before it.
std::optional<bool> tellsLentWaits(const llvm::Instruction &I, const kesco_wait_options &Options);

/// Writes that call, or that of __kesco1_ask_lent, where it can take its place.
void settleLentWaits(llvm::Instruction &Before, bool Asks, const kesco_wait_options &Options);

} // namespace kesco

#endif
