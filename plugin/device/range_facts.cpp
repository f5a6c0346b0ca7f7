#include "plugin/device/branch_facts.h"
#include "plugin/device/ranges.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace kesco {

/// The value that \p V is, plus \p Added; null where it is no such sum.
static const Value *withoutNumber(const Value *V, int64_t &Added) {
    const auto *I = dyn_cast<BinaryOperator>(V);
    const auto *Number = I ? dyn_cast<ConstantInt>(I->getOperand(1)) : nullptr;
    if (!Number || Number->getValue().getSignificantBits() > 62 ||
        (I->getOpcode() != Instruction::Add && I->getOpcode() != Instruction::Sub))
        return nullptr;
    Added = I->getOpcode() == Instruction::Add ? Number->getSExtValue() : -Number->getSExtValue();
    return I->getOperand(0);
}

/// Adds \p Condition, as it holds or not, if it is a comparison. \returns whether that is enough.
bool Ranges::addFact(const Value *Condition, bool Holds, Facts &All) {
    constexpr unsigned MostFacts = 64;
    if (const auto *Comparison = dyn_cast<ICmpInst>(Condition))
        All.push_back({Holds ? Comparison->getPredicate() : Comparison->getInversePredicate(),
                       Comparison->getOperand(0), Comparison->getOperand(1)});
    return All.size() == MostFacts;
}

Ranges::Facts Ranges::factsAt(Place At) const {
    Facts All;
    anyFactAt(Dominance, *At.Block, At.To,
              [&](const Value *Condition, bool Holds) { return addFact(Condition, Holds, All); });
    return All;
}

Ranges::Facts Ranges::factsOf(Value *Condition, bool Holds) {
    Facts All;
    anyPart(Condition, Holds,
            [&](const Value *Part, bool PartHolds) { return addFact(Part, PartHolds, All); });
    return All;
}

/// \p Bounds plus \p Added are not \p Other, which may be the first or the last of them.
void Ranges::refineByOther(Interval &Bounds, const Value *Other, int64_t Added, Place At) {
    Interval Not = Bounds.isKnown() ? of(Other, At) : Interval::unknown();
    if (!Not.isKnown() || !Not.isOne())
        return;
    kesco_polynomial One = number(1), Hole = kesco_algebra_subtract(&Terms, Not.low, number(Added));
    if (!(Hole == Bounds.low) && !(Hole == Bounds.high))
        return;
    kesco_interval_add_conditions(&Bounds, &Not);
    if (Hole == Bounds.low)
        Bounds.low = kesco_algebra_add(&Terms, Bounds.low, One);
    else
        Bounds.high = kesco_algebra_subtract(&Terms, Bounds.high, One);
}

/// \p Bounds plus \p Added stand in \p Relation to \p Other, which has as many bits.
void Ranges::refineBy(Interval &Bounds, CmpInst::Predicate Relation, const Value *Other, int64_t Added,
                      unsigned Bits, Place At) {
    if (Relation == CmpInst::ICMP_NE)
        return refineByOther(Bounds, Other, Added, At);
    bool Signed = CmpInst::isSigned(Relation) || CmpInst::isEquality(Relation);
    bool IsUpper = Relation == CmpInst::ICMP_EQ || ICmpInst::isLT(Relation) || ICmpInst::isLE(Relation);
    bool IsLower = Relation == CmpInst::ICMP_EQ || ICmpInst::isGT(Relation) || ICmpInst::isGE(Relation);
    if (!IsUpper && !IsLower)
        return;
    Interval Limit = of(Other, At);
    if (!Limit.isKnown())
        return;
    if (Signed || IsLower ? !requireFits(Limit, Bits, Signed) : !require(Limit, Limit.low))
        return;
    int64_t Beside = CmpInst::isStrictPredicate(Relation) ? 1 : 0;
    kesco_polynomial Most = kesco_algebra_subtract(&Terms, Limit.high, number(Beside + Added));
    kesco_polynomial Least = kesco_algebra_add(&Terms, Limit.low, number(Beside - Added));
    if (!Signed && IsUpper && Added == 0 &&
        (!Bounds.isKnown() || !kesco_algebra_is_non_negative(&Terms, Bounds.low))) {
        Bounds = {number(0), Most, Limit.conditions};
        return;
    }
    Interval Fitting = plus(Bounds, between(Added, Added));
    if (!requireFits(Fitting, Bits, Signed))
        return;
    auto IsAssumed = [&](kesco_polynomial P) {
        return any_of(InLoops.Hypotheses,
                      [&](kesco_polynomial H) { return kesco_algebra_mentions(&Terms, P, H); });
    };
    Interval Tighter = Bounds;
    Tighter.conditions = Fitting.conditions;
    kesco_interval_add_conditions(&Tighter, &Limit);
    if (IsUpper)
        Tighter.high = IsAssumed(Most)          ? Bounds.high
                       : IsAssumed(Bounds.high) ? Most
                                                : kesco_algebra_least(&Terms, Bounds.high, Most);
    if (IsLower)
        Tighter.low = IsAssumed(Least)        ? Bounds.low
                      : IsAssumed(Bounds.low) ? Least
                                              : kesco_algebra_greatest(&Terms, Bounds.low, Least);
    if (Tighter.isKnown())
        Bounds = Tighter;
}

void Ranges::refine(Interval &Bounds, const Value *V, const Facts &All, Place At) {
    const auto *Type = dyn_cast<IntegerType>(V->getType());
    if (!Type || isa<Constant>(V))
        return;
    for (const Fact &F : All) {
        int64_t Added = 0;
        auto IsMine = [&](const Value *Side) { return Side == V || withoutNumber(Side, Added) == V; };
        if (IsMine(F.Left))
            refineBy(Bounds, F.Relation, F.Right, F.Left == V ? 0 : Added, Type->getBitWidth(), At);
        else if (IsMine(F.Right))
            refineBy(Bounds, CmpInst::getSwappedPredicate(F.Relation), F.Left, F.Right == V ? 0 : Added,
                     Type->getBitWidth(), At);
    }
}

} // namespace kesco
