//===- prefetch_option.h - whether managed memory is moved ahead of its use ----===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_PREFETCH_OPTION_H
#define KESCO_PLUGIN_REGION_PREFETCH_OPTION_H

namespace kesco {

enum class Prefetching {
    Off,
    Auto, ///< to the device, in regions that the runtime has anyway, as far as the run finds that it pays
    On,   ///< wherever it can be
};

} // namespace kesco

#endif
