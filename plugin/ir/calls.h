//===- calls.h - calls in functions, and of them -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_IR_CALLS_H
#define KESCO_PLUGIN_IR_CALLS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <type_traits>

namespace kesco {

/// The calls among the instructions of \p Range, in order.
template <typename T>
auto callsAmong(T &&Range) {
    return llvm::map_range(llvm::make_filter_range(std::forward<T>(Range), llvm::IsaPred<llvm::CallBase>),
                           [](auto &I) -> auto & { return llvm::cast<llvm::CallBase>(I); });
}

/// The calls in \p F, a function.
template <typename T>
auto callsIn(T &F) {
    return callsAmong(llvm::instructions(F));
}

/// The function that \p V, a call, names; null for any other.
inline llvm::Function *calleeOf(const llvm::Value &V) {
    const auto *Call = llvm::dyn_cast<llvm::CallBase>(&V);
    return Call ? Call->getCalledFunction() : nullptr;
}

/// True for a call of the function \p Name, which is another module's.
inline bool isCallOf(const llvm::Instruction &I, llvm::StringRef Name) {
    const llvm::Function *Callee = calleeOf(I);
    return Callee && Callee->isDeclaration() && Callee->getName() == Name;
}

/// True if \p Call names a function that, as is seen, has nowhere to return, or is known to have none.
inline bool neverReturns(const llvm::CallBase &Call) {
    const llvm::Function *Callee = Call.getCalledFunction();
    return Call.doesNotReturn() || (Callee && !Callee->isDeclaration() && !Callee->isInterposable() &&
                                    llvm::none_of(*Callee, [](const llvm::BasicBlock &Block) {
                                        return llvm::isa<llvm::ReturnInst>(Block.getTerminator());
                                    }));
}

/// The calls that name \p F.
inline llvm::SmallVector<llvm::CallBase *, 8> callsOf(const llvm::Function &F) {
    llvm::SmallVector<llvm::CallBase *, 8> Calls;
    for (const llvm::User *U : F.users())
        if (calleeOf(*U) == &F)
            Calls.push_back(llvm::cast<llvm::CallBase>(const_cast<llvm::User *>(U)));
    return Calls;
}

/// The calls in \p M that name the function \p Name.
inline llvm::SmallVector<llvm::CallBase *, 8> callsOf(const llvm::Module &M, llvm::StringRef Name) {
    const llvm::Function *F = M.getFunction(Name);
    return F ? callsOf(*F) : llvm::SmallVector<llvm::CallBase *, 8>();
}

/// Adds to \p Found, a set in order, what those in it call by name, directly or through others, as far as \p
/// Wanted holds.
template <typename Set, typename Predicate>
void addCallees(Set &Found, Predicate Wanted) {
    for (unsigned Next = 0; Next < Found.size(); ++Next)
        for (const llvm::CallBase &Call : callsIn(*Found[Next]))
            if (auto *Callee = Call.getCalledFunction(); Callee && Wanted(*Callee))
                Found.insert(Callee);
}

/// \p Call as one that throws nothing, as CUDA's functions do.
inline llvm::CallInst *plainCall(llvm::CallBase &Call) {
    auto *Invoke = llvm::dyn_cast<llvm::InvokeInst>(&Call);
    return Invoke ? llvm::changeToCall(Invoke) : llvm::cast<llvm::CallInst>(&Call);
}

} // namespace kesco

#endif
