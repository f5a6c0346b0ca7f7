//===- assembly_value.h - what values in assembly are made of ------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_VALUE_H
#define KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_VALUE_H

#include <cstddef>
#include <set>

namespace kesco {

/// What a value in an assembly statement is made of.
struct AssemblySource {
    enum Kind {
        Argument, ///< of the call that the statement is: as it is on entry
        Loaded,   ///< by one of the accesses
        Number,   ///< a constant or a special register; alone, what it is added to counts
        Anything,
    };
    Kind What;
    unsigned Index = 0; ///< of the argument or access

    bool operator<(const AssemblySource &Other) const {
        return What != Other.What ? What < Other.What : Index < Other.Index;
    }
};

/// Numbers of which at most one is an address; the others are offsets to it.
using AssemblySum = std::set<AssemblySource>;

/// The sums that a value may be; none where it is no address.
using AssemblyValue = std::set<AssemblySum>;

/// A value of more sums counts as any of the parts of all.
constexpr size_t MostSums = 16;

/// An address of which nothing is known.
AssemblyValue anything();

/// What is no address.
AssemblyValue number();

/// A distance: what is nothing but a number is none.
AssemblyValue withoutNumbers(AssemblyValue V);

/// Adds to \p Parts each of what the sums of \p Whole are made of, alone.
void addParts(AssemblyValue &Parts, const AssemblyValue &Whole);

/// What the sum of both may be; nothing if one of them has no value yet.
AssemblyValue sumOf(const AssemblyValue &Left, const AssemblyValue &Right);

/// True if something of this kind is in one of the sums.
bool has(const AssemblyValue &V, AssemblySource::Kind Kind);

/// True for an address that is not only what operands lead to.
bool followsLoaded(const AssemblyValue &Address);
} // namespace kesco

#endif
