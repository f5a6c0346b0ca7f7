#include "plugin/region/parts.h"

#include "plugin/llvm_version.h"
#include "plugin/region/cuts.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace kesco {

using Accesses = MutableArrayRef<PartedAccess>;

static std::vector<std::string> whole(const std::string &Name, Accesses All) {
    for (PartedAccess &A : All)
        A.Parts = {0};
    return {Name};
}

/// The bytes that \p Bytes has, if they are numbers.
static std::optional<kesco_span> numbersOf(const Extent &Bytes) {
    const auto *Begin = dyn_cast_or_null<SCEVConstant>(Bytes.Begin);
    const auto *Size = dyn_cast_or_null<SCEVConstant>(Bytes.Size);
    if (!Begin || !Size || Begin->getAPInt().isNegative() || Size->getAPInt().isNegative())
        return std::nullopt;
    uint64_t First = Begin->getAPInt().getZExtValue();
    return kesco_span{First, First + Size->getAPInt().getZExtValue()};
}

/// Cuts where extents, all numbers or unknown, begin and end. Empty where that does not help.
static std::vector<std::string> cutAtNumbers(const std::string &Name, Accesses All) {
    SmallVector<kesco_cut_access, 16> Cut;
    for (const PartedAccess &A : All) {
        const std::optional<kesco_span> Bytes = numbersOf(A.Bytes);
        Cut.push_back({Bytes.has_value(), Bytes.value_or(kesco_span()), A.Bytes.Distance, A.Bytes.Length, 0});
    }
    kesco_arena Memory = {};
    scope_exit Free([&] { kesco_arena_free(&Memory); });
    const char *Names[KESCO_MOST_PARTS];
    const int Count = kesco_cut(Cut.data(), Cut.size(), Name.c_str(), &Memory, Names);
    if (Count < 0)
        report_bad_alloc_error("kesco: parts of an object");
    for (auto [A, Of] : zip(All, Cut))
        for (int Part = 0; Part < Count; ++Part)
            if (Of.parts >> Part & 1)
                A.Parts.push_back(Part);
    return std::vector<std::string>(Names, Names + Count);
}

namespace {

/// Chunks of an object: see the header.
class Grid {
  public:
    Grid(const SCEV *Unit, ScalarEvolution &Evolution) : Unit(Unit), Evolution(Evolution) {
    }

    /// Takes in an extent. False if it is no chunk of the grid.
    bool add(const Extent &Bytes) {
        if (Evolution.isKnownNegative(Unit) || !isSteady(Unit, Bytes.Outermost) || !isAtMostUnit(Bytes.Size))
            return false;
        const SCEV *Start = Bytes.Begin;
        const SCEV *Step = nullptr;
        const Loop *In = nullptr;
        if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(Bytes.Begin)) {
            if (!Recurrence->isAffine())
                return false;
            Start = Recurrence->getStart();
            Step = Recurrence->getStepRecurrence(Evolution);
            In = Recurrence->getLoop();
        }
        if (!isSteady(Start, Bytes.Outermost))
            return false;
        if (!First) {
            First = Start;
            Around = In;
            Numbers.push_back(0);
            return !Step || (Passes = timesUnit(Step)) > 0;
        }
        std::optional<int> Number = timesUnit(Evolution.getMinusSCEV(Start, First));
        if (In != Around || !Number || (Step && timesUnit(Step) != Passes))
            return false;
        Numbers.push_back(*Number);
        return true;
    }

    /// By extent in the order of adding: the number of its part. Classes get numbers from 0 on, in order.
    SmallVector<unsigned, 8> parts() const {
        SmallSetVector<int, 8> Classes;
        for (int Number : Numbers)
            Classes.insert(classOf(Number));
        SmallVector<int, 8> Sorted(Classes.begin(), Classes.end());
        sort(Sorted);
        SmallVector<unsigned, 8> Result;
        for (int Number : Numbers)
            Result.push_back(find(Sorted, classOf(Number)) - Sorted.begin());
        return Result;
    }

  private:
    /// True if \p Value is the same in all passes of all loops around.
    bool isSteady(const SCEV *Value, const Loop *Outermost) const {
        return !Outermost || Evolution.isLoopInvariant(Value, Outermost);
    }

    /// True if \p Size is never more than the unit. Chunks of memory are small enough to be counted in bytes.
    bool isAtMostUnit(const SCEV *Size) const {
        const SCEV *Factor = Evolution.getOne(Unit->getType()), *Count = Size;
        const auto *Product = dyn_cast<SCEVMulExpr>(Size);
        if (Product && Product->getNumOperands() == 2 && isa<SCEVConstant>(Product->getOperand(0))) {
            Factor = Product->getOperand(0);
            Count = Product->getOperand(1);
        }
        if (const auto *Least = dyn_cast<SCEVUMinExpr>(Count))
            if (any_of(Least->operands(),
                       [&](const SCEV *Bound) { return Evolution.getMulExpr(Factor, Bound) == Unit; }))
                return true;
        /* A difference that may be negative is no bound, however large it is without a sign. */
        return Size == Unit || (Evolution.isKnownNonNegative(Unit) &&
                                Evolution.isKnownPredicate(CmpInst::ICMP_ULE, Size, Unit));
    }

    int classOf(int Number) const {
        int Count = Passes.value_or(0);
        return Count == 0 ? Number : ((Number % Count) + Count) % Count;
    }

    /// n where \p Value is n times the unit, if that can be seen.
    std::optional<int> timesUnit(const SCEV *Value) const {
        for (int N = 0; N <= static_cast<int>(KESCO_MOST_PARTS); ++N) {
            const SCEV *Multiple = Evolution.getMulExpr(Evolution.getConstant(Unit->getType(), N), Unit);
            if (Value == Multiple)
                return N;
            if (Value == Evolution.getNegativeSCEV(Multiple))
                return -N;
        }
        return std::nullopt;
    }

    const SCEV *Unit;
    ScalarEvolution &Evolution;
    const SCEV *First = nullptr;  ///< where the first extent starts
    const Loop *Around = nullptr; ///< the loop whose passes go from chunk to chunk; null for none
    std::optional<int> Passes;    ///< chunks from one pass to the next
    SmallVector<int, 8> Numbers;  ///< by extent: its chunk, counted from the first extent's
};

} // namespace

/// Cuts into chunks of one grid. Empty where there is none.
static std::vector<std::string> cutByGrid(const std::string &Name, Accesses All, ScalarEvolution &Evolution) {
    SmallSetVector<const SCEV *, 4> Units;
    for (const PartedAccess &A : All)
        if (A.Bytes.Begin)
            Units.insert(A.Bytes.Size);
    for (const PartedAccess &A : All)
        if (const auto *Recurrence = dyn_cast_or_null<SCEVAddRecExpr>(A.Bytes.Begin))
            Units.insert(Recurrence->getStepRecurrence(Evolution));
    for (const PartedAccess &A : All)
        for (const PartedAccess &B : All)
            if (A.Bytes.Begin && B.Bytes.Begin && Units.size() < KESCO_MOST_PARTS)
                Units.insert(Evolution.getMinusSCEV(A.Bytes.Begin, B.Bytes.Begin));
    for (const SCEV *Unit : Units) {
        Grid Tried(Unit, Evolution);
        if (!all_of(All, [&](const PartedAccess &A) { return !A.Bytes.Begin || Tried.add(A.Bytes); }))
            continue;
        SmallVector<unsigned, 8> Numbers = Tried.parts();
        unsigned Count = *max_element(Numbers) + 1, Next = 0;
        if (Count < 2)
            continue;
        for (PartedAccess &A : All) {
            for (unsigned Part = 0; Part < Count; ++Part)
                if (!A.Bytes.Begin || Numbers[Next] == Part)
                    A.Parts.push_back(Part);
            Next += A.Bytes.Begin != nullptr;
        }
        std::vector<std::string> Names;
        for (unsigned Part = 0; Part < Count; ++Part)
            Names.push_back(Name + "[chunk " + std::to_string(Part) + "]");
        return Names;
    }
    return {};
}

std::vector<std::string> cutIntoParts(const std::string &Name, Accesses All, ScalarEvolution &Evolution) {
    unsigned Known = count_if(All, [](const PartedAccess &A) { return A.Bytes.Begin != nullptr; });
    if (Known < 2)
        return whole(Name, All);
    bool AreNumbers =
        all_of(All, [](const PartedAccess &A) { return !A.Bytes.Begin || numbersOf(A.Bytes).has_value(); });
    const std::vector<std::string> Names =
        AreNumbers ? cutAtNumbers(Name, All) : cutByGrid(Name, All, Evolution);
    return Names.empty() ? whole(Name, All) : Names;
}

} // namespace kesco
