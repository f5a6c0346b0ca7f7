#include "plugin/device/ranges.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kesco {

/// What comes to the header from within the loop, or from before it, by \p Incoming.
Interval Ranges::comingFrom(bool Within, const PHINode &Phi, const Loop &L,
                            function_ref<Interval(const Value *, Place)> Incoming) {
    Interval All = Interval::unknown();
    bool IsFirst = true;
    for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I) {
        if (L.contains(Phi.getIncomingBlock(I)) != Within)
            continue;
        Interval One = Incoming(Phi.getIncomingValue(I), {Phi.getIncomingBlock(I), Phi.getParent()});
        All = IsFirst ? One : hull(All, One);
        IsFirst = false;
    }
    return All;
}

Interval Ranges::start(const PHINode &Phi, const Loop &L) {
    return comingFrom(false, Phi, L, [&](const Value *V, Place At) { return of(V, At); });
}

/// What the phi is in the next pass, where in this one it is as \p Supposed. Nothing that is found out then
/// outlives the question.
Interval Ranges::next(const PHINode &Phi, const Loop &L, const Interval &Supposed) {
    size_t Before = Found.size();
    DenseSet<const Value *> Around;
    std::swap(Around, Now.InProgress); /* it asks anew for what led here */
    InLoops.Assumed[&Phi] = Supposed;
    Interval All = comingFrom(true, Phi, L, [&](const Value *V, Place At) { return of(V, At); });
    InLoops.Assumed.erase(&Phi);
    std::swap(Around, Now.InProgress);
    Found.forgetAfter(Before);
    return All;
}

/// From where it starts it goes up, or down, to what lets the loop go on.
Interval Ranges::goingFrom(const PHINode &Phi, const Loop &L, const Interval &Start, bool Rises) {
    kesco_polynomial End = kesco_algebra_hypothesis(&Terms);
    InLoops.Hypotheses.push_back(End);
    Interval Next = next(Phi, L, Rises ? Interval{Start.low, End, {}} : Interval{End, Start.high, {}});
    InLoops.Hypotheses.pop_back();
    if (!Next.isKnown() || kesco_algebra_mentions(&Terms, Next.low, End) ||
        kesco_algebra_mentions(&Terms, Next.high, End))
        return Interval::unknown();
    Interval Result = {Start.low, Start.high, Start.conditions};
    kesco_polynomial &Furthest = Rises ? Result.high : Result.low;
    Furthest = Rises ? kesco_algebra_greatest(&Terms, Start.high, Next.high)
                     : kesco_algebra_least(&Terms, Start.low, Next.low);
    bool Holds =
        Result.isKnown() && require(Result, Rises ? kesco_algebra_subtract(&Terms, Next.low, Start.low)
                                                  : kesco_algebra_subtract(&Terms, Start.high, Next.high));
    kesco_polynomial Last = Furthest;
    for (kesco_polynomial P : ArrayRef(Next.conditions.items, Next.conditions.count))
        Holds = Holds && require(Result, kesco_algebra_substitute(&Terms, P, End, Last));
    return Holds ? Result : Interval::unknown();
}

/// Between 0 and where it starts, as what is halved in each pass.
Interval Ranges::stayingWithin(const PHINode &Phi, const Loop &L, const Interval &Start) {
    Interval Result = {number(0), Start.high, Start.conditions};
    if (!require(Result, Start.low))
        return Interval::unknown();
    Interval Next = next(Phi, L, {Result.low, Result.high, {}});
    bool Holds = Next.isKnown() && require(Result, Next.low) &&
                 require(Result, kesco_algebra_subtract(&Terms, Result.high, Next.high));
    if (Holds)
        kesco_interval_add_conditions(&Result, &Next);
    return Holds ? Result : Interval::unknown();
}

/// How much \p V is more than the phi was at the beginning of the pass, by sums and choices alone.
Interval Ranges::addedTo(const PHINode &Phi, const Loop &L, const Value *V, Place At, unsigned Links) {
    const auto *I = dyn_cast<Instruction>(V);
    if (V == &Phi)
        return between(0, 0);
    if (!I || Links == 0 || Loops.getLoopFor(I->getParent()) != &L)
        return Interval::unknown();
    if (const auto *Choice = dyn_cast<PHINode>(I)) {
        Interval All = Interval::unknown();
        for (unsigned K = 0; K < Choice->getNumIncomingValues(); ++K) {
            Interval One = addedTo(Phi, L, Choice->getIncomingValue(K),
                                   {Choice->getIncomingBlock(K), I->getParent()}, Links - 1);
            All = K == 0 ? One : hull(All, One);
        }
        return All;
    }
    if (I->getOpcode() != Instruction::Add && !isa<GetElementPtrInst>(I))
        return Interval::unknown();
    Interval Rest = addedTo(Phi, L, I->getOperand(0), At, Links - 1);
    if (!Rest.isKnown())
        return Rest;
    return plus(Rest,
                isa<GetElementPtrInst>(I) ? ofOffset(*cast<GEPOperator>(I), At) : of(I->getOperand(1), At));
}

/// How much one pass adds.
Interval Ranges::stepOf(const PHINode &Phi, const Loop &L) {
    constexpr unsigned MostLinks = 8;
    size_t Before = Found.size();
    Interval Step =
        comingFrom(true, Phi, L, [&](const Value *V, Place At) { return addedTo(Phi, L, V, At, MostLinks); });
    Found.forgetAfter(Before);
    return Step;
}

/// What \p V, the phi or its next value, is not whenever the loop goes on; null where that is not known.
const Value *Ranges::endOf(const Value *V, const Loop &L) const {
    for (const Fact &F : factsAt({L.getLoopLatch(), L.getHeader()}))
        if (F.Relation == CmpInst::ICMP_NE && (F.Left == V || F.Right == V))
            return F.Left == V ? F.Right : F.Left;
    return nullptr;
}

/// True if \p V is a multiple of \p Number, a power of 2, as what is left without a remainder is.
static bool isMultiple(const Value *V, uint64_t Number, const DataLayout &Layout) {
    const Value *Whole;
    const APInt *Mask;
    if (match(V, m_Sub(m_Value(Whole), m_c_And(m_Deferred(Whole), m_APInt(Mask)))))
        return Mask->countTrailingOnes() >= Log2_64(Number);
    return computeKnownBits(V, Layout).countMinTrailingZeros() >= Log2_64(Number);
}

/// By one number in each pass, until it is another. It does not go past that where some steps lead there.
Interval Ranges::untilEqual(const PHINode &Phi, const Loop &L, const Interval &Start) {
    const BasicBlock *Before = Phi.getType()->isIntegerTy() ? L.getLoopPredecessor() : nullptr;
    const BasicBlock *Latch = L.getLoopLatch();
    const Value *Last = Before && Latch ? endOf(Phi.getIncomingValueForBlock(Latch), L) : nullptr;
    bool IsTestedFirst = !Last && Before && Latch;
    if (IsTestedFirst)
        Last = endOf(&Phi, L);
    Interval Step = Last ? stepOf(Phi, L) : Interval::unknown();
    std::optional<int64_t> By = Step.isKnown() && Step.isOne() ? asNumber(Step.low) : std::nullopt;
    uint64_t Length = By ? static_cast<uint64_t>(std::abs(*By)) : 0;
    if (!isPowerOf2_64(Length) || Length > INT32_MAX ||
        !isMultiple(Phi.getIncomingValueForBlock(Before), Length, Kernel.getDataLayout()) ||
        !isMultiple(Last, Length, Kernel.getDataLayout()))
        return Interval::unknown();
    Interval End = of(Last, {Latch, Phi.getParent()});
    if (!End.isKnown() || !L.isLoopInvariant(Last))
        return Interval::unknown();
    kesco_polynomial Furthest = *By > 0 ? End.high : End.low;
    if (!IsTestedFirst)
        Furthest = kesco_algebra_subtract(&Terms, Furthest, Step.low);
    Interval Result = *By > 0 ? Interval{Start.low, Furthest, Start.conditions}
                              : Interval{Furthest, Start.high, Start.conditions};
    kesco_interval_add_conditions(&Result, &Step);
    kesco_interval_add_conditions(&Result, &End);
    kesco_polynomial Way = *By > 0 ? kesco_algebra_subtract(&Terms, End.low, Start.high)
                                   : kesco_algebra_subtract(&Terms, Start.low, End.high);
    return require(Result, kesco_algebra_subtract(&Terms, Way, number(IsTestedFirst ? 0 : 1)))
               ? Result
               : Interval::unknown();
}

/// How often the loop goes round, at most, by what others count in it.
Interval Ranges::passesOf(const Loop &L, const PHINode *Except) {
    for (const PHINode &Counter : L.getHeader()->phis()) {
        if (&Counter == Except || !Counter.getType()->isIntegerTy())
            continue;
        Interval Step = stepOf(Counter, L), Start = start(Counter, L);
        std::optional<int64_t> Least = Step.isKnown() ? asNumber(Step.low) : std::nullopt;
        std::optional<int64_t> Most = Step.isKnown() ? asNumber(Step.high) : std::nullopt;
        bool Rises = Least && *Least >= 1, Falls = Most && *Most <= -1 && *Most > INT32_MIN;
        if (!Start.isKnown() || (!Rises && !Falls))
            continue;
        Interval Passes = goingFrom(Counter, L, Start, Rises);
        if (!Passes.isKnown())
            Passes = untilEqual(Counter, L, Start);
        if (!Passes.isKnown())
            continue;
        kesco_polynomial Way = Rises ? kesco_algebra_subtract(&Terms, Passes.high, Start.low)
                                     : kesco_algebra_subtract(&Terms, Start.high, Passes.low);
        Passes.high = kesco_algebra_greatest(&Terms, number(0),
                                             kesco_algebra_quotient(&Terms, Way, Rises ? *Least : -*Most));
        kesco_interval_add_conditions(&Passes, &Step);
        return Passes;
    }
    return Interval::unknown();
}

/// The same where each pass adds one number that only the launch has, as that of all threads.
kesco_polynomial Ranges::stridesOf(const Loop &L) {
    for (const PHINode &Counter : L.getHeader()->phis()) {
        Interval Step = Counter.getType()->isIntegerTy() ? stepOf(Counter, L) : Interval::unknown();
        if (!Step.isKnown() || !Step.isOne() || !kesco_algebra_is_non_negative(&Terms, Step.low))
            continue;
        Interval Start = start(Counter, L);
        Interval Passes = Start.isKnown() ? risingFrom(Counter, L, Start) : Interval::unknown();
        if (!Passes.isKnown())
            continue;
        kesco_polynomial Way =
            kesco_algebra_greatest(&Terms, number(0), kesco_algebra_subtract(&Terms, Passes.high, Start.low));
        return kesco_algebra_ratio(&Terms, Way, Step.low); /* the last value is that which ends the loop */
    }
    return KESCO_POLYNOMIAL_UNKNOWN;
}

/// What \p L's counter, which starts with a quotient by \p Parts, ends with, if that is one, too: what is
/// divided.
static const Value *endOfShare(const Loop &L, const PHINode &Counter, const Value *Parts) {
    const BasicBlock *Exiting = L.getExitingBlock();
    const auto *Branch = Exiting ? dyn_cast<BranchInst>(Exiting->getTerminator()) : nullptr;
    Value *All;

    return Branch && Branch->isConditional() &&
                   match(Branch->getCondition(),
                         m_c_ICmp(m_Specific(&Counter), m_IDiv(m_Value(All), m_Specific(Parts))))
               ? All
               : nullptr;
}

kesco_polynomial Ranges::shareOf(const Loop &L, ScalarEvolution &Counts) {
    const BasicBlock *Before = L.getLoopPredecessor();
    Value *First, *Parts;

    for (const PHINode &Counter : L.getHeader()->phis()) {
        if (!Before ||
            !match(Counter.getIncomingValueForBlock(Before), m_IDiv(m_Value(First), m_Value(Parts))))
            continue;
        const Value *End = endOfShare(L, Counter, Parts);
        Interval Divisor = End ? of(Parts, {Before}) : Interval::unknown();
        const SCEV *All =
            End ? Counts.getMinusSCEV(Counts.getSCEV(const_cast<Value *>(End)), Counts.getSCEV(First))
                : nullptr;
        if (!Divisor.isKnown() || !Divisor.isOne())
            continue;
        kesco_polynomial Most = KESCO_POLYNOMIAL_UNKNOWN;
        if (const auto *Number = dyn_cast<SCEVConstant>(All))
            Most = number(Number->getAPInt().getSExtValue());
        else if (const auto *Given = dyn_cast<SCEVUnknown>(All))
            Most = kesco_algebra_greatest(&Terms, number(0), of(Given->getValue(), {Before}).high);
        if (Most != KESCO_POLYNOMIAL_UNKNOWN)
            return kesco_algebra_add(&Terms, number(1), kesco_algebra_ratio(&Terms, Most, Divisor.low));
    }
    return KESCO_POLYNOMIAL_UNKNOWN;
}

/// By how much a pass adds, and how many there are.
Interval Ranges::byCount(const PHINode &Phi, const Loop &L, const Interval &Start) {
    Interval Step = stepOf(Phi, L);
    Interval Passes = Step.isKnown() ? passesOf(L, &Phi) : Interval::unknown();
    if (!Passes.isKnown())
        return Interval::unknown();
    Interval Result = {Start.low, Start.high, Start.conditions};
    kesco_interval_add_conditions(&Result, &Step);
    kesco_interval_add_conditions(&Result, &Passes);
    kesco_polynomial Zero = number(0), Low = kesco_algebra_multiply(&Terms, Step.low, Passes.high),
                     High = kesco_algebra_multiply(&Terms, Step.high, Passes.high),
                     Down = kesco_algebra_multiply(&Terms, Step.high, number(-1));
    bool Falls = kesco_algebra_is_non_negative(&Terms, Down);
    Interval Way = Falls ? Interval{Low, Zero, {}} : Interval{Zero, High, {}};
    if (Step.isOne())
        Way.rows = {{{kesco_algebra_factor(&Terms, Falls ? Down : Step.low), KESCO_POLYNOMIAL_ZERO,
                      KESCO_POLYNOMIAL_ZERO}},
                    1}; /* each pass goes on by one row */
    Result.rows = kesco_rows_of_sum(&Terms, &Start, &Way);
    Result.low = kesco_algebra_add(&Terms, Result.low, Way.low);
    Result.high = kesco_algebra_add(&Terms, Result.high, Way.high);
    return Falls || require(Result, Step.low) ? Result : Interval::unknown();
}

Interval Ranges::ofHeader(const PHINode &Phi, const Loop &L) {
    const Memory::Key Key = {&Phi, Place{nullptr}};
    if (const Interval *Before = Found.find(Key))
        return *Before;
    if (!InLoops.Solving.insert(&Phi).second)
        return Interval::unknown();
    Interval Start = start(Phi, L), Result = Interval::unknown();
    if (Start.isKnown())
        for (auto Way : {&Ranges::risingFrom, &Ranges::fallingFrom, &Ranges::untilEqual, &Ranges::byCount,
                         &Ranges::stayingWithin})
            if (!Result.isKnown())
                Result = (this->*Way)(Phi, L, Start);
    InLoops.Solving.erase(&Phi);
    Found.note(Key, Result);
    return Result;
}

} // namespace kesco
