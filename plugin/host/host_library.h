//===- host_library.h - library functions without a device --------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_HOST_HOST_LIBRARY_H
#define KESCO_PLUGIN_HOST_HOST_LIBRARY_H

namespace llvm {
class Function;
}

namespace kesco {

/// True for a function of the C or C++ library, declared only, that neither calls the program back nor orders
/// host threads, and so can have nothing to do with the device: output, strings, memory, mathematics, time,
/// and the ways to end or to throw.
bool isHostLibraryFunction(const llvm::Function &F);

} // namespace kesco

#endif
