#include "plugin/code/range_code.h"

#include "plugin/kernels/launch_range.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <map>
#include <tuple>

using namespace llvm;

namespace kesco {

/// Bits of a number that holds a size, for all that can be launched (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability").
static constexpr double GridBits[] = {31, 16, 16}, BlockBits[] = {11, 11, 7};

/// Bits of a signed number that holds the sizes and places along an axis of any memory of a device.
static constexpr unsigned AxisBits = 37;

/// No number of bits: the launch does not show it.
static constexpr double NotShown = -1;

namespace {

/// Goes over a range's text with a stack: of bits without the sign, as logarithms, for what may come up to
/// that, then of values.
class RangeCode {
  public:
    RangeCode(IRBuilderBase &Builder, const CallBase &Push, const CallBase &Issue)
        : Builder(Builder), Push(Push), Issue(Issue) {
    }

    std::optional<RangeValues> run(const char *Text) {
        Distances = kesco_range_distances(&Text);
        constexpr unsigned Widest = 128;
        std::optional<unsigned> Most = mostBits(Text);
        if (Most && *Most > Widest) {
            LongBits = AxisBits;
            Most = mostBits(Text);
        }
        if (!Most || *Most > Widest)
            return std::nullopt;
        Type = Builder.getIntNTy(*Most > 64 ? Widest : 64);
        Fits = Builder.getTrue();
        const auto Once = [&](const kesco_range_token &Token, Value *A, Value *B, auto Make) {
            Value *&Known =
                Made[{Token.kind, Token.number, Token.parameter, Token.offset, Token.bits, Token.axis, A, B}];
            if (!Known)
                Known = Make();
            return Known;
        };
        auto Values = evaluate<Value *>(
            Text,
            [&](const kesco_range_token &Token) {
                return Once(Token, nullptr, nullptr, [&] { return leaf(Token); });
            },
            [&](const kesco_range_token &Token, Value *A, Value *B) {
                return Once(Token, A, B, [&] { return combine(Token, A, B); });
            });
        return settle(Values);
    }

  private:
    template <typename T, typename Leaf, typename Combine>
    SmallVector<T, 8> evaluate(const char *Text, Leaf MakeLeaf, Combine MakeCombination) {
        SmallVector<T, 8> Results, Stack;
        kesco_range_token Token;
        while (kesco_range_read(&Text, &Token) > 0) {
            if (Token.kind == KESCO_RANGE_NEXT) {
                Results.push_back(Stack.pop_back_val());
            } else if (Token.kind < KESCO_RANGE_ADD) {
                Stack.push_back(MakeLeaf(Token));
            } else {
                T Second = Token.kind == KESCO_RANGE_DIVIDE ? T() : Stack.pop_back_val();
                T First = Stack.pop_back_val();
                Stack.push_back(MakeCombination(Token, First, Second));
            }
        }
        Results.push_back(Stack.pop_back_val());
        return Results;
    }

    /// Bits of a signed number for any value on the way; none where the launch does not show all.
    std::optional<unsigned> mostBits(const char *Text) {
        double Most = 0;
        auto Bits = evaluate<double>(
            Text, [&](const kesco_range_token &Token) { return bitsOf(Token); },
            [&](const kesco_range_token &Token, double A, double B) {
                const double Result = combine(Token, A, B);
                Most = std::max(Most, Result);
                return Result;
            });
        if (any_of(Bits, [](double Each) { return Each < 0; }))
            return std::nullopt;
        constexpr double Rounding = 0.01;
        return std::max(64u, static_cast<unsigned>(std::ceil(Most + Rounding)) + 1);
    }

    double bitsOf(const kesco_range_token &Token) {
        switch (Token.kind) {
        case KESCO_RANGE_ARGUMENT:
            return findGiven(*Issue.getCalledFunction(), Token) ? std::min(Token.bits, LongBits) - 1.0
                                                                : NotShown;
        case KESCO_RANGE_GRID:
            return findGiven(Push, Token) ? GridBits[Token.axis] : NotShown;
        case KESCO_RANGE_BLOCK:
            return findGiven(Push, Token) ? BlockBits[Token.axis] : NotShown;
        default:
            return std::log2(std::max(1.0, std::fabs(static_cast<double>(Token.number))));
        }
    }

    static double combine(const kesco_range_token &Token, double A, double B) {
        if (A < 0 || (Token.kind != KESCO_RANGE_DIVIDE && B < 0))
            return NotShown;
        switch (Token.kind) {
        case KESCO_RANGE_ADD:
            return std::log2(std::exp2(A) + std::exp2(B));
        case KESCO_RANGE_MULTIPLY:
            return A + B;
        case KESCO_RANGE_DIVIDE: /* by others, wide numbers would take a library's help */
            return isPowerOf2_64(static_cast<uint64_t>(Token.number)) ? A : NotShown;
        case KESCO_RANGE_RATIO:
            return A;
        default:
            return std::max(A, B);
        }
    }

    Value *leaf(const kesco_range_token &Token) {
        if (Token.kind == KESCO_RANGE_NUMBER)
            return ConstantInt::getSigned(Type, Token.number);
        if (Token.kind != KESCO_RANGE_ARGUMENT) {
            GivenSize Given = *findGiven(Push, Token);
            return Builder.CreateZExt(bits(Push.getArgOperand(Given.Operand), Given.Bit, 32), Type);
        }
        GivenInteger Given = *findGiven(*Issue.getCalledFunction(), Token);
        Value *Operand = Issue.getArgOperand(Given.Operand);
        Value *Integer =
            Given.InMemory ? Builder.CreateAlignedLoad(
                                 Builder.getIntNTy(Token.bits),
                                 Builder.CreatePtrAdd(Operand, Builder.getInt64(Given.BitOrOffset)), Align(1))
                           : bits(Operand, Given.BitOrOffset, Token.bits);
        if (Token.bits > LongBits) {
            Value *Narrow = Builder.CreateSExt(Builder.CreateTrunc(Integer, Builder.getIntNTy(LongBits)),
                                               Integer->getType());
            Fits = Builder.CreateAnd(Fits, Builder.CreateICmpEQ(Narrow, Integer));
        }
        return Builder.CreateSExt(Integer, Type);
    }

    Value *bits(Value *From, unsigned First, unsigned Count) {
        return Builder.CreateTrunc(Builder.CreateLShr(From, First), Builder.getIntNTy(Count));
    }

    Value *combine(const kesco_range_token &Token, Value *A, Value *B) {
        switch (Token.kind) {
        case KESCO_RANGE_ADD:
            return Builder.CreateAdd(A, B);
        case KESCO_RANGE_MULTIPLY:
            return Builder.CreateMul(A, B);
        case KESCO_RANGE_LEAST:
            return Builder.CreateSelect(Builder.CreateICmpSLT(A, B), A, B);
        case KESCO_RANGE_GREATEST:
            return Builder.CreateSelect(Builder.CreateICmpSGT(A, B), A, B);
        case KESCO_RANGE_RATIO:
            return divide(A, B);
        default:
            return Builder.CreateAShr(A, Log2_64(static_cast<uint64_t>(Token.number)));
        }
    }

    /// Rounded down. Wide numbers would take a library's help, so both have to fit a narrow one.
    Value *divide(Value *A, Value *B) {
        Value *Narrow = narrow(A, Fits), *Given = narrow(B, Fits);
        Value *Zero = Builder.getInt64(0), *IsPositive = Builder.CreateICmpSGT(Given, Zero);
        Value *By = Builder.CreateSelect(IsPositive, Given, Builder.getInt64(1));
        Value *Towards = Builder.CreateSDiv(Narrow, By);
        Value *IsBelow = Builder.CreateICmpSLT(Narrow, Builder.CreateMul(Towards, By));
        Value *Down = Builder.CreateSub(Towards, Builder.CreateZExt(IsBelow, Builder.getInt64Ty()));
        return Builder.CreateSExt(Builder.CreateSelect(IsPositive, Down, Zero), Type);
    }

    /// \p Wide as an address's distance; \p Holds becomes false where it is too large for one.
    Value *narrow(Value *Wide, Value *&Holds) {
        Value *Narrow = Builder.CreateTrunc(Wide, Builder.getInt64Ty());
        if (Narrow != Wide)
            Holds = Builder.CreateAnd(Holds, Builder.CreateICmpEQ(Builder.CreateSExt(Narrow, Type), Wide));
        return Narrow;
    }

    /// The first ones, where the conditions are 0 or more, and those are addresses' distances.
    RangeValues settle(ArrayRef<Value *> Values) {
        Value *Holds = Fits;
        for (Value *Condition : Values.drop_front(kesco_range_terms(Distances)))
            Holds = Builder.CreateAnd(Holds, Builder.CreateICmpSGE(Condition, ConstantInt::get(Type, 0)));
        Value *Begin = narrow(Values[0], Holds), *End = narrow(Values[1], Holds);
        Value *All = Builder.getInt64(static_cast<uint64_t>(INT64_MIN));
        SmallVector<PlaceValues, KESCO_RANGE_DISTANCES> Places;
        for (unsigned I = 0; I < Distances; ++I) {
            ArrayRef<Value *> Terms = Values.slice(kesco_range_terms(I), 3);
            Value *Distance = narrow(Terms[0], Holds), *First = narrow(Terms[1], Holds);
            Places.push_back({First, Distance, narrow(Terms[2], Holds)});
        }
        for (PlaceValues &Place : Places)
            Place.Distance = Builder.CreateSelect(Holds, Place.Distance, Builder.getInt64(0));
        return {Builder.CreateSelect(Holds, Begin, All), Builder.CreateSelect(Holds, End, All), Places};
    }

    IRBuilderBase &Builder;
    const CallBase &Push;
    const CallBase &Issue;
    IntegerType *Type = nullptr;
    Value *Fits = nullptr;  ///< what was narrowed
    unsigned LongBits = 64; ///< of integers of 64 bits, those that they have to fit
    unsigned Distances = 0; ///< that pieces are at

    /// By what is computed, and of what.
    std::map<std::tuple<unsigned, int64_t, uint32_t, uint32_t, uint32_t, unsigned, Value *, Value *>, Value *>
        Made;
};

} // namespace

std::optional<RangeValues> evaluateRange(IRBuilderBase &Builder, const char *Text, const CallBase &Push,
                                         const CallBase &Issue) {
    return RangeCode(Builder, Push, Issue).run(Text);
}

/// One that holds nothing adds nothing; of one that may be any, the beginning is the least of all, and the
/// end is made that, too.
RangeValues uniteRanges(IRBuilderBase &Builder, const RangeValues &A, const RangeValues &B) {
    Value *All = Builder.getInt64(static_cast<uint64_t>(INT64_MIN));
    Value *Begin = Builder.CreateSelect(Builder.CreateICmpSLT(A.Begin, B.Begin), A.Begin, B.Begin);
    Value *End = Builder.CreateSelect(Builder.CreateICmpSGT(A.End, B.End), A.End, B.End);
    return {Begin, Builder.CreateSelect(Builder.CreateICmpEQ(Begin, All), All, End)};
}

} // namespace kesco
