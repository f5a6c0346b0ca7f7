#include "plugin/region/parts.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace kesco {

/// More parts of one object than this would cost more than they tell.
static constexpr unsigned MostParts = 64;

using Accesses = MutableArrayRef<PartedAccess>;

static std::vector<std::string> whole(const std::string &Name, Accesses All) {
    for (PartedAccess &A : All)
        A.Parts = {0};
    return {Name};
}

namespace {

/// Numbers from Begin up to, not including, End.
struct Span {
    uint64_t Begin, End;

    bool holds(const Span &Other) const {
        return Begin <= Other.Begin && Other.End <= End;
    }

    std::string text() const {
        return std::to_string(Begin) + ".." + std::to_string(End);
    }
};

} // namespace

/// The bytes that \p Bytes has, if they are numbers.
static std::optional<Span> numbersOf(const Extent &Bytes) {
    const auto *Begin = dyn_cast_or_null<SCEVConstant>(Bytes.Begin);
    const auto *Size = dyn_cast_or_null<SCEVConstant>(Bytes.Size);
    if (!Begin || !Size || Begin->getAPInt().isNegative() || Size->getAPInt().isNegative())
        return std::nullopt;
    uint64_t First = Begin->getAPInt().getZExtValue();
    return Span{First, First + Size->getAPInt().getZExtValue()};
}

/// The spans between two cuts next to each other, each where some span begins or ends.
static std::vector<Span> between(ArrayRef<Span> Spans) {
    SmallVector<uint64_t, 16> Cuts;
    for (const Span &S : Spans)
        Cuts.append({S.Begin, S.End});
    sort(Cuts);
    Cuts.erase(llvm::unique(Cuts), Cuts.end());
    std::vector<Span> Result;
    for (size_t I = 1; I < Cuts.size(); ++I)
        Result.push_back({Cuts[I - 1], Cuts[I]});
    return Result;
}

/// Cuts where extents begin and end. Empty where that does not help.
static std::vector<std::string> cutAtNumbers(const std::string &Name, Accesses All) {
    SmallVector<Span, 16> Spans;
    for (const PartedAccess &A : All)
        if (std::optional<Span> Range = numbersOf(A.Bytes))
            Spans.push_back(*Range);
    /* before the first and after the last cut only whole accesses go */
    const std::vector<Span> Parts = between(Spans);
    if (Parts.size() < 2 || Parts.size() >= MostParts)
        return {};
    std::vector<std::string> Names;
    for (const Span &Part : Parts) {
        for (PartedAccess &A : All)
            if (std::optional<Span> Range = numbersOf(A.Bytes); !Range || Range->holds(Part))
                A.Parts.push_back(Names.size());
        Names.push_back(Name + "[" + Part.text() + ")");
    }
    return Names;
}

namespace {

/// What an extent that is a number touches of rows of one length: those from the first to the last, and in
/// each the same bytes. Pieces at another distance count as all between them.
struct InRows {
    Span Rows;
    SmallVector<Span, 2> Bytes;
};

} // namespace

static InRows inRows(const Extent &E, const Span &Range, uint64_t Pitch) {
    if (Range.Begin == Range.End)
        return {};
    InRows Result = {{Range.Begin / Pitch, (Range.End + Pitch - 1) / Pitch}, {}};
    const uint64_t First = Range.Begin % Pitch,
                   Length = E.Distance == Pitch ? E.Length : Range.End - Range.Begin;
    if (Length >= Pitch)
        Result.Bytes = {{0, Pitch}};
    else if (First + Length <= Pitch)
        Result.Bytes = {{First, First + Length}};
    else
        Result.Bytes = {{First, Pitch}, {0, First + Length - Pitch}};
    return Result;
}

/// The distance of most extents that are in pieces; 0 where there is none.
static uint64_t pitchOf(Accesses All) {
    MapVector<uint64_t, unsigned> Found;
    for (const PartedAccess &A : All)
        if (A.Bytes.Distance > 0)
            Found[A.Bytes.Distance]++;
    const auto *Most = max_element(Found, [](const auto &A, const auto &B) { return A.second < B.second; });
    return Most == Found.end() ? 0 : Most->first;
}

/// Cuts into rows, and each of these where pieces begin and end. Empty where that does not help.
static std::vector<std::string> cutInRows(const std::string &Name, Accesses All) {
    const uint64_t Pitch = pitchOf(All);
    std::vector<std::optional<InRows>> Touched;
    SmallVector<Span, 16> RowSpans, ByteSpans = {{0, Pitch}};
    for (const PartedAccess &A : All) {
        std::optional<Span> Range = numbersOf(A.Bytes);
        Touched.push_back(Range && Pitch > 0 ? std::optional(inRows(A.Bytes, *Range, Pitch)) : std::nullopt);
        if (!Touched.back())
            continue;
        RowSpans.push_back(Touched.back()->Rows);
        ByteSpans.append(Touched.back()->Bytes);
    }
    const std::vector<Span> Rows = between(RowSpans), Bytes = between(ByteSpans);
    std::vector<std::string> Names;
    if (Pitch == 0 || Rows.size() * Bytes.size() < 2 || Rows.size() * Bytes.size() > MostParts)
        return {};
    for (const Span &Row : Rows)
        for (const Span &Some : Bytes) {
            for (auto [A, Of] : zip(All, Touched))
                if (!Of ||
                    (Of->Rows.holds(Row) && any_of(Of->Bytes, [&](const Span &S) { return S.holds(Some); })))
                    A.Parts.push_back(Names.size());
            Names.push_back(Name + "[rows " + Row.text() + ", bytes " + Some.text() + ")");
        }
    return Names;
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
        for (int N = 0; N <= static_cast<int>(MostParts); ++N) {
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
            if (A.Bytes.Begin && B.Bytes.Begin && Units.size() < MostParts)
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
    std::vector<std::string> Names = AreNumbers ? cutInRows(Name, All) : cutByGrid(Name, All, Evolution);
    if (AreNumbers && Names.empty())
        Names = cutAtNumbers(Name, All);
    return Names.empty() ? whole(Name, All) : Names;
}

} // namespace kesco
