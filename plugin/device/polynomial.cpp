#include "plugin/device/polynomial.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <climits>
#include <optional>

using namespace llvm;

namespace kesco {

using Wide = Algebra::Wide;

/// What is as far out counts as without bounds.
static constexpr Wide Infinity = static_cast<Wide>(1) << 120;

/// More than this is more than it is worth.
static constexpr unsigned MostTerms = 24, MostFactors = 5, MostCases = 5;

/// CUDA's limits (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
static constexpr Wide BlockLimits[] = {1024, 1024, 64};
static constexpr Wide GridLimits[] = {INT_MAX, 65535, 65535};

static Wide clamp(Wide Value) {
    return std::clamp(Value, -Infinity, Infinity);
}

static Wide multiplyBounds(Wide A, Wide B) {
    Wide Product = 0;
    if (A == 0 || B == 0)
        return 0;
    if (__builtin_mul_overflow(A, B, &Product))
        return (A < 0) == (B < 0) ? Infinity : -Infinity;
    return clamp(Product);
}

Polynomial Algebra::number(int64_t Value) {
    Polynomial Result;
    if (Value != 0)
        Result.Terms[{}] = Value;
    return Result;
}

Polynomial Algebra::atom(const std::string &Key, Atom New) {
    auto [Entry, IsNew] = Numbers.try_emplace(Key, Atoms.size());
    if (IsNew)
        Atoms.push_back(std::move(New));
    Polynomial Result;
    Result.Terms[{Entry->second}] = 1;
    return Result;
}

Polynomial Algebra::leaf(std::string Text, Wide Low, Wide High) {
    return atom(Text, {Atom::Leaf, Text, Low, High, {}, {}, 0});
}

Polynomial Algebra::argument(unsigned Parameter, unsigned Offset, unsigned Bits) {
    Wide Limit = static_cast<Wide>(1) << (Bits - 1);
    return leaf("a" + std::to_string(Parameter) + ":" + std::to_string(Offset) + ":" + std::to_string(Bits),
                -Limit, Limit - 1);
}

Polynomial Algebra::blockSize(unsigned Axis) {
    return leaf(std::string("b") + "xyz"[Axis], 1, BlockLimits[Axis]);
}

Polynomial Algebra::gridSize(unsigned Axis) {
    return leaf(std::string("g") + "xyz"[Axis], 1, GridLimits[Axis]);
}

Polynomial Algebra::hypothesis() {
    return atom("?" + std::to_string(Atoms.size()), {Atom::Hypothesis, "", -Infinity, Infinity, {}, {}, 0});
}

Polynomial Algebra::add(const Polynomial &A, const Polynomial &B) {
    if (!A.Known || !B.Known)
        return Polynomial::unknown();
    Polynomial Sum = A;
    for (const auto &[Product, Coefficient] : B.Terms) {
        int64_t &Place = Sum.Terms[Product];
        if (__builtin_add_overflow(Place, Coefficient, &Place))
            return Polynomial::unknown();
        if (Place == 0)
            Sum.Terms.erase(Product);
    }
    return Sum.Terms.size() > MostTerms ? Polynomial::unknown() : Sum;
}

Polynomial Algebra::subtract(const Polynomial &A, const Polynomial &B) {
    return add(A, multiply(B, number(-1)));
}

Polynomial Algebra::multiply(const Polynomial &A, const Polynomial &B) {
    if (!A.Known || !B.Known || A.Terms.size() * B.Terms.size() > 4 * MostTerms)
        return Polynomial::unknown();
    Polynomial Sum;
    for (const auto &[Left, LeftCoefficient] : A.Terms)
        for (const auto &[Right, RightCoefficient] : B.Terms) {
            Polynomial Term;
            Polynomial::Product Product = Left;
            append_range(Product, Right);
            sort(Product);
            if (Product.size() > MostFactors ||
                __builtin_mul_overflow(LeftCoefficient, RightCoefficient, &Term.Terms[Product]))
                return Polynomial::unknown();
            Sum = add(Sum, Term);
        }
    return Sum;
}

/// Where nothing is larger than the other for sure, it is an atom.
Polynomial Algebra::choice(Atom::Kind What, const Polynomial &A, const Polynomial &B) {
    if (!A.Known || !B.Known)
        return Polynomial::unknown();
    bool IsLeast = What == Atom::Least;
    if (isNonNegative(subtract(A, B)))
        return IsLeast ? B : A;
    if (isNonNegative(subtract(B, A)))
        return IsLeast ? A : B;
    auto [LowA, HighA] = boundsOf(A);
    auto [LowB, HighB] = boundsOf(B);
    std::string First = text(A), Second = text(B);
    if (Second < First)
        std::swap(First, Second);
    return atom(First + "," + Second + (IsLeast ? ",m" : ",M"),
                {What, "", IsLeast ? std::min(LowA, LowB) : std::max(LowA, LowB),
                 IsLeast ? std::min(HighA, HighB) : std::max(HighA, HighB), A, B, 0});
}

Polynomial Algebra::least(const Polynomial &A, const Polynomial &B) {
    return choice(Atom::Least, A, B);
}

Polynomial Algebra::greatest(const Polynomial &A, const Polynomial &B) {
    return choice(Atom::Greatest, A, B);
}

static Wide divideDown(Wide Value, int64_t By) {
    return Value / By - (Value % By < 0);
}

Polynomial Algebra::quotient(const Polynomial &A, int64_t By) {
    if (!A.Known || By == 1)
        return A;
    Polynomial Whole, Rest; /* what divides without a remainder needs no atom */
    for (const auto &[Product, Coefficient] : A.Terms)
        (Coefficient % By == 0 ? Whole : Rest).Terms[Product] = Coefficient;
    for (auto &Term : Whole.Terms)
        Term.second /= By;
    if (std::optional<int64_t> Number = asNumber(Rest))
        return add(Whole, number(static_cast<int64_t>(divideDown(*Number, By))));
    auto [Low, High] = boundsOf(Rest);
    return add(Whole, atom(text(Rest) + ",/" + std::to_string(By),
                           {Atom::Quotient, "", divideDown(Low, By), divideDown(High, By), Rest, {}, By}));
}

Polynomial Algebra::ratio(const Polynomial &A, const Polynomial &B) {
    if (std::optional<int64_t> By = asNumber(B))
        return *By > 0 ? quotient(A, *By) : number(0);
    if (!isNonNegative(A) || !isNonNegative(B))
        return Polynomial::unknown();
    return atom(text(A) + "," + text(B) + ",d", {Atom::Ratio, "", 0, boundsOf(A).second, A, B, 0});
}

std::optional<int64_t> Algebra::asNumber(const Polynomial &P) {
    if (!P.Known || P.Terms.size() > 1 || (P.Terms.size() == 1 && !P.Terms.begin()->first.empty()))
        return std::nullopt;
    return P.Terms.empty() ? 0 : P.Terms.begin()->second;
}

std::pair<Wide, Wide> Algebra::boundsOf(const Polynomial &P) const {
    Wide Low = 0, High = 0;
    for (const auto &[Product, Coefficient] : P.Terms) {
        Wide TermLow = Coefficient, TermHigh = Coefficient;
        for (unsigned Factor : Product) {
            const Atom &A = Atoms[Factor];
            const Wide Ends[] = {multiplyBounds(TermLow, A.Low), multiplyBounds(TermLow, A.High),
                                 multiplyBounds(TermHigh, A.Low), multiplyBounds(TermHigh, A.High)};
            TermLow = *std::min_element(std::begin(Ends), std::end(Ends));
            TermHigh = *std::max_element(std::begin(Ends), std::end(Ends));
        }
        Low = clamp(Low + TermLow);
        High = clamp(High + TermHigh);
    }
    return {Low, High};
}

/// \p P with \p By for each \p Atom that stands as a factor.
Polynomial Algebra::replace(const Polynomial &P, unsigned Atom, const Polynomial &By) {
    Polynomial Sum;
    for (const auto &[Product, Coefficient] : P.Terms) {
        Polynomial Term = number(Coefficient);
        for (unsigned Factor : Product) {
            Polynomial One;
            One.Terms[{Factor}] = 1;
            Term = multiply(Term, Factor == Atom ? By : One);
        }
        Sum = add(Sum, Term);
    }
    return Sum;
}

bool Algebra::isNonNegative(const Polynomial &P) {
    return isNonNegative(P, MostCases);
}

/// A least or greatest is one of its operands, but which is not known: both must do. Where the sum is the
/// more the less a least is, or the more a greatest is, it is no less than with either operand: any that does
/// is enough.
bool Algebra::isNonNegative(const Polynomial &P, unsigned Depth) {
    if (!P.Known)
        return false;
    if (boundsOf(P).first >= 0)
        return true;
    if (Depth == 0)
        return false;
    auto With = [&](unsigned Choice, const Polynomial &Operand) {
        return isNonNegative(replace(P, Choice, Operand), Depth - 1);
    };
    if (std::optional<unsigned> Choice = findChoice(P, /*TakesBoth=*/true))
        return With(*Choice, Polynomial(Atoms[*Choice].A)) && With(*Choice, Polynomial(Atoms[*Choice].B));
    if (std::optional<unsigned> Choice = findChoice(P, /*TakesBoth=*/false))
        return With(*Choice, Polynomial(Atoms[*Choice].A)) || With(*Choice, Polynomial(Atoms[*Choice].B));
    return false;
}

/// A least or greatest that is a term of \p P and of whose operands both must do, or one that is in no other
/// term, of whose operands any may.
std::optional<unsigned> Algebra::findChoice(const Polynomial &P, bool TakesBoth) const {
    for (const auto &[Product, Coefficient] : P.Terms) {
        if (Product.size() != 1)
            continue;
        unsigned Candidate = Product.front();
        Atom::Kind What = Atoms[Candidate].What;
        if ((What != Atom::Least && What != Atom::Greatest) ||
            ((What == Atom::Least) == (Coefficient > 0)) != TakesBoth)
            continue;
        if (TakesBoth ||
            count_if(P.Terms, [&](const auto &Term) { return is_contained(Term.first, Candidate); }) == 1)
            return Candidate;
    }
    return std::nullopt;
}

bool Algebra::isNegative(const Polynomial &P) const {
    return P.Known && boundsOf(P).second < 0;
}

unsigned Algebra::onlyAtom(const Polynomial &P) const {
    return P.Terms.begin()->first.front();
}

bool Algebra::mentions(const Polynomial &P, unsigned Hypothesis) const {
    return any_of(P.Terms, [&](const auto &Term) {
        return any_of(Term.first, [&](unsigned Factor) {
            return Factor == Hypothesis || mentions(Atoms[Factor].A, Hypothesis) ||
                   mentions(Atoms[Factor].B, Hypothesis);
        });
    });
}

bool Algebra::mentions(const Polynomial &P, const Polynomial &Hypothesis) const {
    return mentions(P, onlyAtom(Hypothesis));
}

Polynomial Algebra::substitute(const Polynomial &P, const Polynomial &Hypothesis, const Polynomial &By) {
    if (!P.Known || !mentions(P, Hypothesis))
        return P;
    Polynomial Result = replace(P, onlyAtom(Hypothesis), By);
    return Result.Known && mentions(Result, Hypothesis) ? Polynomial::unknown() : Result;
}

std::string Algebra::text(const Polynomial &P) const {
    std::string Result;
    for (const auto &[Product, Coefficient] : P.Terms) {
        std::string Term = Product.empty() || Coefficient != 1 ? std::to_string(Coefficient) : "";
        for (unsigned Factor : Product) {
            const Atom &A = Atoms[Factor];
            bool IsFirst = Term.empty();
            if (A.What == Atom::Leaf)
                Term += (IsFirst ? "" : ",") + A.Text;
            else if (A.What == Atom::Hypothesis)
                Term += (IsFirst ? "?" : ",?") + std::to_string(Factor);
            else if (A.What == Atom::Quotient)
                Term += (IsFirst ? "" : ",") + text(A.A) + ",/" + std::to_string(A.By);
            else
                Term += (IsFirst ? "" : ",") + text(A.A) + "," + text(A.B) +
                        (A.What == Atom::Least   ? ",m"
                         : A.What == Atom::Ratio ? ",d"
                                                 : ",M");
            Term += IsFirst ? "" : ",*";
        }
        Result += Result.empty() ? Term : "," + Term + ",+";
    }
    return Result.empty() ? "0" : Result;
}

} // namespace kesco
