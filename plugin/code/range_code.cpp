#include "plugin/code/range_code.h"

#include "plugin/kernels/launch_range.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace kesco {

/// Bits of a signed number that holds a size, for all that can be launched (CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability").
static constexpr unsigned GridBits[] = {32, 17, 17}, BlockBits[] = {12, 12, 8};

/// Bits of a signed number that holds the sizes and places along an axis of any memory of a device.
static constexpr unsigned AxisBits = 37;

namespace {

/// Goes over a range's text with a stack: of bits, for what may come up to that, then of values.
class RangeCode {
  public:
    RangeCode(IRBuilderBase &Builder, const CallBase &Push, const CallBase &Issue)
        : Builder(Builder), Push(Push), Issue(Issue) {
    }

    std::optional<RangeValues> run(const char *Text) {
        IsInPieces = kesco_range_is_in_pieces(&Text);
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
        auto Values = evaluate<Value *>(
            Text, [&](const kesco_range_token &Token) { return leaf(Token); },
            [&](const kesco_range_token &Token, Value *A, Value *B) { return combine(Token, A, B); });
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

    /// What any value on the way may need; none where the launch does not show all.
    std::optional<unsigned> mostBits(const char *Text) {
        unsigned Most = 64;
        auto Bits = evaluate<unsigned>(
            Text, [&](const kesco_range_token &Token) { return bitsOf(Token); },
            [&](const kesco_range_token &Token, unsigned A, unsigned B) {
                unsigned Result = combine(Token, A, B);
                Most = std::max(Most, Result);
                return Result;
            });
        return is_contained(Bits, 0u) ? std::nullopt : std::optional(Most);
    }

    /// 0 where the launch does not show it.
    unsigned bitsOf(const kesco_range_token &Token) {
        switch (Token.kind) {
        case KESCO_RANGE_ARGUMENT:
            return findGiven(*Issue.getCalledFunction(), Token) ? std::min(Token.bits, LongBits) : 0;
        case KESCO_RANGE_GRID:
            return findGiven(Push, Token) ? GridBits[Token.axis] : 0;
        case KESCO_RANGE_BLOCK:
            return findGiven(Push, Token) ? BlockBits[Token.axis] : 0;
        default:
            return 65 - static_cast<unsigned>(countl_zero(
                            static_cast<uint64_t>(Token.number < 0 ? ~Token.number : Token.number)));
        }
    }

    static unsigned combine(const kesco_range_token &Token, unsigned A, unsigned B) {
        switch (Token.kind) {
        case KESCO_RANGE_ADD:
            return A && B ? std::max(A, B) + 1 : 0;
        case KESCO_RANGE_MULTIPLY:
            return A && B ? A + B : 0;
        case KESCO_RANGE_DIVIDE: /* by others, wide numbers would take a library's help */
            return isPowerOf2_64(static_cast<uint64_t>(Token.number)) ? A : 0;
        case KESCO_RANGE_RATIO:
            return A && B ? A : 0;
        default:
            return A && B ? std::max(A, B) : 0;
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
        for (Value *Condition : Values.drop_front(kesco_range_terms(IsInPieces)))
            Holds = Builder.CreateAnd(Holds, Builder.CreateICmpSGE(Condition, ConstantInt::get(Type, 0)));
        Value *Begin = narrow(Values[0], Holds), *End = narrow(Values[1], Holds);
        Value *All = Builder.getInt64(static_cast<uint64_t>(INT64_MIN));
        RangeValues Result = {Builder.CreateSelect(Holds, Begin, All), Builder.CreateSelect(Holds, End, All)};
        if (!IsInPieces)
            return Result;
        Value *Distance = narrow(Values[2], Holds);
        Result.First = narrow(Values[3], Holds);
        Result.Length = narrow(Values[4], Holds);
        Result.Distance = Builder.CreateSelect(Holds, Distance, Builder.getInt64(0));
        return Result;
    }

    IRBuilderBase &Builder;
    const CallBase &Push;
    const CallBase &Issue;
    IntegerType *Type = nullptr;
    Value *Fits = nullptr;  ///< what was narrowed
    unsigned LongBits = 64; ///< of integers of 64 bits, those that they have to fit
    bool IsInPieces = false;
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
