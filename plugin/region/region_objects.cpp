#include "plugin/region/region_objects.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/region/access_path.h"
#include "plugin/region/parts.h"
#include "plugin/region/source_names.h"

extern "C" {
#include "plugin/summary/range.h"
}

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

void RegionObjects::addObject(StringRef Name, unsigned Where) {
    kesco_object New = {};
    New.name = R.text(Name);
    New.where = Where;
    New.known.whole = KESCO_OBJECT_ANY;
    R.append(R.objects, New);
}

unsigned RegionObjects::add(StringRef Name, unsigned Where, std::string Place) {
    addObject(Name.empty() ? "object" : Name, Where);
    Places.push_back(std::move(Place));
    return R.objects.count - 1;
}

/// The number of the object with that \p Key in \p Known, where \p Add makes a new one.
template <typename Map, typename Key, typename Adder>
static unsigned numberIn(Map &Known, const Key &K, Adder Add) {
    auto Found = Known.find(K);
    if (Found != Known.end())
        return Found->second;
    unsigned New = Add();
    Known.try_emplace(K, New);
    return New;
}

unsigned RegionObjects::allocation(const CallBase &Allocation, StringRef Name) {
    return numberIn(Of.Allocations, &Allocation, [&] {
        return add(Name, memoryOf(Allocation), placeInFunction(Allocation.getDebugLoc().get()));
    });
}

unsigned RegionObjects::hostMemory(const Value &Memory, StringRef Name, StringRef Place) {
    return numberIn(Of.HostMemory, &Memory,
                    [&] { return add(Name, PageableMemory | PinnedMemory, Place.str()); });
}

unsigned RegionObjects::origin(const Value &Origin, bool IsLoaded, StringRef Name, unsigned Where,
                               StringRef Place) {
    if (IsLoaded)
        Of.Loaded.insert(&Origin);
    unsigned Object = numberIn(Of.Unknowns, &Origin, [&] { return add(Name, Where, Place.str()); });
    R.objects.items[Object].where |= Where;
    return Object;
}

unsigned RegionObjects::variable(StringRef Name) {
    return numberIn(Of.Variables, Name, [&] { return add(Name, DeviceMemory); });
}

unsigned RegionObjects::constant(StringRef Name) {
    Of.Constants.insert(Name);
    return variable(Name);
}

unsigned RegionObjects::shared(StringRef Name) {
    return numberIn(Of.Shared, Name, [&] { return add(Name, 0); });
}

void RegionObjects::merge(unsigned A, unsigned B) {
    Merged.unionSets(A, B);
}

/// The object of \p Key where an op of the region touches it.
template <typename Map, typename Key>
static std::optional<unsigned> known(const Map &Known, const Key &K) {
    auto Found = Known.find(K);
    return Found == Known.end() ? std::nullopt : std::optional<unsigned>(Found->second);
}

/// Where a pointer of one place is stored to another, as in a swap, the two take turns: told apart at run
/// time, they would be found to share memory at once.
void RegionObjects::mergeStored(const Function &Copy) {
    for (const Instruction &I : instructions(Copy)) {
        const auto *Store = dyn_cast<StoreInst>(&I);
        if (!Store || !Store->getValueOperand()->getType()->isPointerTy())
            continue;
        std::optional<unsigned> To = known(Of.Unknowns, Store->getPointerOperand());
        if (!To)
            continue;
        Objects Stored = findObjects(Store->getValueOperand(), /*IsHost=*/false);
        for (const CallBase *Allocation : Stored.Allocations)
            if (std::optional<unsigned> From = known(Of.Allocations, Allocation))
                merge(*To, *From);
        for (const Value *Origin : Stored.Origins)
            if (std::optional<unsigned> From = known(Of.Unknowns, Origin))
                merge(*To, *From);
    }
}

/// True if the places \p A and \p B, in passes of one loop or of two, are one and the same sooner or later,
/// as those of p[i] in two loops, or of p[i] and p[i + 1].
static bool runThroughTheSame(const Value &A, const Value &B, ScalarEvolution &Evolution) {
    const auto *X = dyn_cast<SCEVAddRecExpr>(Evolution.getSCEV(const_cast<Value *>(&A)));
    const auto *Y = dyn_cast<SCEVAddRecExpr>(Evolution.getSCEV(const_cast<Value *>(&B)));
    if (!X || !Y || X->getStepRecurrence(Evolution) != Y->getStepRecurrence(Evolution))
        return false;
    const auto *Step = dyn_cast<SCEVConstant>(X->getStepRecurrence(Evolution));
    const auto *Apart = dyn_cast<SCEVConstant>(Evolution.getMinusSCEV(X->getStart(), Y->getStart()));
    return Step && Apart && Apart->getAPInt().srem(Step->getAPInt()).isZero();
}

/// Where loops run through the elements of one array of pointers, each gets what another had: told apart at
/// run time, the two would be found to share memory.
void RegionObjects::mergeElements() {
    for (auto A = Of.Unknowns.begin(); A != Of.Unknowns.end(); ++A)
        for (auto B = std::next(A); B != Of.Unknowns.end(); ++B)
            if (Of.Loaded.contains(A->first) && Of.Loaded.contains(B->first) &&
                runThroughTheSame(*A->first, *B->first, Evolution))
                merge(A->second, B->second);
}

/// What the program comes to in the same way, or calls the same, is one object: its functions look up again
/// what lies in containers, and told apart at run time, each would be found to share memory with the last.
void RegionObjects::mergeLookedUp(const Function &Copy) {
    StringMap<unsigned> ByPath, ByName;
    const auto MergeInto = [&](StringMap<unsigned> &Known, StringRef Key, unsigned Object) {
        merge(Object, Known.try_emplace(Key, Object).first->second);
    };
    for (const auto &[Origin, Object] : Of.Unknowns) {
        if (Of.Loaded.contains(Origin))
            MergeInto(ByPath, accessPathOf(*Origin, Copy.getDataLayout()), Object);
        if (StringRef Name = R.objects.items[Object].name; picksOneElement(Name))
            MergeInto(ByName, Name, Object);
    }
}

/// Has those of \p Names that are alike say where their memory is allocated, or used, in \p Places, if that
/// tells them apart.
static void addPlaces(std::vector<std::string> &Names, ArrayRef<std::string> Places) {
    StringMap<SmallSet<StringRef, 2>> ByName;
    for (const auto &[Name, Place] : zip(Names, Places))
        ByName[Name].insert(Place);
    for (auto [Name, Place] : zip(Names, Places))
        if (!Place.empty() && ByName[Name].size() > 1)
            Name += " (" + Place + ")";
}

/// \p Name, or what none of \p Others is called.
static std::string uniqueName(const kesco_objects &Others, const std::string &Name) {
    std::string Unique = Name;
    for (unsigned I = 2; any_of(all(Others), [&](const kesco_object &O) { return O.name == Unique; }); ++I)
        Unique = Name + "#" + std::to_string(I);
    return Unique;
}

/// Sorts \p Pointers, and leaves one of those that are held alike and lead to one object.
static void sortOnce(kesco_pointers &Pointers) {
    const auto KeyOf = [](const kesco_pointer &P) {
        return std::tuple(P.held.argument, P.held.is_address, P.held.offset, P.object);
    };
    MutableArrayRef<kesco_pointer> All = all(Pointers);
    sort(All, [&](const kesco_pointer &A, const kesco_pointer &B) { return KeyOf(A) < KeyOf(B); });
    Pointers.count =
        std::unique(All.begin(), All.end(),
                    [&](const kesco_pointer &A, const kesco_pointer &B) { return KeyOf(A) == KeyOf(B); }) -
        All.begin();
}

/// Objects that a pointer may lead into, and that nothing tells apart, become one.
void RegionObjects::mergeObjects() {
    std::vector<unsigned> Number(R.objects.count);
    std::vector<SmallSetVector<StringRef, 2>> Names;
    std::vector<unsigned> Where;
    std::vector<std::string> Allocated; /* where; empty for what is several, or not allocated here */
    SmallSet<unsigned, 8> Composed;
    DenseMap<unsigned, unsigned> Leaders;
    for (unsigned Object = 0; Object < Number.size(); ++Object) {
        auto [Entry, IsNew] = Leaders.try_emplace(Merged.getOrInsertLeaderValue(Object), Names.size());
        Number[Object] = Entry->second;
        if (IsNew) {
            Names.emplace_back();
            Where.push_back(0);
            Allocated.push_back(Places[Object]);
        } else {
            Composed.insert(Entry->second);
            Allocated[Entry->second].clear();
        }
        Names[Entry->second].insert(R.objects.items[Object].name);
        Where[Entry->second] |= R.objects.items[Object].where;
    }
    std::vector<std::string> Full;
    for (const auto &Each : Names)
        Full.push_back(join(Each.begin(), Each.end(), "|"));
    addPlaces(Full, Allocated);
    R.objects = {};
    for (unsigned I = 0; I < Full.size(); ++I) {
        addObject(uniqueName(R.objects, Full[I]), Where[I]);
        R.objects.items[I].known.is_composed = Composed.contains(I);
        R.objects.items[I].known.is_printed = R.objects.items[I].name == PrintBuffer;
    }
    for (Touch &T : Touches)
        if (T.object != KESCO_OBJECT_ANY)
            T.object = Number[T.object];
    for (Op &O : all(R.ops)) {
        for (kesco_pointer &P : all(O.memory.pointers))
            P.object = Number[P.object];
        sortOnce(O.memory.pointers);
    }
    noteKinds(Number);
}

/// Notes what is known of each object, of which \p Number has the numbers.
void RegionObjects::noteKinds(ArrayRef<unsigned> Number) {
    const auto KindOf = [&](unsigned Object) -> kesco_object_kind & {
        return R.objects.items[Number[Object]].known;
    };
    /* What is promised of a place says nothing of where the pointers in it lead. */
    for (const auto &Entry : Of.Unknowns)
        KindOf(Entry.second).is_unknown |= !isRestricted(*Entry.first) || Of.Loaded.contains(Entry.first);
    for (const auto &Entry : Of.Variables)
        (Of.Constants.contains(Entry.first()) ? KindOf(Entry.second).is_constant
                                              : KindOf(Entry.second).is_variable) = true;
    for (const auto &Entry : Of.Shared)
        KindOf(Entry.second).is_unguarded = true;
    if (std::optional<unsigned> Object = known(Of.Shared, MayTrap))
        Trap = Number[*Object];
}

/// True if the two are the same, or become the same in passes of two loops.
static bool isSameWay(const SCEV *A, const SCEV *B, ScalarEvolution &Evolution) {
    const auto *X = dyn_cast_or_null<SCEVAddRecExpr>(A), *Y = dyn_cast_or_null<SCEVAddRecExpr>(B);
    return A == B || (X && Y && X->getStart() == Y->getStart() &&
                      X->getStepRecurrence(Evolution) == Y->getStepRecurrence(Evolution));
}

/// True if what \p T touches is in pieces: beside them there is room for others, however near.
bool RegionObjects::isInPieces(const Touch &T) const {
    auto IsMarked = [](const char *Within) { return kesco_range_distances(&Within) > 0; };
    return any_of(all(R.ops.items[T.op].memory.pointers), [&](const kesco_pointer &P) {
        RangeParts Parts;
        for (const char *Text : all(P.reach.within))
            Parts.add(Text);
        return P.object == T.object && R.Sources[P.source].From == T.From && !Parts.All.empty() &&
               all_of(Parts.All, IsMarked);
    });
}

/// True if the object is none that has parts, and guards tell such apart.
bool RegionObjects::mayBeSplit(unsigned Object) const {
    const kesco_object_kind &Kind = R.objects.items[Object].known;
    return !Kind.is_composed && !Kind.is_unguarded && !Kind.is_variable && !Kind.is_constant &&
           Kind.whole == KESCO_OBJECT_ANY &&
           any_of(Touches, [&](const Touch &T) { return T.object == Object && T.write; });
}

/// Where pointers lead in \p Object from which on kernels touch what only the run will tell; none where that
/// is one place, or places so near to each other that what is touched from one on hardly ends before the
/// next.
SmallVector<const SCEV *, 8> RegionObjects::findStarts(unsigned Object) const {
    constexpr unsigned MostParts = 32;
    constexpr uint64_t Near = 256; /* bytes: neighbours, members */
    SmallVector<const SCEV *, 8> Starts;
    if (!mayBeSplit(Object))
        return {};
    for (const Touch &T : Touches) {
        auto IsSame = [&](const SCEV *Other) { return isSameWay(T.From, Other, Evolution); };
        if (T.object != Object || T.is_transfer || !T.From || T.Bytes.Begin || any_of(Starts, IsSame))
            continue;
        auto IsNear = [&](const SCEV *Other) {
            const auto *Apart = dyn_cast<SCEVConstant>(Evolution.getMinusSCEV(T.From, Other));
            return Apart && Apart->getAPInt().abs().ult(Near);
        };
        if ((!isInPieces(T) && any_of(Starts, IsNear)) || Starts.size() == MostParts)
            return {};
        Starts.push_back(T.From);
    }
    return Starts;
}

/// True if \p T touches memory from one of \p Starts on: kernels that say how far, and transfers of as much
/// as lies between two of them.
bool RegionObjects::isOnePart(const Touch &T, ArrayRef<const SCEV *> Starts) const {
    if (none_of(Starts, [&](const SCEV *Start) { return isSameWay(T.From, Start, Evolution); }))
        return false;
    return !T.is_transfer || any_of(Starts, [&](const SCEV *From) {
        return any_of(Starts, [&](const SCEV *To) {
            return From != To && Evolution.getMinusSCEV(To, From) == T.Bytes.Size;
        });
    });
}

/// What lies from different places in one object on becomes one object each, told apart at run time. What
/// touches more touches all of them.
void RegionObjects::splitObjects() {
    for (unsigned Object = 0, Count = R.objects.count; Object < Count; ++Object) {
        SmallVector<const SCEV *, 8> Starts = findStarts(Object);
        if (Starts.size() > 1)
            split(Object, Starts);
    }
}

void RegionObjects::addPart(unsigned Object, unsigned Number) {
    kesco_object Part = R.objects.items[Object];
    Part.name = R.text((Part.name + Twine("[part ") + Twine(Number) + "]").str());
    Part.known.whole = Object;
    R.append(R.objects, Part);
}

void RegionObjects::split(unsigned Object, ArrayRef<const SCEV *> Starts) {
    auto PartOf = [&](const Touch &T) -> std::optional<unsigned> {
        auto IsSame = [&](const SCEV *Start) { return isSameWay(T.From, Start, Evolution); };
        return isOnePart(T, Starts) ? std::optional<unsigned>(find_if(Starts, IsSame) - Starts.begin())
                                    : std::nullopt;
    };
    auto IsAlike = [](const PointerSource &Source, const Touch &T) { return Source.From == T.From; };
    splitInto(Starts.size(), Object, /*AreWhole=*/false, PartOf, IsAlike);
}

void RegionObjects::splitInto(unsigned Parts, unsigned Object, bool AreWhole,
                              function_ref<std::optional<unsigned>(const Touch &)> PartOf,
                              function_ref<bool(const PointerSource &, const Touch &)> IsAlike) {
    const unsigned First = R.objects.count;
    for (unsigned I = 0; I < Parts; ++I)
        addPart(Object, I);
    R.objects.items[Object].known.whole = Object;
    for (unsigned I = 0, Count = Touches.size(); I < Count; ++I) {
        const Touch T = Touches[I];
        if (T.object != Object)
            continue;
        const std::optional<unsigned> Own = PartOf(T);
        for (unsigned Part = First; !Own && Part < First + Parts; ++Part)
            Touches.push_back(
                {{T.op, Part, T.write, T.is_transfer, T.also_reads}, {}, nullptr, {}, AreWhole});
        if (!Own)
            continue;
        Touches[I].object = First + *Own;
        for (kesco_pointer &P : all(R.ops.items[T.op].memory.pointers))
            if (P.object == Object && IsAlike(R.Sources[P.source], T))
                P.object = First + *Own;
    }
}

/// \returns the region's touches, in which kernels that may trap have their order to others.
kesco_touches RegionObjects::settleTouches() {
    kesco_touches All = {};
    for (const Touch &T : Touches)
        R.append<kesco_touches, kesco_touch>(All, T);
    const kesco_claim_question Claims = {[](void *Self, uint32_t A, uint32_t B) {
                                             return static_cast<RegionObjects *>(Self)->areDistinct(A, B);
                                         },
                                         this};
    const bool HasClaims = any_of(Touches, [](const Touch &T) { return !T.Claims.empty(); });
    if (kesco_touches_settle(&R, &All, Trap, HasClaims ? &Claims : nullptr) != 0)
        report_bad_alloc_error("kesco: regions");
    return All;
}

void RegionObjects::addAccesses(const kesco_touches &Settled) {
    std::vector<SmallVector<PartedAccess, 8>> ByObject(R.objects.count);
    for (unsigned I = 0; I < Settled.count; ++I)
        if (const unsigned Object = Settled.items[I].object; Object != KESCO_OBJECT_ANY)
            ByObject[Object].push_back({I < Touches.size() && !R.objects.items[Object].known.is_composed
                                            ? Touches[I].Bytes
                                            : Extent(),
                                        {}});
    std::vector<unsigned> FirstPart, NextAccess(R.objects.count, 0);
    for (unsigned Object = 0; Object < R.objects.count; ++Object) {
        FirstPart.push_back(R.parts.count);
        for (const std::string &Part :
             cutIntoParts(R.objects.items[Object].name, ByObject[Object], Evolution))
            R.append(R.parts, R.text(Part));
    }
    for (const kesco_touch &T : all(Settled)) {
        auto addAccess = [&](unsigned Part) {
            R.append(R.ops.items[T.op].memory.accesses,
                     kesco_op_access{T.op, Part, T.write ? KESCO_WRITE : KESCO_READ, T.also_reads});
        };
        if (T.object == KESCO_OBJECT_ANY || R.objects.items[T.object].known.is_forgotten)
            addAccess(KESCO_OBJECT_ANY);
        else
            for (unsigned Part : ByObject[T.object][NextAccess[T.object]++].Parts)
                addAccess(FirstPart[T.object] + Part);
    }
}

void RegionObjects::settle(const Function &Copy, const SampledLaunches &Sampled) {
    mergeStored(Copy);
    mergeElements();
    mergeLookedUp(Copy);
    mergeObjects();
    splitClaimed();
    splitObjects();
    splitRanges(Sampled);
    addAccesses(settleTouches());
    tellClaims();
}

} // namespace kesco
