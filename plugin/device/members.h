//===- members.h - where in a struct an address points ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DEVICE_MEMBERS_H
#define KESCO_PLUGIN_DEVICE_MEMBERS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Argument.h"

#include <optional>

namespace llvm {
class DataLayout;
} // namespace llvm

namespace kesco {

/// A struct may be looked at by an index into an array in it; beyond this many members that is any memory.
constexpr size_t MostMembers = 64;

/// The offsets from \p Struct at which \p Address may point; nothing where that is not bounded. An index into
/// an array stays within it (C++ [expr.add]).
std::optional<llvm::SmallVector<uint64_t, 8>>
offsetsFrom(const llvm::Value *Struct, const llvm::Value *Address, const llvm::DataLayout &Layout);

/// The offsets of pointers in \p Struct, which a kernel is given by value; more than MostMembers of them are
/// not all.
llvm::SmallVector<uint64_t, 8> pointersIn(const llvm::Argument &Struct);

} // namespace kesco

#endif
