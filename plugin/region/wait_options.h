//===- wait_options.h - what may become of the program's waits ----------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_WAIT_OPTIONS_H
#define KESCO_PLUGIN_REGION_WAIT_OPTIONS_H

namespace kesco {

struct WaitOptions {
    /// Which calls that synchronise may be left out or put off.
    enum Elision {
        None,
        Unchecked, ///< those of whose errors the program does not look for
        All,
    };
    Elision Elide = None;
    bool ClocksObserve = true; ///< the host waits before it reads a clock
};

} // namespace kesco

#endif
