//===- extents.h - where in their objects the ops of a copy touch memory ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_REGION_EXTENTS_H
#define KESCO_PLUGIN_REGION_EXTENTS_H

#include "plugin/cuda/transfers.h"
#include "plugin/kernels/launch_range.h"
#include "plugin/region/regions.h"

#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class LoopInfo;
class SCEV;
class ScalarEvolution;
} // namespace llvm

namespace kesco {

/// Bytes of an object, from Begin on, counted from where the object begins.
struct Extent {
    const llvm::SCEV *Begin = nullptr; ///< null: all of the object
    const llvm::SCEV *Size = nullptr;
    const llvm::Loop *Outermost = nullptr; ///< around the op; null for none
    uint64_t Distance =
        0;               ///< 0: all of it is touched; else how far it is from one piece that is to the next,
    uint64_t Length = 0; ///< and how long each is; the first is at Begin
};

/// True if \p V seems to be one value in all passes of \p L: what it is loaded from, if it is, is one place.
bool isOne(const llvm::Value &V, const llvm::Loop &L, unsigned Steps = 0);

/// A launch of the stub Original after the call Push, and the ranges (plugin/summary/range.h) past a pointer
/// within which it touches memory.
struct Launch {
    const llvm::CallBase *Push, *Stub;
    const llvm::Function *Original;
    llvm::SmallVector<std::string, 2> Within;
};

/// The bytes past the pointer that the launch touches, by what \p Read says: in parts that are apart, or as
/// one. None where that is not known, or no byte.
llvm::SmallVector<kesco_pieces, 4> bytesOf(const Launch &At, ReadInteger Read);

/// Finds extents in one copy of a function.
class Extents {
  public:
    Extents(llvm::FunctionAnalysisManager &OfCopy, llvm::Function &Copy);

    /// By what the run tells apart where pointers lead: how far past the beginning of its object \p Pointer
    /// is at \p Call. Null where that is neither one value in all passes of the loops around nor goes on by
    /// one value from pass to pass. \p IsHost: the program uses it as host memory.
    ///
    /// Sums and products are taken for what they are before they become wider, as if they fitted: equal keys
    /// are equal places, but different ones may be the same place where a number wraps around.
    const llvm::SCEV *keyOf(const llvm::CallBase &Call, const llvm::Value *Pointer, bool IsHost) const;

    /// True if \p Pointer is computed from another place in the same object in each pass of \p L.
    bool goesOn(const llvm::Value &Pointer, const llvm::Loop &L) const;

    /// What the launch touches through \p Pointer, in parts that are apart or as one, if that is constant.
    /// None if it is not.
    llvm::SmallVector<Extent, 1> ofLaunch(const Launch &At, const llvm::Value *Pointer) const;

    /// True if \p Stub, a call of \p Original that launches, touches other bytes past a pointer in each
    /// pass of a loop around it, by the arguments that the ranges \p Within take.
    bool shifts(const llvm::CallBase &Stub, const llvm::Function &Original,
                llvm::ArrayRef<std::string> Within) const;

    /// True if of two launches of \p Original, \p Stub touches as much past a pointer as \p Other, but at
    /// another place, by the arguments that the ranges \p Within take.
    bool isBeside(const llvm::CallBase &Stub, const llvm::CallBase &Other, const llvm::Function &Original,
                  llvm::ArrayRef<std::string> Within) const;

    /// What the transfer \p Call touches of the object of \p O, no symbol.
    Extent ofTransfer(const llvm::CallBase &Call, const TransferOperand &O) const;

    /// What the transfer \p Call touches of the variable of \p O, a symbol.
    Extent ofSymbol(const llvm::CallBase &Call, const TransferOperand &O) const;

  private:
    const llvm::SCEV *startOf(const llvm::Value *Pointer, bool IsHost) const;
    Extent extentAt(const llvm::CallBase &Call, const llvm::SCEV *Begin, const llvm::SCEV *Size) const;
    bool isInCycleBesideLoops(const llvm::BasicBlock &Block) const;
    const llvm::SCEV *operand(const llvm::CallBase &Call, int Number) const;

    llvm::ScalarEvolution &Evolution;
    const llvm::LoopInfo &Loops;
    const llvm::CycleInfo &Cycles;
};

} // namespace kesco

#endif
