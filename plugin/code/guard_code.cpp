#include "plugin/code/guard_code.h"

#include "plugin/code/range_code.h"
#include "plugin/code/runtime_abi.h"

using namespace llvm;

namespace kesco {

Value *heldPointer(IRBuilderBase &Builder, const CallBase &Issue, const PointerArgument &P) {
    Value *Operand = Issue.getArgOperand(P.Argument);
    if (!P.Offset)
        return Operand;
    return Builder.CreateLoad(Builder.getPtrTy(), Builder.CreatePtrAdd(Operand, Builder.getInt64(*P.Offset)));
}

GuardWriter::GuardWriter(const PlannedRegion &Planned)
    : R(*Planned.R), IsOneLane(Planned.isOneLane()), IsPlaced(Planned.isPlaced()) {
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
}

/// What the runtime is told of the pointer.
unsigned GuardWriter::flagsOf(const PointerArgument &P) const {
    unsigned Asked = Flags.lookup(P.Object);
    if (P.MustBeLocked && !IsOneLane)
        Asked |= KESCO_GUARD_LOCKED;
    if (IsPlaced && R.Objects[P.Object].MayMeet)
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

void GuardWriter::write(const Op &O, const OpSite &Site, const DebugLoc &Location) const {
    const CallBase &Issue = *Site.Issue;
    IRBuilder<> Builder(Site.Issue);
    Builder.SetCurrentDebugLocation(Location);
    for (const PointerArgument &P : O.Pointers) {
        unsigned Asked = flagsOf(P);
        if (Asked == 0 && !Flags.contains(P.Object))
            continue;
        Value *Object = Builder.getInt32(P.Object);
        if (std::optional<RangeValues> Bytes = rangeOf(Builder, Site, P))
            callAbi(
                Builder, AbiFunction::guard_part,
                {Object, Builder.getInt32(Asked), heldPointer(Builder, Issue, P), Bytes->Begin, Bytes->End});
        else if (P.Size < 0)
            callAbi(Builder, AbiFunction::guard,
                    {Object, Builder.getInt32(Asked), heldPointer(Builder, Issue, P)});
        else
            callAbi(Builder, AbiFunction::guard_range,
                    {Object, Builder.getInt32(Asked | KESCO_GUARD_HOST), heldPointer(Builder, Issue, P),
                     extentOf(Builder, Issue, P)});
    }
}

} // namespace kesco
