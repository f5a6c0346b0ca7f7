//===- entered_stubs.h - kernels that other source files launch ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source file that only declares a kernel knows nothing of what it accesses. But it launches by calling the
// kernel's stub, and the file that defines the kernel has that, and knows. So there each stub that the file
// does not call itself gets an *entry*, a function that launches by it and is analysed as any other:
//
//     call i32 @__cudaPopCallConfiguration(ptr %grid, ptr %block, ptr %shared, ptr %stream)
//     %r = call i32 @__cudaPushCallConfiguration(...)     of what was popped
//     br                                                  on %r, as in all launches
//     call void @_Z..__device_stub__K(args)
//
// Where its op may be part of a region that goes through calls (code/lending.h), the stub goes by way of it
// if it was lent one, and else launches as ever: it may be one of several ops of a region of its caller's.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_COPY_ENTERED_STUBS_H
#define KESCO_PLUGIN_COPY_ENTERED_STUBS_H

#include "plugin/kernels/kernel_summaries.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace kesco {

struct EnteredStub {
    llvm::Function *Stub, *Entry;
};

/// Makes entries of the stubs in \p M that only other units call, of kernels that \p Summaries has.
llvm::SmallVector<EnteredStub, 8> makeEntries(llvm::Module &M, const KernelSummaries &Summaries);

/// A call of \p Callee, which takes what \p Stub takes in the same way, with the parameters of the function
/// that
/// \p Builder is in, which has the same.
void callByParameters(llvm::IRBuilderBase &Builder, llvm::Function &Callee, const llvm::Function &Stub);

} // namespace kesco

#endif
