//===- ranges.h - which bytes behind its pointers a kernel accesses -----------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds for the integers of a kernel, from what a launch gives: a walk over SSA values, bottom up, with the
// branches that dominate a place, and loops by induction.
//
// What is claimed of a value of w bits is that some integer which is congruent to it modulo 2^w lies within
// the bounds. Sums, differences, products and truncations keep that, wrap or not. Wherever an integer is read
// off the bits (extensions, quotients, comparisons, the lesser of two) the bounds must fit the type: what
// cannot be seen to is a condition that the launch has to meet, else nothing holds.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_RANGES_H
#define KESCO_PLUGIN_DEVICE_RANGES_H

extern "C" {
#include "plugin/summary/polynomial.h"
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

/// Where an integer lies in rows at equal distances: between First and Last, both included, behind where some
/// row begins, which is a multiple of Pitch.
struct Rows {
    kesco_polynomial Pitch = KESCO_POLYNOMIAL_UNKNOWN; ///< unknown: nothing is said
    kesco_polynomial First = KESCO_POLYNOMIAL_ZERO, Last = KESCO_POLYNOMIAL_ZERO;

    bool areKnown() const {
        return Pitch != KESCO_POLYNOMIAL_UNKNOWN && First != KESCO_POLYNOMIAL_UNKNOWN &&
               Last != KESCO_POLYNOMIAL_UNKNOWN;
    }
};

/// Bounds of an integer, both included, that hold where all conditions are 0 or more.
struct Interval {
    kesco_polynomial Low = KESCO_POLYNOMIAL_ZERO, High = KESCO_POLYNOMIAL_ZERO;
    llvm::SmallVector<kesco_polynomial, 4> Conditions;
    Rows In = {}; ///< holds of the same integer as the bounds do

    static Interval unknown() {
        return {KESCO_POLYNOMIAL_UNKNOWN, KESCO_POLYNOMIAL_UNKNOWN, {}};
    }

    bool isKnown() const {
        return Low != KESCO_POLYNOMIAL_UNKNOWN && High != KESCO_POLYNOMIAL_UNKNOWN;
    }
};

class Ranges {
  public:
    Ranges(llvm::Function &Kernel, llvm::DominatorTree &Dominance, llvm::LoopInfo &Loops)
        : Kernel(Kernel), Dominance(Dominance), Loops(Loops) {
    }

    Ranges(const Ranges &) = delete;
    Ranges &operator=(const Ranges &) = delete;

    ~Ranges() {
        kesco_algebra_clear(&Terms);
    }

    /// What \p Address is an offset from, if that is one value, by whatever steps; else null.
    static const llvm::Value *rootOf(const llvm::Value *Address);

    /// The bytes that the access \p I of \p Size bytes at \p Address, one of the kernel's own, goes to: the
    /// first, and the one behind the last, counted from the address's root.
    Interval bytesOf(const llvm::Instruction &I, const llvm::Value *Address, uint64_t Size);

    /// What holds all of both.
    Interval hull(const Interval &A, const Interval &B);

    /// How often \p L goes round, at most, by what it counts; unknown where it counts nothing.
    kesco_polynomial passesOf(const llvm::Loop &L) {
        kesco_polynomial Passes = passesOf(L, nullptr).High;
        return Passes != KESCO_POLYNOMIAL_UNKNOWN ? Passes : stridesOf(L);
    }

    kesco_algebra &algebra() {
        return Terms;
    }

    std::optional<int64_t> asNumber(kesco_polynomial P) const;

    /// The text of range.h; empty where that would be too long or \p Bytes says nothing.
    std::string text(const Interval &Bytes);

  private:
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
    Interval ofRegister(llvm::StringRef Name);
    Interval ofOffset(const llvm::GEPOperator &I, Place At);
    Interval ofChoice(const llvm::PHINode &Phi);
    Interval ofHeader(const llvm::PHINode &Phi, const llvm::Loop &L);
    Interval start(const llvm::PHINode &Phi, const llvm::Loop &L);
    Interval next(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Assumed);
    Interval risingFrom(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Start);
    Interval fallingFrom(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Start);
    Interval stayingWithin(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Start);
    Interval byCount(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Start);
    Interval fromWithin(const llvm::PHINode &Phi, const llvm::Loop &L,
                        llvm::function_ref<Interval(const llvm::Value *, Place)> Incoming);
    Interval addedTo(const llvm::PHINode &Phi, const llvm::Loop &L, const llvm::Value *V, Place At,
                     unsigned Links);
    Interval stepOf(const llvm::PHINode &Phi, const llvm::Loop &L);
    const llvm::Value *endOf(const llvm::Value *V, const llvm::Loop &L) const;
    Interval untilEqual(const llvm::PHINode &Phi, const llvm::Loop &L, const Interval &Start);
    Interval passesOf(const llvm::Loop &L, const llvm::PHINode *Except);
    kesco_polynomial stridesOf(const llvm::Loop &L);

    std::string textOf(kesco_polynomial P) const;

    void note(const std::pair<const llvm::Value *, Place> &Key, const Interval &Bounds);
    void forgetSince(size_t Before);

    Facts factsAt(Place At) const;
    static Facts factsOf(llvm::Value *Condition, bool Holds);
    static bool addFact(const llvm::Value *Condition, bool Holds, Facts &All);
    void refine(Interval &Bounds, const llvm::Value *V, const Facts &All, Place At);
    void refineByOther(Interval &Bounds, const llvm::Value *Other, int64_t Added, Place At);
    void refineBy(Interval &Bounds, llvm::CmpInst::Predicate Relation, const llvm::Value *Other,
                  int64_t Added, unsigned Bits, Place At);

    Interval exactly(kesco_polynomial P) {
        return {P, P, {}};
    }
    Interval between(int64_t Low, int64_t High) {
        return {kesco_algebra_number(&Terms, Low), kesco_algebra_number(&Terms, High), {}};
    }
    Interval anyOf(const llvm::Type &T);
    Interval plus(const Interval &A, const Interval &B);
    Interval minus(const Interval &A, const Interval &B);
    Interval times(const Interval &A, const Interval &B);
    Rows rowsOfSum(const Interval &A, const Interval &B);
    Rows rowsOfProduct(const Interval &A, kesco_polynomial By);
    Rows rowsOfBoth(const Interval &A, const Interval &B);
    Rows scaled(const Rows &In, kesco_polynomial By);
    Rows beside(const Rows &In, kesco_polynomial Low, kesco_polynomial High);
    bool isMain(const Rows &A, const Rows &B) const;
    std::string textInPieces(const Interval &Bytes);
    static void addConditions(Interval &To, const Interval &From);

    /// False if \p P, which has to be 0 or more for \p Bounds, cannot be.
    bool require(Interval &Bounds, kesco_polynomial P);
    bool requireFits(Interval &Bounds, unsigned Bits, bool Signed);

    llvm::Function &Kernel;
    llvm::DominatorTree &Dominance;
    llvm::LoopInfo &Loops;
    kesco_algebra Terms = {};
    std::map<std::pair<const llvm::Value *, Place>, Interval> Known;
    llvm::SmallVector<std::pair<const llvm::Value *, Place>, 64> Order; ///< of Known
    llvm::DenseMap<const llvm::Value *, Interval> Assumed;              ///< for induction
    llvm::SmallVector<kesco_polynomial, 2> Hypotheses;                  ///< those in Assumed
    llvm::DenseSet<const llvm::Value *> InProgress;
    llvm::DenseSet<const llvm::PHINode *> Solving; ///< headers' whose bounds are being found
    unsigned Steps = 0, Depth = 0;
};

} // namespace kesco

#endif
