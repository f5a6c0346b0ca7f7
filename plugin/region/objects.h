//===- objects.h - which memory an op's pointer leads to ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names objects: follows a pointer argument back, through interior offsets, choices and loops, to the calls
// that allocated the memory. In the normalised copy, locals that hold pointers are in registers and every
// allocation is a call of its own (cuda_model.h), so this is a walk over values. An object is a call that
// allocates: what it returned at different times is one object, what two calls returned is two. What cannot
// be followed further is an object by its origin, to be told from others at run time.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_OBJECTS_H
#define KESCO_PLUGIN_REGION_OBJECTS_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Value;
} // namespace llvm

namespace kesco {

struct Objects {
    llvm::SmallVector<const llvm::CallBase *, 2> Allocations; ///< the pointer leads into one of these,
    /// or into the program's own memory: variables, and what the C or C++ library allocates,
    llvm::SmallVector<const llvm::Value *, 2> HostMemory;
    /// or to where an offset from one of these leads: values of which nothing is known, or for loaded
    /// pointers the places that they were loaded from. Two pointers with one origin count as one object.
    llvm::SmallVector<const llvm::Value *, 2> Origins;
    bool IsLoaded = false; ///< some of Origins are such places
    /// What the pointer is an offset from, if that is one value whose offsets can be compared; else null.
    const llvm::Value *Base = nullptr;
};

/// True if nothing but offsets from \p Origin leads into its memory: the program says so (`restrict`).
bool isRestricted(const llvm::Value &Origin);

/// The objects that \p Pointer, a value of the normalised copy, may lead into. The null pointer leads
/// nowhere, nor does the pattern that a compiler fills variables with. \p IsHost: the program uses the
/// pointer as host memory; else there is no HostMemory.
Objects findObjects(const llvm::Value *Pointer, bool IsHost);

} // namespace kesco

#endif
