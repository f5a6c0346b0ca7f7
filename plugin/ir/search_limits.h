//===- search_limits.h - how far LLVM's analyses look ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a local variable is captured, and which store a load sees, LLVM gives up to find out after so many
// uses and stores. Older releases come to that sooner, since they fold less of what is in between. These are
// options of LLVM's; the compiler's own passes must see them as they were.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_IR_SEARCH_LIMITS_H
#define KESCO_PLUGIN_IR_SEARCH_LIMITS_H

namespace kesco {

/// While there is one, LLVM looks as far as newer releases come. There is one thread.
class WideSearch {
  public:
    WideSearch();
    ~WideSearch();
    WideSearch(const WideSearch &) = delete;
    WideSearch &operator=(const WideSearch &) = delete;
};

} // namespace kesco

#endif
