//===- thread_launches.h - host threads that share the default stream ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that all launch on the legacy default stream are serial on the device, whatever a plan does: here
// it is found where they are started, for those who ask why.
//
//   1. A function refers to all that it calls, and to all whose addresses it takes: the code of a thread is
//      in a table of virtual functions where std::thread starts it.
//   2. What a launch on the default stream is referred to by, directly or through others, may launch.
//   3. What refers to a function that starts a thread, through functions of the C++ library alone, starts
//   one.
//   4. A call in the program that starts a thread, and hands on what may launch, is one of these. Two
//      are told of where no thread is waited for on a way from one to the other.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_MESSAGES_THREAD_LAUNCHES_H
#define KESCO_PLUGIN_MESSAGES_THREAD_LAUNCHES_H

#include "plugin/messages/serial_reason.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace kesco {

class ThreadLaunches {
  public:
    /// Finds those of \p M, whose launches on stream 0 go to the legacy default stream.
    explicit ThreadLaunches(llvm::Module &M);

    /// What is to be told of \p F; nothing where it does not start several such threads.
    std::optional<SerialReason> find(const llvm::Function &F) const;

  private:
    using Functions = llvm::SmallSetVector<const llvm::Function *, 8>;

    void addReferences(const llvm::Function &F);
    void findLaunches(llvm::Module &M);
    void findStarters(const llvm::Module &M);
    const llvm::CallBase *launchOf(const llvm::Instruction &I) const;
    bool hasOthersBeside(const llvm::CallBase &Start) const;

    llvm::DenseMap<const llvm::Function *, Functions> Referring; ///< by function: those that refer to it
    llvm::MapVector<const llvm::Function *, const llvm::CallBase *> Launches; ///< one of each that may launch
    llvm::SmallSetVector<const llvm::Function *, 8> Starters;
};

} // namespace kesco

#endif
