//===- device_image.h - summaries out of the device compile's output ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device compile embeds access summaries in its image (summary_text.h), which the host compile embeds in
// turn, and so can read: a fatbinary (fatbinary.h), a package of objects (-fgpu-rdc), or bitcode in it
// (-foffload-lto). In C++ for these.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_KERNELS_DEVICE_IMAGE_H
#define KESCO_PLUGIN_KERNELS_DEVICE_IMAGE_H

extern "C" {
#include "plugin/summary/summary.h"
}

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace kesco {

/// Adds to \p Set every summary in the file \p Path. An image without any is none that fails. A failure says
/// in a line what is wrong with the file, and leaves part of its summaries in \p Set.
llvm::Error readDeviceImage(llvm::StringRef Path, kesco_summaries &Set);

/// The PTX in the fatbinary \p Path, one text for each architecture that it has code for; none where that is
/// not all of its code, or the file is none.
llvm::Expected<std::vector<std::string>> findDeviceImagePtx(llvm::StringRef Path);

/// The PTX that belongs to the host code \p File of nvcc (nvcc_files.h).
llvm::Expected<std::vector<std::string>> findNvccPtx(llvm::StringRef File);

/// Overwrites with zeros the summaries in the device images that \p M holds, but for those that are
/// compressed or bitcode. \returns whether there were any.
bool eraseSummaries(llvm::Module &M);

} // namespace kesco

#endif
