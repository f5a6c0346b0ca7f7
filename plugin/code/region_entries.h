//===- region_entries.h - functions that leave the region they come upon ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a region is open, no other code of the thread may touch the device. Calls that nobody sees into close
// it before, but for those of library functions that may come back into the program (host_library.h): they
// seldom do, and ops may be in flight across them. So in functions that may be entered from code that nobody
// sees, the first calls that touch the device close the thread's region, whosever it is. Where none is open,
// that asks one thread-local word.
//
// It is the first calls, not the function's entry: the same function may be called as it is where a region is
// open, as far as what it does there is known to touch nothing, such as a check of an error that did not
// occur. Where one occurred, such a check may touch the device before it ends the program.
//
// The function that had the region opens it again before its next op (Place::CalledBack).
//
// A unit that has no region itself needs no runtime for that: without one in the program, no region is open.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_REGION_ENTRIES_H
#define KESCO_PLUGIN_CODE_REGION_ENTRIES_H

namespace llvm {
class Module;
}

namespace kesco {

/// Makes those calls in \p M, in which all regions are written, close the thread's region. Without regions of
/// its own, it needs no runtime for that. \returns whether there are some.
bool closeAtEntries(llvm::Module &M, bool HasRegions);

} // namespace kesco

#endif
