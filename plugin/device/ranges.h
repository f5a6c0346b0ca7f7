//===- ranges.h - which bytes a kernel accesses through its pointers -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds for the integers of a kernel, from what a launch gives: a walk over SSA values, bottom up, with the
// branches that dominate a place, and loops by induction.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_RANGES_H
#define KESCO_PLUGIN_DEVICE_RANGES_H

extern "C" {
#include "plugin/summary/interval_parts.h"
}

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#include <map>
#include <optional>
#include <string>

namespace kesco {

/// An interval of C's (plugin/summary/interval.h), by default of 0 alone.
struct Interval : kesco_interval {
    Interval() : kesco_interval(kesco_interval_exactly(KESCO_POLYNOMIAL_ZERO)) {
    }
    Interval(const kesco_interval &I) : kesco_interval(I) {
    }
    Interval(kesco_polynomial Low, kesco_polynomial High, const kesco_conditions &Holds = {})
        : kesco_interval(kesco_interval_exactly(Low)) {
        high = High;
        conditions = Holds;
    }

    static Interval unknown() {
        return kesco_interval_unknown();
    }

    bool isKnown() const {
        return kesco_interval_is_known(this);
    }

    bool isOne() const {
        return kesco_interval_is_one(this);
    }
};

class Ranges {
  public:
    /// \p OfTypes: a number of which nothing else is known is any that its type has; else it is unknown, but
    /// for small types.
    Ranges(llvm::Function &Kernel, llvm::DominatorTree &Dominance, llvm::LoopInfo &Loops, bool OfTypes = true)
        : Kernel(Kernel), Dominance(Dominance), Loops(Loops), OfTypes(OfTypes) {
    }

    Ranges(const Ranges &) = delete;
    Ranges &operator=(const Ranges &) = delete;

    ~Ranges() {
        kesco_algebra_clear(&Terms);
    }

    /// What \p Address is an offset from, if that is one value, by whatever steps; else null.
    static const llvm::Value *rootOf(const llvm::Value *Address);

    /// The bytes that the access \p I of \p Size bytes at \p Address, one of the kernel's own, goes to: the
    /// first, and the one after the last, counted from the address's root.
    Interval bytesOf(const llvm::Instruction &I, const llvm::Value *Address, uint64_t Size);

    /// How often \p L goes round, at most, by what it counts; unknown where it counts nothing.
    kesco_polynomial passesOf(const llvm::Loop &L) {
        kesco_polynomial Passes = passesOf(L, nullptr).high;
        return Passes != KESCO_POLYNOMIAL_UNKNOWN ? Passes : stridesOf(L);
    }

    /// The same where \p L goes over a thread's share of something, from `n * i / d` to `n * (i + 1) / d`;
    /// else unknown.
    kesco_polynomial shareOf(const llvm::Loop &L, llvm::ScalarEvolution &Counts);

    kesco_algebra &algebra() {
        return Terms;
    }

    std::optional<int64_t> asNumber(kesco_polynomial P) const;

    void add(kesco_interval_parts &Parts, const Interval &Bytes) {
        kesco_interval_parts_add(&Terms, &Parts, &Bytes);
    }

    /// The text of range.h; empty where that would be too long or the bytes say nothing.
    std::string text(const Interval &Bytes);
    std::string text(const kesco_interval_parts &Parts);

  private:
    /// What holds all of both.
    Interval hull(const Interval &A, const Interval &B) {
        return kesco_interval_hull(&Terms, &A, &B);
    }

    /// A place in the kernel: a block, or the edge from it to another.
    struct Place {
        const llvm::BasicBlock *Block;
        const llvm::BasicBlock *To = nullptr;

        bool operator<(const Place &Other) const {
            return std::pair(Block, To) < std::pair(Other.Block, Other.To);
        }
    };

    /// A comparison that holds somewhere.
    struct Fact {
        llvm::CmpInst::Predicate Relation;
        const llvm::Value *Left, *Right;
    };

    using Facts = llvm::SmallVector<Fact, 8>;

    Interval of(const llvm::Value *V, Place At);
    Interval compute(const llvm::Value *V, Place At);
    Interval ofInstruction(const llvm::Instruction &I, Place At);
    Interval ofBinary(const llvm::BinaryOperator &I, Place At);
    Interval ofLogic(const llvm::BinaryOperator &I, Place At);
    Interval ofQuotient(const llvm::BinaryOperator &I, Place At);
    Interval ofRemainder(const llvm::BinaryOperator &I, Place At);
    Interval ofExtension(const llvm::CastInst &I, Place At);
    Interval ofSelect(const llvm::SelectInst &I, Place At);
    Interval ofCall(const llvm::CallInst &I, Place At);
    Interval ofOffset(const llvm::GEPOperator &I, Place At);
    Interval ofChoice(const llvm::PHINode &Phi);
    Interval ofHeader(const llvm::PHINode &Phi, const llvm::Loop &L);
    Interval start(const llvm::PHINode &Phi, const llvm::Loop &L);
    Interval next(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Assumed);
    Interval goingFrom(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Start, bool Rises);
    Interval risingFrom(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Start) {
        return goingFrom(Phi, L, Start, true);
    }
    Interval fallingFrom(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Start) {
        return goingFrom(Phi, L, Start, false);
    }
    Interval stayingWithin(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Start);
    Interval byCount(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Start);
    Interval comingFrom(bool Within, const llvm::PHINode &Phi, const llvm::Loop &L,
                        llvm::function_ref<Interval(const llvm::Value *, Place)> Incoming);
    Interval addedTo(const llvm::PHINode &Phi, const llvm::Loop &L, const llvm::Value *V, Place At,
                     unsigned Links);
    Interval stepOf(const llvm::PHINode &Phi, const llvm::Loop &L);
    const llvm::Value *endOf(const llvm::Value *V, const llvm::Loop &L) const;
    Interval untilEqual(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Start);
    Interval passesOf(const llvm::Loop &L, const llvm::PHINode *Except);
    kesco_polynomial stridesOf(const llvm::Loop &L);

    Facts factsAt(Place At) const;
    static Facts factsOf(llvm::Value *Condition, bool Holds);
    static bool addFact(const llvm::Value *Condition, bool Holds, Facts &All);
    void refine(Interval &Bounds, const llvm::Value *V, const Facts &All, Place At);
    void refineByOther(Interval &Bounds, const llvm::Value *Other, int64_t Added, Place At);
    void refineBy(Interval &Bounds, llvm::CmpInst::Predicate Relation, const llvm::Value *Other,
                  int64_t Added, unsigned Bits, Place At);

    kesco_polynomial number(int64_t Value) {
        return kesco_algebra_number(&Terms, Value);
    }
    Interval between(int64_t Low, int64_t High) {
        return kesco_interval_between(&Terms, Low, High);
    }
    Interval anyOf(const llvm::Type &T);
    Interval plus(const Interval &A, const Interval &B) {
        return kesco_interval_plus(&Terms, &A, &B);
    }
    Interval times(const Interval &A, const Interval &B) {
        return kesco_interval_times(&Terms, &A, &B);
    }
    bool require(Interval &Bounds, kesco_polynomial P) {
        return kesco_interval_require(&Terms, &Bounds, P);
    }
    bool requireFits(Interval &Bounds, unsigned Bits, bool Signed) {
        return kesco_interval_require_fits(&Terms, &Bounds, Bits, Signed);
    }

    /// What has been found, and can be forgotten again.
    class Memory {
      public:
        using Key = std::pair<const llvm::Value *, Place>;

        const Interval *find(const Key &Of) const;
        void note(const Key &Of, const Interval &Bounds);

        size_t size() const {
            return Order.size();
        }

        /// All but the first \p Count.
        void forgetAfter(size_t Count);

      private:
        std::map<Key, Interval> Known;
        llvm::SmallVector<Key, 64> Order; ///< of Known
    };

    /// What loops are found by.
    struct Induction {
        llvm::DenseMap<const llvm::Value *, Interval> Assumed;
        llvm::SmallVector<kesco_polynomial, 2> Hypotheses; ///< those in Assumed
        llvm::DenseSet<const llvm::PHINode *> Solving;     ///< headers' whose bounds are being found
    };

    /// How far the search has come.
    struct Search {
        llvm::DenseSet<const llvm::Value *> InProgress;
        unsigned Steps = 0, Depth = 0;
    };

    llvm::Function &Kernel;
    llvm::DominatorTree &Dominance;
    llvm::LoopInfo &Loops;
    const bool OfTypes;
    kesco_algebra Terms = {};
    Memory Found;
    Induction InLoops;
    Search Now;
};

} // namespace kesco

#endif
