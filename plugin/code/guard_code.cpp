#include "plugin/code/guard_code.h"

#include "plugin/code/runtime_abi.h"
#include "plugin/code/site_constant.h"
#include "plugin/kernels/launch_range.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace kesco {

Value *heldPointer(IRBuilderBase &Builder, const CallBase &Issue, const kesco_pointer &P) {
    Value *Operand = Issue.getArgOperand(P.held.argument);
    if (!P.held.is_address)
        return Operand;
    return Builder.CreateLoad(Builder.getPtrTy(),
                              Builder.CreatePtrAdd(Operand, Builder.getInt64(P.held.offset)));
}

GuardWriter::GuardWriter(const ScheduledRegion &Planned, Module &M)
    : R(*Planned.R), IsOneLane(kesco_scheduled_is_one_lane(&Planned)), IsPlaced(Planned.placed_lanes > 0),
      Joins(Planned.joins) {
    if (!IsOneLane && !IsPlaced)
        for (const auto &[Checked, Other] : all(R.guards.checked)) {
            Flags[Checked] |= KESCO_GUARD_CHECKED;
            Flags.try_emplace(Other);
        }
    for (unsigned I = 0; I < R.objects.count; ++I) {
        if (R.objects.items[I].must_be_plain && !IsOneLane)
            Flags[I] |= KESCO_GUARD_PLAIN;
        if (R.objects.items[I].is_noted)
            Flags.try_emplace(I, KESCO_GUARD_APART).first->second |= KESCO_GUARD_NOTED;
        if (R.objects.items[I].written && Flags.contains(I))
            Flags[I] |= KESCO_GUARD_WRITTEN;
    }
    numberObjects();
    for (const kesco_distinct &C : all(R.claims.relied))
        if (!IsOneLane && !IsPlaced)
            Claims.push_back(
                privateConstant(M, AbiConstant<kesco_claim>::get(M.getContext(), textConstant(M, C.file),
                                                                 textConstant(M, C.first),
                                                                 textConstant(M, C.second), C.line)));
}

/// Objects that are guarded, but not against each other, have one number, as far as each two of them are
/// such. What is noted alone is compared with nothing.
void GuardWriter::numberObjects() {
    auto AreCompared = [&](unsigned A, unsigned B) {
        return none_of(all(R.guards.not_compared),
                       [&](const kesco_pair &P) { return (P.a == A && P.b == B) || (P.a == B && P.b == A); });
    };
    auto IsGuarded = [&](unsigned Object) {
        return Flags.contains(Object) && !(Flags.lookup(Object) & KESCO_GUARD_APART);
    };
    SmallSet<unsigned, 4> Grouped; /* wholes whose parts have groups */
    for (const kesco_object &O : all(R.objects))
        if (O.known.group != 0)
            Grouped.insert(O.known.whole);
    auto HasGroups = [&](unsigned Object) { return Grouped.contains(R.objects.items[Object].known.whole); };
    for (unsigned Object = 0; Object < R.objects.count; ++Object) {
        Numbers.push_back(Object);
        for (unsigned Number = 0; Number < Object && Numbers[Object] == Object && !HasGroups(Object);
             ++Number) {
            auto IsOther = [&](unsigned Other) {
                return Numbers[Other] == Number && (!IsGuarded(Other) || AreCompared(Other, Object));
            };
            if (IsGuarded(Object) && !HasGroups(Number) && Numbers[Number] == Number &&
                none_of(seq(Object), IsOther))
                Numbers[Object] = Number;
        }
    }
}

/// What the runtime is told of the pointer.
unsigned GuardWriter::flagsOf(const Op &O, const kesco_pointer &P) const {
    unsigned Asked = Flags.lookup(P.object);
    if (P.must_be_locked && !IsOneLane)
        Asked |= KESCO_GUARD_LOCKED;
    if (IsPlaced && (Joins || R.objects.items[P.object].may_meet))
        Asked |= KESCO_GUARD_PLACED | (P.writes ? unsigned{KESCO_GUARD_WRITES} : 0u) |
                 (O.op.kind == KESCO_OP_PREFETCH ? unsigned{KESCO_GUARD_FETCHES} : 0u);
    return Asked;
}

/// Of all parts what holds them, if there is one.
static std::optional<RangeValues> unite(IRBuilderBase &Builder, ArrayRef<RangeValues> Parts) {
    std::optional<RangeValues> All;
    for (const RangeValues &One : Parts)
        All = All ? uniteRanges(Builder, *All, One) : One;
    return All;
}

/// Which bytes behind its pointer a launch touches, in parts that are apart or as one range; none where that
/// cannot be said.
static SmallVector<RangeValues, 4> partsOf(IRBuilderBase &Builder, const OpSite &S, const kesco_pointer &P) {
    RangeParts Parts;
    for (const char *Text : all(P.reach.within))
        Parts.add(Text);
    SmallVector<RangeValues, 4> Values;
    for (const char *Text : Parts.All) {
        std::optional<RangeValues> One = evaluateRange(Builder, Text, *S.Start, *S.Issue);
        if (!One)
            return {};
        Values.push_back(*One);
    }
    if (!Parts.AreApart && Values.size() > 1)
        return {*unite(Builder, Values)};
    return Values;
}

std::optional<RangeValues> rangeOf(IRBuilderBase &Builder, const OpSite &S, const kesco_pointer &P) {
    return unite(Builder, partsOf(Builder, S, P));
}

/// How many bytes from its pointer on a copy or memset touches.
static Value *extentOf(IRBuilderBase &Builder, const CallBase &Call, const kesco_pointer &P) {
    Value *Width = Call.getArgOperand(static_cast<unsigned>(P.reach.size));
    if (P.reach.pitch < 0)
        return Width;
    Value *Rows = Call.getArgOperand(static_cast<unsigned>(P.reach.height));
    Value *Before = Builder.CreateMul(Call.getArgOperand(static_cast<unsigned>(P.reach.pitch)),
                                      Builder.CreateSub(Rows, Builder.getInt64(1)));
    return Builder.CreateSelect(Builder.CreateIsNull(Rows), Rows, Builder.CreateAdd(Before, Width));
}

/// What the runtime is told of the object that \p P leads into, of which \p Part is touched.
Value *GuardWriter::objectOf(IRBuilderBase &Builder, const kesco_pointer &P, unsigned Part) const {
    constexpr unsigned MostParts = 2 * KESCO_RANGE_PARTS; /* what is read, and what is written */
    const kesco_object_kind &Kind = R.objects.items[P.object].known;
    const unsigned Range = P.reach.range == 0 ? 0 : P.reach.range * MostParts + Part;
    return Builder.getInt32(Numbers[Kind.group == 0 ? P.object : Kind.whole] |
                            Kind.group << KESCO_GUARD_GROUP | Range << KESCO_GUARD_PART);
}

/// By how many distances the bytes that it is asked of are at.
static constexpr AbiFunction CallsByDistances[KESCO_RANGE_DISTANCES + 1] = {
    AbiFunction::guard_part, AbiFunction::guard_pieces, AbiFunction::guard_box};

bool GuardWriter::isGuarded(const Op &O, const kesco_pointer &P) const {
    return flagsOf(O, P) != 0 || Flags.contains(P.object);
}

void GuardWriter::writeGuard(IRBuilderBase &Builder, const Op &O, const OpSite &Site,
                             const kesco_pointer &P) const {
    const CallBase &Issue = *Site.Issue;
    unsigned Asked = flagsOf(O, P);
    SmallVector<RangeValues, 4> Parts = partsOf(Builder, Site, P);
    if (Parts.size() > 1 && P.reach.range == 0 && !(Asked & KESCO_GUARD_PLACED))
        Parts = {*unite(Builder, Parts)};
    for (const auto &[Number, Bytes] : enumerate(Parts)) {
        Value *Object = objectOf(Builder, P, Number), *Pointer = heldPointer(Builder, Issue, P);
        SmallVector<Value *, 11> Given = {Object, Builder.getInt32(Asked), Pointer, Bytes.Begin, Bytes.End};
        for (const PlaceValues &Place : Bytes.Places)
            Given.append({Place.First, Place.Distance, Place.Length});
        callAbi(Builder, CallsByDistances[Bytes.Places.size()], Given);
    }
    if (!Parts.empty())
        return;
    Value *Object = objectOf(Builder, P, 0);
    if (P.reach.size < 0)
        callAbi(Builder, AbiFunction::guard,
                {Object, Builder.getInt32(Asked), heldPointer(Builder, Issue, P)});
    else if (P.reach.pitch >= 0)
        callAbi(Builder, AbiFunction::guard_pieces,
                {Object, Builder.getInt32(Asked | KESCO_GUARD_HOST), heldPointer(Builder, Issue, P),
                 Builder.getInt64(0), extentOf(Builder, Issue, P), Builder.getInt64(0),
                 Issue.getArgOperand(static_cast<unsigned>(P.reach.pitch)),
                 Issue.getArgOperand(static_cast<unsigned>(P.reach.size))});
    else
        callAbi(Builder, AbiFunction::guard_range,
                {Object, Builder.getInt32(Asked | KESCO_GUARD_HOST), heldPointer(Builder, Issue, P),
                 extentOf(Builder, Issue, P)});
}

void GuardWriter::writeClaims(IRBuilderBase &Builder, const OpSite &Site, const kesco_pointer &P) const {
    if (Claims.empty() || P.claimed.count == 0)
        return;
    std::optional<RangeValues> Bytes = rangeOf(Builder, Site, P);
    if (!Bytes && P.reach.size >= 0)
        Bytes = {Builder.getInt64(0), extentOf(Builder, *Site.Issue, P)};
    Value *All = Builder.getInt64(static_cast<uint64_t>(INT64_MIN));
    const unsigned Always =
        (P.writes ? KESCO_CLAIM_WRITES : 0u) | (Bytes && !Bytes->Places.empty() ? KESCO_CLAIM_PIECES : 0u);
    for (const auto &[Index, IsSecond] : all(P.claimed))
        callAbi(Builder, AbiFunction::claimed,
                {Claims[Index], Builder.getInt32((IsSecond ? KESCO_CLAIM_SECOND : 0u) | Always),
                 heldPointer(Builder, *Site.Issue, P), Bytes ? Bytes->Begin : All, Bytes ? Bytes->End : All});
}

/// True if it takes long to find which bytes the op touches: the extents of an array are computed in its
/// kernel, say.
static bool takesLong(ArrayRef<const kesco_pointer *> Pointers) {
    constexpr size_t Long = 1500; /* in letters: a few hundred instructions */
    size_t Letters = 0;
    for (const kesco_pointer *P : Pointers)
        for (const char *Text : all(P->reach.within))
            Letters += StringRef(Text).size();
    return Letters > Long;
}

void GuardWriter::writeGuards(const Op &O, const OpSite &Site, const DebugLoc &Location) const {
    SmallVector<const kesco_pointer *, 8> Guarded;
    for (const kesco_pointer &P : all(O.memory.pointers))
        if (isGuarded(O, P))
            Guarded.push_back(&P);
    IRBuilder<> Builder(Site.Issue);
    Builder.SetCurrentDebugLocation(Location);
    if (takesLong(Guarded)) {
        Value *IsAsked = Builder.CreateIsNotNull(callAbi(Builder, AbiFunction::guards, {}));
        Builder.SetInsertPoint(
            SplitBlockAndInsertIfThen(IsAsked, Site.Issue->getIterator(), /*Unreachable=*/false));
        Builder.SetCurrentDebugLocation(Location);
    }
    for (const kesco_pointer *P : Guarded)
        writeGuard(Builder, O, Site, *P);
}

void GuardWriter::write(const Op &O, const OpSite &Site, const DebugLoc &Location) const {
    writeGuards(O, Site, Location);
    IRBuilder<> Builder(Site.Issue);
    Builder.SetCurrentDebugLocation(Location);
    for (const kesco_pointer &P : all(O.memory.pointers))
        writeClaims(Builder, Site, P);
}

} // namespace kesco
