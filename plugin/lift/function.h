//===- function.h - a function of PTX as LLVM IR ------------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lift.h says what becomes of instructions. Registers and parameters are places on the stack first; the
// analysis has them out of memory again.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_LIFT_FUNCTION_H
#define KESCO_PLUGIN_LIFT_FUNCTION_H

#include "plugin/lift/lift.h"
#include "plugin/lift/type.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

#include <vector>

namespace kesco {

struct AssemblyText;

class FunctionLifter {
  public:
    /// Fills \p To, which is empty, with the body of \p From, of which all is understood. \p Pointers: where
    /// parameters hold pointers, if \p To is a kernel.
    FunctionLifter(llvm::Function &To, const kesco_ptx_function &From, PointerQuestion IsPointer);

    /// \returns what is not understood; empty if all is.
    std::string run();

  private:
    using Statement = kesco_ptx_statement;
    using Operand = kesco_ptx_operand;

    bool refuse(const llvm::Twine &What);

    void placeRegisters();
    void placeParameters();
    void placeLabels();
    void finish();
    bool declare(const kesco_ptx_variable &Variable);
    llvm::BasicBlock *newBlock();
    void continueIn(llvm::BasicBlock *Next);
    bool lift(const Statement &S);
    bool liftGuarded(const Statement &S);
    bool liftInstruction(const Statement &S);

    llvm::IntegerType *registerType(unsigned Index);
    llvm::Value *place(llvm::StringRef Name);
    llvm::Value *valueOf(const kesco_ptx_term &T);
    llvm::Value *specialRegister(llvm::StringRef Name);
    llvm::Value *sum(const Operand &O, unsigned Element, unsigned Bits);
    llvm::Value *value(const Operand &O, unsigned Bits);
    llvm::Value *address(const Operand &O, unsigned Space);
    void set(const kesco_ptx_term &T, llvm::Value *V, bool Signed = false);
    bool setResult(const Statement &S, llvm::Value *V, bool Signed = false);
    llvm::Value *element(llvm::Value *Base, uint64_t Offset);

    /* Each returns whether it is of the forms that become IR. */
    bool load(const Statement &S, const PtxOpcode &Code);
    bool store(const Statement &S, const PtxOpcode &Code);
    bool loadPointer(const Statement &S, const PtxOpcode &Code, llvm::Value *Address);
    bool move(const Statement &S, const PtxOpcode &Code);
    bool pack(const Statement &S, const PtxOpcode &Code);
    bool convertAddress(const Statement &S, const PtxOpcode &Code);
    bool convert(const Statement &S, const PtxOpcode &Code);
    bool arithmetic(const Statement &S, const PtxOpcode &Code);
    bool multiply(const Statement &S, const PtxOpcode &Code);
    bool compare(const Statement &S, const PtxOpcode &Code);
    bool select(const Statement &S, const PtxOpcode &Code);
    bool atomic(const Statement &S, const PtxOpcode &Code, bool HasResult);
    bool barrier(const Statement &S, const PtxOpcode &Code);
    bool jump(const Statement &S, const PtxOpcode &Code);
    llvm::BasicBlock *target(const Operand &O) const;
    bool jumpByTable(const Statement &S, const PtxOpcode &Code);
    bool leave(const Statement &S, const PtxOpcode &Code);
    bool call(const Statement &S);
    bool passArguments(llvm::Function &Callee, const Operand *Given,
                       llvm::SmallVectorImpl<llvm::Value *> &Passed);
    llvm::Value *mayBeAddress(llvm::Value *V);
    bool assembly(const Statement &S);
    bool printOperand(const Operand &O, bool Computes, AssemblyText &To);

    llvm::Function &F;
    const kesco_ptx_function &From;
    PointerQuestion IsPointer;
    llvm::IRBuilder<> Builder;
    std::vector<llvm::AllocaInst *> Registers;
    llvm::StringMap<llvm::Value *> Places; ///< of parameters and local variables
    llvm::DenseMap<unsigned, llvm::BasicBlock *> Labels;
    llvm::Value *Result = nullptr; ///< its place
    std::string Problem;
};

} // namespace kesco

#endif
