#include "plugin/device/ranges.h"

extern "C" {
#include "plugin/summary/range.h"
}

using namespace llvm;

namespace kesco {

/// What lies further away from a pointer, whatever the launch, is as good as anywhere.
static constexpr int64_t Far = INT64_C(1) << 31;

Rows Ranges::scaled(const Rows &In, kesco_polynomial By) {
    return {kesco_algebra_multiply(&Terms, In.Pitch, By), kesco_algebra_multiply(&Terms, In.First, By),
            kesco_algebra_multiply(&Terms, In.Last, By)};
}

/// \p In, with something between \p Low and \p High added. Rows without a gap say nothing.
Rows Ranges::beside(const Rows &In, kesco_polynomial Low, kesco_polynomial High) {
    Rows Sum = {In.Pitch, kesco_algebra_add(&Terms, In.First, Low), kesco_algebra_add(&Terms, In.Last, High)};
    kesco_polynomial Length = kesco_algebra_add(&Terms, kesco_algebra_subtract(&Terms, Sum.Last, Sum.First),
                                                kesco_algebra_number(&Terms, 1));
    if (!Sum.areKnown() ||
        kesco_algebra_is_non_negative(&Terms, kesco_algebra_subtract(&Terms, Length, Sum.Pitch)))
        return {};
    return Sum;
}

/// By something that is not less than 0: of what is one number for a launch, another one, and there are no
/// rows.
Rows Ranges::rowsOfProduct(const Interval &A, kesco_polynomial By) {
    if (A.Low == A.High)
        return {};
    return A.In.areKnown() && asNumber(By) ? scaled(A.In, By)
                                           : beside({By}, KESCO_POLYNOMIAL_ZERO, KESCO_POLYNOMIAL_ZERO);
}

/// True if of a sum of both, the rows of \p A tell more: what one element has to the next is a number, the
/// pitch of a matrix is often none.
bool Ranges::isMain(const Rows &A, const Rows &B) const {
    std::optional<int64_t> PitchOfA = asNumber(A.Pitch), PitchOfB = asNumber(B.Pitch);
    return PitchOfA && PitchOfB ? *PitchOfA >= *PitchOfB : !PitchOfA;
}

/// Planes of rows are rows; else what has rows of its own counts by its bounds.
Rows Ranges::rowsOfSum(const Interval &A, const Interval &B) {
    if (!A.In.areKnown() || !B.In.areKnown()) {
        const Interval &Main = A.In.areKnown() ? A : B, &Other = &Main == &A ? B : A;
        return Main.In.areKnown() ? beside(Main.In, Other.Low, Other.High) : Rows();
    }
    if (!asNumber(A.In.Pitch) && !asNumber(B.In.Pitch)) {
        if (kesco_algebra_is_multiple(&Terms, B.In.Pitch, A.In.Pitch))
            return beside(A.In, B.In.First, B.In.Last);
        if (kesco_algebra_is_multiple(&Terms, A.In.Pitch, B.In.Pitch))
            return beside(B.In, A.In.First, A.In.Last);
    }
    return isMain(A.In, B.In) ? beside(A.In, B.Low, B.High) : beside(B.In, A.Low, A.High);
}

/// What holds all of both, as rows of one or the other. A number lies in any rows, as far behind one's
/// beginning as it says.
Rows Ranges::rowsOfBoth(const Interval &A, const Interval &B) {
    auto IsNumber = [&](const Interval &I) { return asNumber(I.Low) && asNumber(I.High); };
    auto With = [&](const Rows &In, kesco_polynomial First, kesco_polynomial Last) {
        return Rows{In.Pitch, kesco_algebra_least(&Terms, In.First, First),
                    kesco_algebra_greatest(&Terms, In.Last, Last)};
    };
    if (A.In.areKnown() && B.In.areKnown())
        return A.In.Pitch == B.In.Pitch ? With(A.In, B.In.First, B.In.Last) : Rows();
    if (A.In.areKnown())
        return IsNumber(B) ? With(A.In, B.Low, B.High) : Rows();
    return B.In.areKnown() && IsNumber(A) ? With(B.In, A.Low, A.High) : Rows();
}

/// Empty where there are no pieces, where they would have no gap between them, or may not, in a launch that
/// goes over all of a row: that is what most do, and what is compared at each launch costs time.
std::string Ranges::textInPieces(const Interval &Bytes) {
    if (!Bytes.In.areKnown() || kesco_algebra_is_negative(&Terms, Bytes.In.Pitch))
        return "";
    kesco_polynomial Length = kesco_algebra_subtract(&Terms, Bytes.In.Last, Bytes.In.First);
    if (Length == KESCO_POLYNOMIAL_UNKNOWN ||
        kesco_algebra_may_be_non_negative(&Terms, kesco_algebra_subtract(&Terms, Length, Bytes.In.Pitch)))
        return "";
    return ";" + textOf(Bytes.In.Pitch) + ";" + textOf(Bytes.In.First) + ";" + textOf(Length);
}

/// Without what it says of pieces where that would be too long.
std::string Ranges::text(const Interval &Bytes) {
    if (!Bytes.isKnown())
        return "";
    std::optional<int64_t> Low = asNumber(Bytes.Low), High = asNumber(Bytes.High);
    if ((Low && *Low <= -Far) || (High && *High >= Far))
        return "";
    std::string Ends = textOf(Bytes.Low) + ";" + textOf(Bytes.High), Conditions;
    for (kesco_polynomial Condition : Bytes.Conditions)
        Conditions += ";" + textOf(Condition);
    if (std::string Pieces = textInPieces(Bytes); !Pieces.empty())
        if (std::string Text = "r" + Ends + Pieces + Conditions; kesco_range_is_valid(Text.c_str()))
            return Text;
    std::string Text = Ends + Conditions;
    return kesco_range_is_valid(Text.c_str()) ? Text : "";
}

} // namespace kesco
