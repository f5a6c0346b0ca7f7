#include "plugin/region/error_checks.h"

#include "plugin/cuda/host_library.h"
#include "plugin/region/consequence_finder.h"
#include "plugin/region/function_ends.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kesco {

const BasicBlock &failureOf(const ICmpInst &Test, const BranchInst &Branch) {
    return *Branch.getSuccessor(Test.getPredicate() == ICmpInst::ICMP_EQ ? 1 : 0);
}

bool comparesWithSuccess(const ICmpInst &Test) {
    return Test.isEquality() && isZero(Test.getOperand(1));
}

const CallBase *failedCall(const Edge &At) {
    const auto *Branch = dyn_cast<BranchInst>(At.From->getTerminator());
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
        return nullptr;
    Value *Condition = Branch->getCondition();
    const bool IsNot = match(Condition, m_Not(m_Value(Condition)));
    const auto *Test = dyn_cast<ICmpInst>(Condition);
    if (!Test || !comparesWithSuccess(*Test) || (&failureOf(*Test, *Branch) == At.To) == IsNot)
        return nullptr;
    const auto *Call = dyn_cast<CallBase>(Test->getOperand(0));
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->isDeclaration() && Callee->getName().starts_with("cuda") ? Call : nullptr;
}

void Consequences::add(const FailingFunction &F, const Value &Result,
                       function_ref<bool(const Instruction &)> GoesOn) {
    ConsequenceFinder(*this, F, Result, GoesOn).run();
}

bool Consequences::isEnd(const Consequence &Each) {
    const Kind What = std::get<Kind>(Each);
    return What == Returns || What == Ends || What == Throws;
}

/// True if nothing tells which of several ends it comes to, and \p Other has not the same.
bool Consequences::isLessSureThan(const Consequences &Other) const {
    const auto countEnds = [](const Consequences &Of) {
        return count_if(Of.Found, isEnd) + (Of.OnlyGoesOn ? 1 : 0);
    };
    return countEnds(*this) > 1 && countEnds(Other) > 0 &&
           (OnlyGoesOn != Other.OnlyGoesOn || any_of(Found, [&](const Consequence &Each) {
                return isEnd(Each) && Other.Found.count(Each) == 0;
            }));
}

bool Consequences::followFrom(const Consequences &Other) const {
    return !Other.isLessSureThan(*this) && all_of(Found, [&](const Consequence &Each) {
        const Kind What = std::get<Kind>(Each);
        return What != Unclear &&
               (Other.Found.count(Each) != 0 || ((What == Stores || What == Says) && Other.isGrave()));
    });
}

std::optional<BasedPlace> Consequences::onlyStored() const {
    if (Found.size() != 1 || OnlyGoesOn)
        return std::nullopt;
    const auto &[What, With, Offset] = *Found.begin();
    if (What != Stores)
        return std::nullopt;
    return BasedPlace{static_cast<const Value *>(With), Offset};
}

/// True if nothing but that follows, and that the error is handed on or told.
bool Consequences::only(Kind What) const {
    const auto is = [](const Consequence &Each, Kind Other) { return std::get<Kind>(Each) == Other; };
    return !OnlyGoesOn && any_of(Found, [&](const Consequence &Each) { return is(Each, What); }) &&
           all_of(Found, [&](const Consequence &Each) {
               return is(Each, What) || is(Each, HandsOn) || is(Each, Says);
           });
}

bool Consequences::onlyEnds() const {
    return only(Ends);
}

bool Consequences::onlyReturns() const {
    return only(Returns);
}

bool Consequences::isGrave() const {
    return any_of(Found, [](const Consequence &Each) {
        const Kind What = std::get<Kind>(Each);
        const auto *With = static_cast<const Value *>(std::get<const void *>(Each));
        return What == Throws || ((What == Ends || What == Returns) && !isZero(With));
    });
}

std::string Consequences::whyKept(std::string Otherwise) const {
    for (const Consequence &Each : Found) {
        const auto *With = static_cast<const Value *>(std::get<const void *>(Each));
        const auto *Call = std::get<Kind>(Each) == Unclear ? dyn_cast<CallBase>(With) : nullptr;
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        if (Callee && Callee->isDeclaration() && libraryTraits(*Callee) == 0)
            return "whose error goes to '" + demangle(Callee->getName()) +
                   "', which is not in sight and may come back (declare it [[noreturn]] if it does not)";
    }
    return Otherwise;
}

bool endsBadly(const BasicBlock &Pad, function_ref<bool(const Instruction &)> GoesOn) {
    bool Badly = true;
    visitEdges({*pred_begin(&Pad), &Pad}, [&](const Edge &At) {
        if (any_of(*At.To, GoesOn))
            return false;
        const CallBase *Call = lastCall(*At.To);
        if (const auto *Return = dyn_cast<ReturnInst>(At.To->getTerminator())) {
            const Value *Returned =
                Return->getReturnValue() ? valueFrom(Return->getReturnValue(), At) : nullptr;
            Badly &= isa_and_nonnull<ConstantInt>(Returned) && !isZero(Returned);
        } else if (Call && exitStatus(*Call)) {
            Badly &= !isZero(exitStatus(*Call));
        }
        return Badly && !Call;
    });
    return Badly;
}

} // namespace kesco
