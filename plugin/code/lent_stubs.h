//===- lent_stubs.h - stubs that are lent a region ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//     void __device_stub__K(args)            marked as one that borrows (lending.h)
//         if (__kesco1_lent()) K(args);      the entry (copy/entered_stubs.h)
//         else __device_stub__K.here(args);  what the stub was
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_LENT_STUBS_H
#define KESCO_PLUGIN_CODE_LENT_STUBS_H

#include "plugin/copy/entered_stubs.h"

namespace kesco {

/// Makes that of the stubs whose entries borrow, now that all regions are written, and erases other entries.
void writeLentStubs(llvm::ArrayRef<EnteredStub> Stubs);

} // namespace kesco

#endif
