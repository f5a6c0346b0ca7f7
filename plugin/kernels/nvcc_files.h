//===- nvcc_files.h - the PTX beside nvcc's host code -------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc compiles the host code last. By then what it made for each architecture stands beside that, in its
// temporary folder or where --keep has it, whatever becomes part of the program: of app.cu
//
//     PREFIX-N_app.compute_90.cpp1.ii   the preprocessed source, and
//     PREFIX-N_app.compute_90.ptx       its device code, but for link time optimisation;
//     PREFIX-N_app.compute_90.cudafe1.cpp   the host code
//
// where PREFIX- and N are missing with --keep, and .compute_90 with one architecture.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_KERNELS_NVCC_FILES_H
#define KESCO_PLUGIN_KERNELS_NVCC_FILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kesco {

/// True for the name of host code that nvcc makes.
bool isNvccHost(llvm::StringRef File);

/// The PTX that belongs to the host code \p File, one text for each architecture: all of its device code.
/// Fails where some architecture has none.
llvm::Expected<std::vector<std::string>> findNvccPtx(llvm::StringRef File);

} // namespace kesco

#endif
