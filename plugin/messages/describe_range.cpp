#include "plugin/messages/describe_range.h"

extern "C" {
#include "plugin/summary/range.h"
}

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace kesco {

/// Longer expressions than this nobody reads.
static constexpr size_t MostLetters = 100;

namespace {

/// An expression as it is written, and what binds it.
struct Written {
    enum Binding { Sum, Product, Whole };
    std::string Text;
    Binding Bound = Whole;
    bool IsNumber = false;
    /// Of a number times the lesser of two: that number, and the lesser if both were one more; empty for
    /// others.
    std::string Factor = {}, OneMore = {};

    /// The same as an operand of what binds as \p Around does.
    std::string within(Binding Around) const {
        return Bound < Around || (Around == Product && Text.front() == '-') ? "(" + Text + ")" : Text;
    }
};

} // namespace

static Written add(const Written &A, const Written &B) {
    const Written &First = A.IsNumber && !B.IsNumber ? B : A, &Second = &First == &A ? B : A;
    if (!First.OneMore.empty() && First.Factor == Second.Text)
        return {First.Factor + "*" + First.OneMore, Written::Product};
    if (First.Text.front() == '-' && Second.Text.front() != '-' && First.Bound != Written::Sum)
        return {Second.Text + " - " + First.Text.substr(1), Written::Sum};
    if (Second.Text.front() == '-' && Second.Bound != Written::Sum)
        return {First.Text + " - " + Second.Text.substr(1), Written::Sum};
    return {First.Text + " + " + Second.Text, Written::Sum};
}

static Written multiply(const Written &A, const Written &B) {
    const Written &First = B.IsNumber ? B : A, &Second = B.IsNumber ? A : B;
    if (First.Text == "-1")
        return {"-" + Second.within(Written::Product), Written::Product};
    if (First.IsNumber && Second.Factor == "1")
        return {First.Text + "*" + Second.Text, Written::Product, false, First.Text, Second.OneMore};
    return {(First.IsNumber ? First.Text : First.within(Written::Product)) + "*" +
                Second.within(Written::Product),
            Written::Product};
}

static Written leafOf(const kesco_range_token &Token, function_ref<std::string(unsigned, unsigned)> NameOf) {
    static constexpr const char *Axes[] = {"x", "y", "z"};
    switch (Token.kind) {
    case KESCO_RANGE_ARGUMENT:
        return {NameOf(Token.parameter, Token.offset)};
    case KESCO_RANGE_BLOCK:
        return {std::string("blockDim.") + Axes[Token.axis]};
    case KESCO_RANGE_GRID:
        return {std::string("gridDim.") + Axes[Token.axis]};
    default:
        return {std::to_string(Token.number), Written::Whole, true};
    }
}

/// \p A plus one, if it is a number, or something less one.
static std::string oneMore(const Written &A) {
    int64_t Number;
    if (A.IsNumber && !StringRef(A.Text).getAsInteger(10, Number) && Number < INT64_MAX)
        return std::to_string(Number + 1);
    return StringRef(A.Text).ends_with(" - 1") ? A.Text.substr(0, A.Text.size() - 4) : "";
}

static Written lesser(const Written &A, const Written &B) {
    const std::string First = oneMore(A), Second = oneMore(B);
    const bool AreLessOne = !First.empty() && !Second.empty();
    return {"min(" + A.Text + ", " + B.Text + ")", Written::Whole, false, AreLessOne ? "1" : "",
            AreLessOne ? "min(" + First + ", " + Second + ")" : ""};
}

static Written operate(const kesco_range_token &Token, const Written &A, const Written &B) {
    switch (Token.kind) {
    case KESCO_RANGE_ADD:
        return add(A, B);
    case KESCO_RANGE_MULTIPLY:
        return multiply(A, B);
    case KESCO_RANGE_LEAST:
        return lesser(A, B);
    case KESCO_RANGE_RATIO:
        return {A.within(Written::Product) + "/(" + B.Text + ")", Written::Product};
    default:
        return {"max(" + A.Text + ", " + B.Text + ")"};
    }
}

/// The expression at \p Text, and moves behind it.
static std::string readExpression(const char *&Text, function_ref<std::string(unsigned, unsigned)> NameOf) {
    SmallVector<Written, 8> Stack;
    kesco_range_token Token;
    while (kesco_range_read(&Text, &Token) > 0 && Token.kind != KESCO_RANGE_NEXT) {
        if (Token.kind < KESCO_RANGE_ADD) {
            Stack.push_back(leafOf(Token, NameOf));
        } else if (Token.kind == KESCO_RANGE_DIVIDE) {
            Stack.back() = {Stack.back().within(Written::Product) + "/" + std::to_string(Token.number),
                            Written::Product};
        } else {
            const Written Last = Stack.pop_back_val();
            Stack.back() = operate(Token, Stack.back(), Last);
        }
    }
    return Stack.back().Text;
}

std::string describeRange(const char *Text, function_ref<std::string(unsigned, unsigned)> NameOf) {
    const bool IsInPieces = kesco_range_is_in_pieces(&Text);
    SmallVector<std::string, 5> Terms;
    for (unsigned I = 0; I < kesco_range_terms(IsInPieces); ++I)
        Terms.push_back(readExpression(Text, NameOf));
    if (Terms[0].size() + Terms[1].size() > MostLetters)
        return "";
    std::string Pieces;
    if (IsInPieces && Terms[2].size() + Terms[4].size() <= MostLetters)
        Pieces = ", " + Terms[4] + " of each " + Terms[2] + " bytes";
    return "[" + Terms[0] + " .. " + Terms[1] + " bytes" + Pieces + ")";
}

} // namespace kesco
