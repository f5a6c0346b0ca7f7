//===- region_entries.h - functions that leave the region they come upon ------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a region is open, no other code of the thread may touch the device. Calls that nobody sees into close
// it before, but for those of library functions that may come back into the program (host_library.h): they
// seldom do, and ops may be in flight across them. So a function that touches the device, and that may be
// entered from code that nobody sees, closes the thread's region first, whosever it is. Where none is open,
// that asks one thread-local word.
//
// The function that had the region opens it again before its next op (Place::CalledBack).
//
// A unit that has no region itself needs no runtime for that: without one in the program, no region is open.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_HOST_REGION_ENTRIES_H
#define KESCO_PLUGIN_HOST_REGION_ENTRIES_H

namespace llvm {
class Module;
}

namespace kesco {

/// Makes those functions of \p M, in which all regions are written, close the thread's region. \returns
/// whether there are some.
bool closeAtEntries(llvm::Module &M);

} // namespace kesco

#endif
