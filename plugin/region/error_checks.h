//===- error_checks.h - what a program does about an error ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows in a function where a call of CUDA's fails: with which value the function returns or the
// program ends, what is thrown, to whom the error is handed on, where it is stored. Messages do not count. An
// error that shows at one call may come to light at another instead if as much follows there.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_ERROR_CHECKS_H
#define KESCO_PLUGIN_REGION_ERROR_CHECKS_H

#include "plugin/ir/walk.h"
#include "plugin/region/error_place.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace kesco {

struct FailingFunction;

/// What follows from an error.
class Consequences {
  public:
    /// Adds what follows from \p Result, an error that a call in \p F returned. Where \p GoesOn, the program
    /// has come back to its work.
    void add(const FailingFunction &F, const llvm::Value &Result,
             llvm::function_ref<bool(const llvm::Instruction &)> GoesOn);

    void add(const Consequences &Other) {
        Found.insert(Other.Found.begin(), Other.Found.end());
        OnlyGoesOn |= Other.OnlyGoesOn;
    }

    bool operator==(const Consequences &Other) const {
        return Found == Other.Found && OnlyGoesOn == Other.OnlyGoesOn;
    }

    /// True if the program does not look.
    bool empty() const {
        return Found.empty() && !OnlyGoesOn;
    }

    /// Where an error is stored, if the program does nothing else with it.
    std::optional<BasedPlace> onlyStored() const;

    /// True if the program looks, and always ends, whatever functions it hands the error on to before.
    bool onlyEnds() const;

    /// The same, if the function always returns instead.
    bool onlyReturns() const;

    /// True if all of it follows from an error with \p Other, too. What is only stored or said may be
    /// returned or thrown instead, or end the program.
    bool followFrom(const Consequences &Other) const;

    /// For people, of a call that waits: a function that is not in sight deals with the error, or \p
    /// Otherwise.
    std::string whyKept(std::string Otherwise) const;

  private:
    friend class ConsequenceFinder;

    enum Kind : unsigned { Returns, Ends, Throws, HandsOn, Says, Stores, Sets, Computes, Unclear };
    /// With the value or function, null for the error itself; and of what is stored or set, at which offset.
    using Consequence = std::tuple<Kind, const void *, int64_t>;

    void note(Kind What, const void *With, int64_t Offset = 0) {
        Found.insert({What, With, Offset});
    }

    /// True if the error is returned or thrown, or ends the program.
    bool isGrave() const;

    bool only(Kind What) const;
    bool isLessSureThan(const Consequences &Other) const;
    static bool isEnd(const Consequence &Each);

    std::set<Consequence> Found;
    bool OnlyGoesOn = false; ///< there is a test after which the program only goes on
};

/// Of a branch that looks whether \p Test, a comparison with cudaSuccess, holds: where control goes to if
/// not.
const llvm::BasicBlock &failureOf(const llvm::ICmpInst &Test, const llvm::BranchInst &Branch);

/// True for a test whether a call succeeded.
bool comparesWithSuccess(const llvm::ICmpInst &Test);

/// The call of CUDA's that has failed where control comes along \p At; null where none need have.
const llvm::CallBase *failedCall(const Edge &At);

/// True if from \p Pad, where an exception is caught, control only goes on to where the function returns a
/// number other than 0, the exception is thrown on, or the program ends with such a status. \p GoesOn as
/// above.
bool endsBadly(const llvm::BasicBlock &Pad, llvm::function_ref<bool(const llvm::Instruction &)> GoesOn);

} // namespace kesco

#endif
