//===- place_table.h - the places that a kernel's pointers lead to ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DEVICE_PLACE_TABLE_H
#define KESCO_PLUGIN_DEVICE_PLACE_TABLE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/GlobalVariable.h"

#include <map>
#include <vector>

namespace kesco {

struct MemoryPlace {
    enum Kind {
        Parameter, ///< what a pointer in a parameter leads to
        Variable,  ///< a device variable
        Own,       ///< of a thread or a block alone, or constant for good: locals, shared variables, tables
        Heap,      ///< the device heap
        Elsewhere, ///< what a pointer loaded from memory leads to
        Number,    ///< what is at an address that the kernel makes of a number
    };
    Kind What;
    const llvm::Value *Base = nullptr; ///< the variable, for Variable and Own
    unsigned Index = 0;                ///< for Parameter: which
    unsigned Offset = 0;               ///< for Parameter: of the pointer in the parameter, in bytes
};

/// The places of a kernel by their numbers. Each is in it once, from the first time that it is asked for.
class PlaceTable {
  public:
    const MemoryPlace &operator[](unsigned Number) const {
        return Places[Number];
    }

    /// The one place of a kind without a base.
    unsigned fixed(MemoryPlace::Kind What);

    /// What the pointer at \p Offset in the parameter \p Index leads to.
    unsigned parameter(unsigned Index, unsigned Offset);

    /// The memory of the variable \p Base.
    unsigned variable(const llvm::Value *Base, MemoryPlace::Kind What);

    bool contains(const llvm::Value *Base) const {
        return Bases.contains(Base);
    }

    /// The memory of all `extern __shared__` arrays, of which \p Global is one.
    unsigned dynamicShared(const llvm::GlobalVariable &Global);

  private:
    std::vector<MemoryPlace> Places;
    std::map<MemoryPlace::Kind, unsigned> Fixed;
    std::map<std::pair<unsigned, unsigned>, unsigned> Parameters; ///< by index and offset
    llvm::DenseMap<const llvm::Value *, unsigned> Bases;
    const llvm::Value *DynamicShared = nullptr;
};

} // namespace kesco

#endif
