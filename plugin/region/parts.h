//===- parts.h - objects that ops touch in ranges of bytes --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts an object into parts such that every access touches whole parts: two accesses conflict only if they
// share one. An access whose extent is unknown touches all parts. Extents can be compared in two cases:
//
//   all are numbers                  the parts lie between the places where extents begin and end; where some
//                                    are in pieces, between rows as long as the distance of most of them,
//                                    and in these, between the places where pieces begin and end
//   all are chunks of one grid       an extent begins at (k + m * pass) * U and has at most U bytes, where
//                                    U is one value, k and m are numbers, and pass counts a loop's passes:
//                                    two chunks whose k differ modulo m never meet, so parts are classes of k
//
// U and pass need not be known: they are values of LLVM's scalar evolution. It is taken that 64 chunks can be
// counted in bytes: U is the size of a piece of memory, far from what a 64-bit number holds.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_PARTS_H
#define KESCO_PLUGIN_REGION_PARTS_H

#include "plugin/region/region_objects.h"

namespace kesco {

struct PartedAccess {
    Extent Bytes;
    llvm::SmallVector<unsigned, 4> Parts; ///< filled in: those that it touches, from 0 on
};

/// Fills in the parts of \p Accesses, all to one object, called \p Name. \returns the parts' names.
std::vector<std::string> cutIntoParts(const std::string &Name, llvm::MutableArrayRef<PartedAccess> Accesses,
                                      llvm::ScalarEvolution &Evolution);

} // namespace kesco

#endif
