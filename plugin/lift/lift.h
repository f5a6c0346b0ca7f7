//===- lift.h - PTX as LLVM IR ------------------------------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes of a PTX module a device module for the analysis of kernels (plugin/device): good enough to tell what
// is read and written, and what addresses are made of.
//
// Registers are integers of their size. Loads, stores, atomics, jumps, calls and the arithmetic that
// addresses are made by become IR; any other instruction becomes inline assembly that holds it alone, so that
// one table (instruction_kind.h) says what it does, and one that nobody knows makes the kernel unknown. An
// integer that a pointer went into is made a pointer again where it is an address (address.h).
//
// What a parameter holds, PTX says only at times, so the host code has to: a parameter that is not known to
// hold a pointer holds numbers, and what is at such an address is unknown.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_LIFT_LIFT_H
#define KESCO_PLUGIN_LIFT_LIFT_H

extern "C" {
#include "plugin/assembly/ptx_module.h"
}

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace kesco {

struct LiftedModule {
    std::unique_ptr<llvm::Module> M;
    llvm::StringMap<std::string> NotUnderstood; ///< of kernels, what is not; their functions are empty
};

/// Whether the pointer-sized part at an offset of a kernel's parameter is a pointer.
using PointerQuestion = llvm::function_ref<bool(llvm::StringRef Kernel, unsigned Parameter, uint64_t Offset)>;

LiftedModule liftPtx(llvm::LLVMContext &Context, const kesco_ptx_module &From, PointerQuestion IsPointer);

} // namespace kesco

#endif
