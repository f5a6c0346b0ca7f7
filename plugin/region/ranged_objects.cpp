#include "plugin/region/region_objects.h"

#include "runtime/kesco_abi.h"

#include "llvm/Analysis/ScalarEvolution.h"

using namespace llvm;

namespace kesco {

/// The guard has a pair for each part of a range in each allocation: of two, where pointers change places.
static constexpr unsigned MostParts = KESCO_GUARD_PAIRS / 4;

/// True if \p T is of a launch, which touches the same bytes past its pointer in each pass of loops, as the
/// run will tell.
bool RegionObjects::isRanged(const Touch &T, const SampledLaunches &Sampled) const {
    return T.Launch && Sampled.isSteady(*T.Launch) &&
           any_of(all(R.ops.items[T.op].memory.pointers), [&](const kesco_pointer &P) {
               return P.object == T.object && R.Sources[P.source].Launch == T.Launch && !P.moves &&
                      (T.From || !P.is_inside);
           });
}

/// More ranges of one object are better told apart as ops are issued.
static constexpr unsigned MostRanges = 8;

/// Launches that touch \p Object from one place on, of each range one, the shortest first. None where there
/// are several such places.
SmallVector<unsigned, 8> RegionObjects::findRanges(unsigned Object, const SampledLaunches &Sampled) const {
    SmallVector<unsigned, MostRanges> Ranges;
    std::optional<const SCEV *> From; /* null: where the object's pointer leads */
    for (const Touch &T : Touches) {
        if (T.object != Object || !isRanged(T, Sampled))
            continue;
        if (From && *From != T.From)
            return {};
        From = T.From;
        if (none_of(Ranges, [&](unsigned Other) { return Sampled.seemSame(Other, *T.Launch); }))
            Ranges.push_back(*T.Launch);
    }
    sort(Ranges, [&](unsigned A, unsigned B) {
        return std::pair(Sampled.bytes(A), A) < std::pair(Sampled.bytes(B), B);
    });
    return Ranges;
}

/// Groups of the ranges that seem apart from each other: what meets one is in that, what meets several in
/// none.
RegionObjects::RangeGroups RegionObjects::group(ArrayRef<unsigned> Ranges, const SampledLaunches &Sampled) {
    RangeGroups All;
    for (unsigned Range : Ranges) {
        SmallSetVector<unsigned, 2> Met;
        for (const RangeInGroup &Other : All.Ranges)
            if (!Sampled.seemApart(Range, Other.Launch))
                Met.insert(Other.Group);
        if (Met.size() < 2)
            All.Ranges.push_back({Range, Met.empty() ? All.Count++ : Met.front()});
    }
    return All;
}

const RegionObjects::RangeInGroup *RegionObjects::RangeGroups::find(unsigned Launch,
                                                                    const SampledLaunches &Sampled) const {
    const auto *Found = llvm::find_if(
        Ranges, [&](const RangeInGroup &Range) { return Sampled.seemSame(Range.Launch, Launch); });
    return Found == Ranges.end() ? nullptr : Found;
}

/// What launches touch from one place on, in ranges that seem apart, becomes objects, told apart at run time.
/// What touches several touches all of them.
void RegionObjects::splitRanges(const SampledLaunches &Sampled) {
    unsigned Parts = 0;
    SmallVector<SmallVector<unsigned, 8>, 8> ByObject;
    for (unsigned Object = 0; Object < R.objects.count; ++Object)
        ByObject.push_back(mayBeSplit(Object) ? findRanges(Object, Sampled) : SmallVector<unsigned, 8>());
    if (any_of(ByObject, [](const auto &Ranges) { return Ranges.size() > MostRanges; }))
        return;
    for (unsigned Object = 0; Object < ByObject.size(); ++Object) {
        const RangeGroups Groups = group(ByObject[Object], Sampled);
        unsigned Own = 0;
        for (const RangeInGroup &Range : Groups.Ranges)
            Own += Sampled.parts(Range.Launch);
        const bool IsWritten = any_of(Touches, [&](const Touch &T) {
            return T.object == Object && T.write && isRanged(T, Sampled) && Groups.find(*T.Launch, Sampled);
        });
        if (Groups.Count < 2 || !IsWritten || Parts + Own > MostParts)
            continue;
        Parts += Own;
        splitByRanges(Object, Groups, Sampled);
    }
}

void RegionObjects::splitByRanges(unsigned Object, const RangeGroups &Groups,
                                  const SampledLaunches &Sampled) {
    const auto RangeOf = [&](const Touch &T) {
        return isRanged(T, Sampled) ? Groups.find(*T.Launch, Sampled) : nullptr;
    };
    const auto IsAlike = [](const PointerSource &Source, const Touch &T) {
        return Source.Launch == T.Launch;
    };
    for (const Touch &T : Touches)
        for (kesco_pointer &P : all(R.ops.items[T.op].memory.pointers))
            if (T.object == Object && P.object == Object && IsAlike(R.Sources[P.source], T))
                if (const RangeInGroup *Range = RangeOf(T))
                    P.reach.range = static_cast<uint32_t>(Range - Groups.Ranges.begin()) + 1;
    const unsigned First = R.objects.count;
    splitInto(
        Groups.Count, Object, /*AreWhole=*/false,
        [&](const Touch &T) {
            const RangeInGroup *Range = RangeOf(T);
            return Range ? std::optional(Range->Group) : std::nullopt;
        },
        IsAlike);
    for (unsigned Group = 0; Group < Groups.Count; ++Group)
        R.objects.items[First + Group].known.group = Group + 1;
}

} // namespace kesco
