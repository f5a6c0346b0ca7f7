//===- unroll.h - loops around launches, pass by pass -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch in a loop is one op on one lane, whichever pass it is made in. Where a loop makes few passes, and
// how many is known, each pass gets launches of its own, which may then run at once. Where a loop makes many
// passes, but things take turns in it, as in buffers[k % 4], each turn gets launches of its own. Where each
// pass takes its pointers out of memory, as in buffers[k], and so has buffers of its own most likely, a few
// passes in a row get launches of their own; guards see to it that they are different buffers.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_COPY_UNROLL_H
#define KESCO_PLUGIN_COPY_UNROLL_H

namespace llvm {
class Function;
class Loop;
} // namespace llvm

namespace kesco {

class Analyses;
class KernelSummaries;

/// A loop that makes more passes than this is left as it is.
constexpr unsigned MostPasses = 32;

/// More things than this do not take turns in a loop.
constexpr unsigned MostTurns = 8;

/// Of passes that take pointers out of memory, this many in a row get launches of their own.
constexpr unsigned ElementsAtOnce = 4;

/// Turns and elements do not multiply a loop's ops to more than this: only so many of a function can be
/// analysed (KESCO_FLOW_MAX_PLACES).
constexpr unsigned MostOpsInTurns = 64;

/// True if \p L issues ops, or allocates: where launches get memory of their own in each pass, the memory's
/// loop matters as theirs does.
bool mattersToLaunches(const llvm::Loop &L);

/// Unrolls the loops of \p F that launch, or allocate, inner ones first, as long as F has at most
/// MostInstructions: those whose number of passes is constant and small, wholly; those that index memory with
/// the remainder of a counter by a small number, as many times as that has values; those whose ops take
/// pointers out of memory that a counter indexes, or work through pointers that go on with it as far as
/// \p Summaries of their kernels say, ElementsAtOnce times. True if there were any; else F is simplified, but
/// does the same.
bool unrollLaunches(llvm::Function &F, Analyses &All, const KernelSummaries &Summaries);

} // namespace kesco

#endif
