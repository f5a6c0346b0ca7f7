//===- describe_range.h - ranges of bytes for people ---------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_MESSAGES_DESCRIBE_RANGE_H
#define KESCO_PLUGIN_MESSAGES_DESCRIBE_RANGE_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace kesco {

/// The valid range \p Text (plugin/summary/range.h) as "[0 .. 4*n bytes)", without its conditions; \p NameOf
/// is what people call the integer at an offset of a parameter. Empty for what nobody would read.
std::string describeRange(const char *Text, llvm::function_ref<std::string(unsigned, unsigned)> NameOf);

} // namespace kesco

#endif
