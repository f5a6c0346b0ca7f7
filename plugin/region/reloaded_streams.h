//===- reloaded_streams.h - streams that are loaded again -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream that lies in a member, or in an element, is loaded anew after each call that could have changed
// it, as an asynchronous copy to the host might. Most likely it is the same each time, and the ops on it may
// be one region: each of them asks for its own stream (__kesco1_enter), so the run ends the region where two
// differ after all.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_RELOADED_STREAMS_H
#define KESCO_PLUGIN_REGION_RELOADED_STREAMS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Instructions.h"

#include <string>

namespace kesco {

class ReloadedStreams {
  public:
    explicit ReloadedStreams(const llvm::Function &F);

    /// Of the streams that are most likely one with \p Stream, the first that this was called for, or what
    /// the function itself has stored there last. Loads after other stores of the function are others.
    const llvm::Value *unify(const llvm::Value &Stream);

  private:
    const llvm::DataLayout &Layout;
    llvm::DenseMap<const llvm::Instruction *, std::string> Stored; ///< by store of a pointer: where to
    llvm::StringSet<> StoredTo;                                    ///< where to of all of them
    llvm::StringMap<const llvm::Value *>
        First; ///< by where a load reads, and what may have been stored there
};

} // namespace kesco

#endif
