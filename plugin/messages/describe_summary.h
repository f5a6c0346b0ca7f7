//===- describe_summary.h - an access summary in words ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_MESSAGES_DESCRIBE_SUMMARY_H
#define KESCO_PLUGIN_MESSAGES_DESCRIBE_SUMMARY_H

#include "plugin/kernels/effects.h"

#include <string>

namespace kesco {

/// What people call \p K.
std::string kernelTitle(const Kernel &K);

/// What the summary of \p K, which has one, says, by the names of its parameters: "reads a, s.b; writes c;
/// prints" and so on, or "touches no memory".
std::string describeSummary(const Kernel &K);

} // namespace kesco

#endif
