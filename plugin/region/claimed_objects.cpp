#include "plugin/region/region_objects.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace kesco {

static Claim describeClaim(const CallBase &Second) {
    const DILocation *Where = Second.getDebugLoc().get();
    return {namesIn(Second), Where ? Where->getFilename().str() : "", Where ? Where->getLine() : 0};
}

void RegionObjects::addIdleClaim(const CallBase &Call) {
    const CallBase *Second = firstOf(Call) ? &Call : nullptr;
    for (const User *U : Call.users())
        if (const auto *Other = dyn_cast<CallBase>(U); Other && isClaim(*Other) && firstOf(*Other) == &Call)
            Second = Other;
    if (Second && IdleClaims.insert(Second).second)
        R.IdleClaims.push_back(describeClaim(*Second));
}

/// Chains of claims of pointers into \p Object of which each two are claimed to be distinct, as they come.
SmallVector<ClaimChain, 4> RegionObjects::findDistinct(unsigned Object) const {
    constexpr unsigned MostParts = 32;
    SmallVector<ClaimChain, 4> Distinct;
    for (const Touch &T : Touches)
        if (T.Object == Object && !T.Claims.empty() && Distinct.size() < MostParts &&
            all_of(Distinct, [&](const ClaimChain &Other) { return claimBetween(Other, T.Claims); }))
            Distinct.push_back(T.Claims);
    return Distinct;
}

/// What is reached in one object through pointers that are claimed to be distinct becomes one object each.
/// What is reached through others may be in all of them.
void RegionObjects::splitClaimed() {
    for (unsigned Object = 0, Count = R.Objects.size(); Object < Count; ++Object) {
        if (Unguarded.contains(Object) || VariableObjects.contains(Object) ||
            ConstantObjects.contains(Object))
            continue;
        const SmallVector<ClaimChain, 4> Distinct = findDistinct(Object);
        if (Distinct.size() > 1 &&
            any_of(Touches, [&](const Touch &T) { return T.Object == Object && T.Write; }))
            splitByClaims(Object, Distinct);
    }
}

void RegionObjects::splitByClaims(unsigned Object, ArrayRef<ClaimChain> Distinct) {
    const unsigned First = R.Objects.size();
    for (unsigned I = 0; I < Distinct.size(); ++I) {
        kesco::Object Part = R.Objects[Object];
        Part.Name += "[part " + std::to_string(I) + "]";
        R.Objects.push_back(std::move(Part));
        Whole[First + I] = Object;
        R.NotCompared.push_back({Object, First + I});
        if (Unknown.contains(Object))
            Unknown.insert(First + I);
        if (Composed.contains(Object))
            Composed.insert(First + I);
    }
    Whole[Object] = Object;
    for (unsigned I = 0, Count = Touches.size(); I < Count; ++I) {
        const Touch T = Touches[I];
        if (T.Object != Object)
            continue;
        const auto *Found = find_if(Distinct, [&](const ClaimChain &Claims) {
            return all_of(Claims, [&](const CallBase *Claim) { return is_contained(T.Claims, Claim); });
        });
        if (Found == Distinct.end()) {
            for (unsigned Part = First; Part < R.Objects.size(); ++Part)
                Touches.push_back(
                    {T.Op, Part, T.Write, T.IsTransfer, {}, nullptr, T.AlsoReads, {}, /*IsWhole=*/true});
            continue;
        }
        Touches[I].Object = First + (Found - Distinct.begin());
        for (PointerArgument &P : R.Ops[T.Op].Pointers)
            if (P.Object == Object && P.Claims == T.Claims)
                P.Object = Touches[I].Object;
    }
}

/// True if the program claims that what ops touch of \p A and of \p B, by pointers into these, does not
/// overlap.
bool RegionObjects::areDistinct(unsigned A, unsigned B) {
    SmallVector<const CallBase *, 4> Claims;
    for (const Touch &One : Touches)
        for (const Touch &Other : Touches) {
            if (One.Object != A || Other.Object != B || One.IsWhole || Other.IsWhole ||
                !(One.Write || Other.Write))
                continue;
            Claims.push_back(claimBetween(One.Claims, Other.Claims));
            if (!Claims.back())
                return false;
        }
    R.NotCompared.push_back({A, B});
    for (const CallBase *Second : Claims)
        if (Relied.try_emplace(Second, R.Claims.size()).second)
            R.Claims.push_back(describeClaim(*Second));
    return true;
}

/// Notes of each pointer which of the two in the region's claims it is.
void RegionObjects::tellClaims() {
    for (Op &O : R.Ops)
        for (PointerArgument &P : O.Pointers)
            for (const CallBase *Call : P.Claims)
                for (const auto &[Second, Index] : Relied)
                    if (Call == Second || firstOf(*Second) == Call)
                        P.Claimed.push_back({Index, Call == Second});
}

} // namespace kesco
