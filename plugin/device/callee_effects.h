//===- callee_effects.h - what code without a body in the module does ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Effects of calls of intrinsics, of the functions that CUDA's device runtime has, and of inline assembly.
// What is in none of the tables is code that nobody sees.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_CALLEE_EFFECTS_H
#define KESCO_PLUGIN_DEVICE_CALLEE_EFFECTS_H

#include "plugin/assembly/assembly_effects.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

#include <string>

namespace kesco {

/// What a call does to memory that an argument of it leads to.
struct ArgumentAccess {
    unsigned Argument; ///< operand of the call
    unsigned Effect;   ///< KESCO_READS, KESCO_WRITES or both
};

struct CalleeEffects {
    llvm::SmallVector<ArgumentAccess, 2> Arguments;
    /// Of inline assembly, else null: its accesses, and the values that it computes, stores and hands out.
    AssemblyEffects Assembly;
    unsigned Flags = 0;      ///< KESCO_PRINTS and so on
    unsigned Anywhere = 0;   ///< effect on memory that no argument leads to
    std::string AnywhereWhy; ///< how; empty unless Anywhere
    std::string Unseen;      ///< what nobody sees; empty if nothing
    bool Allocates = false;  ///< the result is new memory of the device heap
    bool CopiesArguments =
        false; ///< as llvm.memcpy: from where the second argument leads to where the first does
    const llvm::Value *ReadsPointeesOf =
        nullptr;          ///< reads through the pointers in the memory that this leads to
    bool Watches = false; ///< reads what other threads write meanwhile
    bool Fences = false;  ///< loads after it may not be taken from before it

    /// True if it reads what others may see, through its arguments or pointers that it makes of them.
    bool readsShared() const;
};

/// The effects of \p Call, whose callee has no body in the module, or is not known.
CalleeEffects findCalleeEffects(const llvm::CallBase &Call);

} // namespace kesco

#endif
