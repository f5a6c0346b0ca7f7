//===- objects.h - which memory a launch's pointer leads to -------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names objects: follows a pointer argument back, through interior offsets, choices and loops, to the calls
// that allocated the memory. In the normalised copy, locals that hold pointers are in registers and every
// allocation is a call of its own (cuda_model.h), so this is a walk over values. An object is a call that
// allocates: what it returned at different times is one object, what two calls returned is two. Whatever
// cannot be followed is unknown.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_HOST_OBJECTS_H
#define KESCO_PLUGIN_HOST_OBJECTS_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Value;
} // namespace llvm

namespace kesco {

struct Objects {
    llvm::SmallVector<const llvm::CallBase *, 2>
        Allocations;      ///< the pointer leads into one of these, or nowhere
    bool Unknown = false; ///< or it may lead anywhere
    /// Where it is unknown but an offset from one value: that value, or for a loaded pointer the place that
    /// it was loaded from. Two pointers with one origin count as one object.
    const llvm::Value *Origin = nullptr;
};

/// The objects that \p Pointer, a value of the normalised copy, may lead into. The null pointer leads
/// nowhere.
Objects findObjects(const llvm::Value *Pointer);

} // namespace kesco

#endif
