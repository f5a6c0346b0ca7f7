//===- kernel_body.h - what a kernel's code does beyond its parameters --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotations speak of what a kernel does through its pointer parameters. What else its code touches, with
// all that it calls, is found here: device variables and printf, which are objects of their own; code that
// nobody sees and memory that nobody names, which may be any object; and loops that wait for other threads.
//
// A loop may wait where it goes on by what atomics, volatile accesses, assembly or fences let it see: a
// counted `for` does not, any other loop, a jump back and recursion may. Two kernels that wait like this for
// all their own blocks must not share the device: neither might ever be complete on it.
//
// The CUDA headers' own functions are trusted to touch nothing but what they are given.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_FRONTEND_KERNEL_BODY_H
#define KESCO_PLUGIN_FRONTEND_KERNEL_BODY_H

#include "plugin/frontend/source_facts.h"

#include "clang/AST/ASTContext.h"

namespace kesco {

/// True if a value of \p Type may lead to further memory.
bool leadsOn(clang::QualType Type);

/// Adds to \p Facts' Globals and Hidden what the code of \p Kernel does.
void inspectKernelBody(const clang::FunctionDecl *Kernel, const clang::ASTContext &Context,
                       KernelFacts &Facts);

} // namespace kesco

#endif
