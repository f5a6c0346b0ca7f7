//===- access_path.h - places that a program comes to in the same way --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_REGION_ACCESS_PATH_H
#define KESCO_PLUGIN_REGION_ACCESS_PATH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Value.h"

#include <string>

namespace llvm {
class DataLayout;
} // namespace llvm

namespace kesco {

/// How the program comes to \p Place: from which value, by which offsets and loads. Places with one path are
/// one, unless the program changes what is loaded on the way.
std::string accessPathOf(const llvm::Value &Place, const llvm::DataLayout &Layout);

/// True if \p Name, an expression of the source, picks an element by literals alone, as `buffers[2].data` and
/// `layers.at("fc1").weights` do: such expressions most likely mean the same wherever they stand.
bool picksOneElement(llvm::StringRef Name);

} // namespace kesco

#endif
