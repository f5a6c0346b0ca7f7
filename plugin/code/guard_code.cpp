#include "plugin/code/guard_code.h"

#include "plugin/code/range_code.h"
#include "plugin/code/runtime_abi.h"
#include "plugin/code/site_constant.h"

#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace kesco {

Value *heldPointer(IRBuilderBase &Builder, const CallBase &Issue, const PointerArgument &P) {
    Value *Operand = Issue.getArgOperand(P.Argument);
    if (!P.Offset)
        return Operand;
    return Builder.CreateLoad(Builder.getPtrTy(), Builder.CreatePtrAdd(Operand, Builder.getInt64(*P.Offset)));
}

GuardWriter::GuardWriter(const PlannedRegion &Planned, Module &M)
    : R(*Planned.R), IsOneLane(Planned.isOneLane()), IsPlaced(Planned.isPlaced()), Joins(Planned.Joins) {
    if (!IsOneLane && !IsPlaced)
        for (const auto &[Checked, Other] : R.Guards) {
            Flags[Checked] |= KESCO_GUARD_CHECKED;
            Flags.try_emplace(Other);
        }
    for (unsigned I = 0; I < R.Objects.size(); ++I) {
        if (R.Objects[I].MustBePlain && !IsOneLane)
            Flags[I] |= KESCO_GUARD_PLAIN;
        if (R.Objects[I].IsNoted)
            Flags.try_emplace(I, KESCO_GUARD_APART).first->second |= KESCO_GUARD_NOTED;
        if (R.Objects[I].Written && Flags.contains(I))
            Flags[I] |= KESCO_GUARD_WRITTEN;
    }
    numberObjects();
    for (const Claim &C : R.Claims)
        if (!IsOneLane && !IsPlaced)
            Claims.push_back(
                privateConstant(M, AbiConstant<kesco_claim>::get(M.getContext(), textConstant(M, C.File),
                                                                 textConstant(M, C.Names.first),
                                                                 textConstant(M, C.Names.second), C.Line)));
}

/// Objects that are guarded, but not against each other, have one number, as far as each two of them are
/// such. What is noted alone is compared with nothing.
void GuardWriter::numberObjects() {
    auto AreCompared = [&](unsigned A, unsigned B) {
        return !is_contained(R.NotCompared, std::pair(A, B)) && !is_contained(R.NotCompared, std::pair(B, A));
    };
    auto IsGuarded = [&](unsigned Object) {
        return Flags.contains(Object) && !(Flags.lookup(Object) & KESCO_GUARD_APART);
    };
    for (unsigned Object = 0; Object < R.Objects.size(); ++Object) {
        Numbers.push_back(Object);
        for (unsigned Number = 0; Number < Object && Numbers[Object] == Object; ++Number) {
            auto IsOther = [&](unsigned Other) {
                return Numbers[Other] == Number && (!IsGuarded(Other) || AreCompared(Other, Object));
            };
            if (IsGuarded(Object) && Numbers[Number] == Number && none_of(seq(Object), IsOther))
                Numbers[Object] = Number;
        }
    }
}

/// What the runtime is told of the pointer.
unsigned GuardWriter::flagsOf(const PointerArgument &P) const {
    unsigned Asked = Flags.lookup(P.Object);
    if (P.MustBeLocked && !IsOneLane)
        Asked |= KESCO_GUARD_LOCKED;
    if (IsPlaced && (Joins || R.Objects[P.Object].MayMeet))
        Asked |= KESCO_GUARD_PLACED | (P.Writes ? unsigned{KESCO_GUARD_WRITES} : 0u);
    return Asked;
}

/// Which bytes behind its pointer a launch touches, as far as that can be said.
static std::optional<RangeValues> rangeOf(IRBuilderBase &Builder, const OpSite &S, const PointerArgument &P) {
    std::optional<RangeValues> All;
    for (const std::string &Text : P.Within) {
        std::optional<RangeValues> One = evaluateRange(Builder, Text, *S.Start, *S.Issue);
        if (!One)
            return std::nullopt;
        All = All ? uniteRanges(Builder, *All, *One) : One;
    }
    return All;
}

/// How many bytes from its pointer on a copy or memset touches.
static Value *extentOf(IRBuilderBase &Builder, const CallBase &Call, const PointerArgument &P) {
    Value *Width = Call.getArgOperand(static_cast<unsigned>(P.Size));
    if (P.Pitch < 0)
        return Width;
    Value *Rows = Call.getArgOperand(static_cast<unsigned>(P.Height));
    Value *Before = Builder.CreateMul(Call.getArgOperand(static_cast<unsigned>(P.Pitch)),
                                      Builder.CreateSub(Rows, Builder.getInt64(1)));
    return Builder.CreateSelect(Builder.CreateIsNull(Rows), Rows, Builder.CreateAdd(Before, Width));
}

void GuardWriter::writeGuard(IRBuilderBase &Builder, const OpSite &Site, const PointerArgument &P) const {
    const CallBase &Issue = *Site.Issue;
    unsigned Asked = flagsOf(P);
    if (Asked == 0 && !Flags.contains(P.Object))
        return;
    Value *Object = Builder.getInt32(Numbers[P.Object]);
    if (std::optional<RangeValues> Bytes = rangeOf(Builder, Site, P))
        callAbi(Builder, AbiFunction::guard_part,
                {Object, Builder.getInt32(Asked), heldPointer(Builder, Issue, P), Bytes->Begin, Bytes->End});
    else if (P.Size < 0)
        callAbi(Builder, AbiFunction::guard,
                {Object, Builder.getInt32(Asked), heldPointer(Builder, Issue, P)});
    else
        callAbi(Builder, AbiFunction::guard_range,
                {Object, Builder.getInt32(Asked | KESCO_GUARD_HOST), heldPointer(Builder, Issue, P),
                 extentOf(Builder, Issue, P)});
}

void GuardWriter::writeClaims(IRBuilderBase &Builder, const OpSite &Site, const PointerArgument &P) const {
    if (Claims.empty() || P.Claimed.empty())
        return;
    std::optional<RangeValues> Bytes = rangeOf(Builder, Site, P);
    if (!Bytes && P.Size >= 0)
        Bytes = {Builder.getInt64(0), extentOf(Builder, *Site.Issue, P)};
    Value *All = Builder.getInt64(static_cast<uint64_t>(INT64_MIN));
    for (const auto &[Index, IsSecond] : P.Claimed)
        callAbi(
            Builder, AbiFunction::claimed,
            {Claims[Index],
             Builder.getInt32((IsSecond ? KESCO_CLAIM_SECOND : 0u) | (P.Writes ? KESCO_CLAIM_WRITES : 0u)),
             heldPointer(Builder, *Site.Issue, P), Bytes ? Bytes->Begin : All, Bytes ? Bytes->End : All});
}

void GuardWriter::write(const Op &O, const OpSite &Site, const DebugLoc &Location) const {
    IRBuilder<> Builder(Site.Issue);
    Builder.SetCurrentDebugLocation(Location);
    for (const PointerArgument &P : O.Pointers)
        writeGuard(Builder, Site, P);
    for (const PointerArgument &P : O.Pointers)
        writeClaims(Builder, Site, P);
}

} // namespace kesco
