#include "plugin/region/region_objects.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace kesco {

static kesco_distinct describeClaim(Region &R, const CallBase &Second) {
    const DILocation *Where = Second.getDebugLoc().get();
    const auto [First, Other] = namesIn(Second);
    return {R.text(First), R.text(Other), Where ? R.text(Where->getFilename()) : nullptr,
            Where ? Where->getLine() : 0};
}

void RegionObjects::addIdleClaim(const CallBase &Call) {
    const CallBase *Second = firstOf(Call) ? &Call : nullptr;
    for (const User *U : Call.users())
        if (const auto *Other = dyn_cast<CallBase>(U); Other && isClaim(*Other) && firstOf(*Other) == &Call)
            Second = Other;
    if (Second && IdleClaims.insert(Second).second)
        R.append(R.claims.idle, describeClaim(R, *Second));
}

/// Chains of claims of pointers into \p Object of which each two are claimed to be distinct, as they come.
SmallVector<ClaimChain, 4> RegionObjects::findDistinct(unsigned Object) const {
    constexpr unsigned MostParts = 32;
    SmallVector<ClaimChain, 4> Distinct;
    for (const Touch &T : Touches)
        if (T.object == Object && !T.Claims.empty() && Distinct.size() < MostParts &&
            all_of(Distinct, [&](const ClaimChain &Other) { return claimBetween(Other, T.Claims); }))
            Distinct.push_back(T.Claims);
    return Distinct;
}

/// What is reached in one object through pointers that are claimed to be distinct becomes one object each.
/// What is reached through others may be in all of them.
void RegionObjects::splitClaimed() {
    for (unsigned Object = 0, Count = R.objects.count; Object < Count; ++Object) {
        const kesco_object_kind Kind = R.objects.items[Object].known;
        if (Kind.is_unguarded || Kind.is_variable || Kind.is_constant)
            continue;
        const SmallVector<ClaimChain, 4> Distinct = findDistinct(Object);
        if (Distinct.size() > 1 &&
            any_of(Touches, [&](const Touch &T) { return T.object == Object && T.write; }))
            splitByClaims(Object, Distinct);
    }
}

void RegionObjects::splitByClaims(unsigned Object, ArrayRef<ClaimChain> Distinct) {
    auto PartOf = [&](const Touch &T) -> std::optional<unsigned> {
        const auto *Found = find_if(Distinct, [&](const ClaimChain &Claims) {
            return all_of(Claims, [&](const CallBase *Claim) { return is_contained(T.Claims, Claim); });
        });
        return Found == Distinct.end() ? std::nullopt : std::optional<unsigned>(Found - Distinct.begin());
    };
    auto IsAlike = [](const PointerSource &Source, const Touch &T) { return Source.Claims == T.Claims; };
    for (unsigned I = 0; I < Distinct.size(); ++I)
        R.append(R.guards.not_compared, kesco_pair{Object, R.objects.count + I});
    splitInto(Distinct.size(), Object, /*AreWhole=*/true, PartOf, IsAlike);
}

/// True if the program claims that what ops touch of \p A and of \p B, by pointers into these, does not
/// overlap.
bool RegionObjects::areDistinct(unsigned A, unsigned B) {
    SmallVector<const CallBase *, 4> Claims;
    for (const Touch &One : Touches)
        for (const Touch &Other : Touches) {
            if (One.object != A || Other.object != B || One.IsWhole || Other.IsWhole ||
                !(One.write || Other.write))
                continue;
            Claims.push_back(claimBetween(One.Claims, Other.Claims));
            if (!Claims.back())
                return false;
        }
    R.append(R.guards.not_compared, kesco_pair{A, B});
    for (const CallBase *Second : Claims)
        if (Relied.try_emplace(Second, R.claims.relied.count).second)
            R.append(R.claims.relied, describeClaim(R, *Second));
    return true;
}

/// Notes of each pointer which of the two in the region's claims it is.
void RegionObjects::tellClaims() {
    for (Op &O : all(R.ops))
        for (kesco_pointer &P : all(O.memory.pointers))
            for (const CallBase *Call : R.Sources[P.source].Claims)
                for (const auto &[Second, Index] : Relied)
                    if (Call == Second || firstOf(*Second) == Call)
                        R.append(P.claimed, kesco_claimed{Index, Call == Second});
}

} // namespace kesco
