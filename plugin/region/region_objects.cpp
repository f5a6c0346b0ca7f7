#include "plugin/region/region_objects.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/region/access_path.h"
#include "plugin/region/parts.h"
#include "plugin/region/source_names.h"

#include "llvm/ADT/Sequence.h"
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
    return numberIn(Allocations, &Allocation, [&] {
        return add(Name, memoryOf(Allocation), placeInFunction(Allocation.getDebugLoc().get()));
    });
}

unsigned RegionObjects::hostMemory(const Value &Memory, StringRef Name, StringRef Place) {
    return numberIn(HostMemory, &Memory,
                    [&] { return add(Name, PageableMemory | PinnedMemory, Place.str()); });
}

unsigned RegionObjects::origin(const Value &Origin, bool IsLoaded, StringRef Name, unsigned Where,
                               StringRef Place) {
    if (IsLoaded)
        Loaded.insert(&Origin);
    unsigned Object = numberIn(Unknowns, &Origin, [&] { return add(Name, Where, Place.str()); });
    R.objects.items[Object].where |= Where;
    return Object;
}

unsigned RegionObjects::variable(StringRef Name) {
    return numberIn(Variables, Name, [&] { return add(Name, DeviceMemory); });
}

unsigned RegionObjects::constant(StringRef Name) {
    Constants.insert(Name);
    return variable(Name);
}

unsigned RegionObjects::shared(StringRef Name) {
    return numberIn(Shared, Name, [&] { return add(Name, 0); });
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
        std::optional<unsigned> To = known(Unknowns, Store->getPointerOperand());
        if (!To)
            continue;
        Objects Stored = findObjects(Store->getValueOperand(), /*IsHost=*/false);
        for (const CallBase *Allocation : Stored.Allocations)
            if (std::optional<unsigned> From = known(Allocations, Allocation))
                merge(*To, *From);
        for (const Value *Origin : Stored.Origins)
            if (std::optional<unsigned> From = known(Unknowns, Origin))
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
    for (auto A = Unknowns.begin(); A != Unknowns.end(); ++A)
        for (auto B = std::next(A); B != Unknowns.end(); ++B)
            if (Loaded.contains(A->first) && Loaded.contains(B->first) &&
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
    for (const auto &[Origin, Object] : Unknowns) {
        if (Loaded.contains(Origin))
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
    for (unsigned I = 0; I < Full.size(); ++I)
        addObject(uniqueName(R.objects, Full[I]), Where[I]);
    for (Touch &T : Touches)
        if (T.Object != Anything)
            T.Object = Number[T.Object];
    for (Op &O : all(R.ops)) {
        for (kesco_pointer &P : all(O.memory.pointers))
            P.object = Number[P.object];
        sortOnce(O.memory.pointers);
    }
    /* What is promised of a place says nothing of where the pointers in it lead. */
    for (const auto &Entry : Unknowns)
        if (!isRestricted(*Entry.first) || Loaded.contains(Entry.first))
            Unknown.insert(Number[Entry.second]);
    for (const auto &Entry : Variables)
        (Constants.contains(Entry.first()) ? ConstantObjects : VariableObjects).insert(Number[Entry.second]);
    for (const auto &Entry : Shared)
        Unguarded.insert(Number[Entry.second]);
    if (std::optional<unsigned> Object = known(Shared, MayTrap))
        Trap = Number[*Object];
}

/// True if the two are the same, or become the same in passes of two loops.
static bool isSameWay(const SCEV *A, const SCEV *B, ScalarEvolution &Evolution) {
    const auto *X = dyn_cast_or_null<SCEVAddRecExpr>(A), *Y = dyn_cast_or_null<SCEVAddRecExpr>(B);
    return A == B || (X && Y && X->getStart() == Y->getStart() &&
                      X->getStepRecurrence(Evolution) == Y->getStepRecurrence(Evolution));
}

/// Where pointers lead in \p Object behind which kernels touch what only the run will tell; none where that
/// is one place, or places so near to each other that what is touched behind one hardly ends before the next.
SmallVector<const SCEV *, 8> RegionObjects::findStarts(unsigned Object) const {
    constexpr unsigned MostParts = 32;
    constexpr uint64_t Near = 256; /* bytes: neighbours, members */
    SmallVector<const SCEV *, 8> Starts;
    if (Composed.contains(Object) || Unguarded.contains(Object) || VariableObjects.contains(Object) ||
        ConstantObjects.contains(Object) || Whole.contains(Object))
        return {};
    for (const Touch &T : Touches) {
        auto IsSame = [&](const SCEV *Other) { return isSameWay(T.From, Other, Evolution); };
        if (T.Object != Object || T.IsTransfer || !T.From || T.Bytes.Begin || any_of(Starts, IsSame))
            continue;
        auto IsNear = [&](const SCEV *Other) {
            const auto *Apart = dyn_cast<SCEVConstant>(Evolution.getMinusSCEV(T.From, Other));
            return Apart && Apart->getAPInt().abs().ult(Near);
        };
        if (any_of(Starts, IsNear) || Starts.size() == MostParts)
            return {};
        Starts.push_back(T.From);
    }
    return Starts;
}

/// True if \p T touches what is behind one of \p Starts: kernels that say how far, and transfers of as much
/// as lies between two of them.
bool RegionObjects::isOnePart(const Touch &T, ArrayRef<const SCEV *> Starts) const {
    if (none_of(Starts, [&](const SCEV *Start) { return isSameWay(T.From, Start, Evolution); }))
        return false;
    return !T.IsTransfer || any_of(Starts, [&](const SCEV *From) {
        return any_of(Starts, [&](const SCEV *To) {
            return From != To && Evolution.getMinusSCEV(To, From) == T.Bytes.Size;
        });
    });
}

/// What lies behind different places in one object becomes one object each, told apart at run time. What
/// touches more touches all of them.
void RegionObjects::splitObjects() {
    for (unsigned Object = 0, Count = R.objects.count; Object < Count; ++Object) {
        SmallVector<const SCEV *, 8> Starts = findStarts(Object);
        bool IsWritten = any_of(Touches, [&](const Touch &T) { return T.Object == Object && T.Write; });
        if (IsWritten && Starts.size() > 1)
            split(Object, Starts);
    }
}

void RegionObjects::addPart(unsigned Object, unsigned Number) {
    kesco_object Part = R.objects.items[Object];
    Part.name = R.text((Part.name + Twine("[part ") + Twine(Number) + "]").str());
    R.append(R.objects, Part);
}

void RegionObjects::split(unsigned Object, ArrayRef<const SCEV *> Starts) {
    unsigned First = R.objects.count;
    auto PartOf = [&](const SCEV *From) {
        auto IsSame = [&](const SCEV *Start) { return isSameWay(From, Start, Evolution); };
        return First + (find_if(Starts, IsSame) - Starts.begin());
    };
    for (unsigned I = 0; I < Starts.size(); ++I) {
        addPart(Object, I);
        Whole[First + I] = Object;
        if (Unknown.contains(Object))
            Unknown.insert(First + I);
    }
    Whole[Object] = Object;
    for (unsigned I = 0, Count = Touches.size(); I < Count; ++I) {
        Touch T = Touches[I];
        if (T.Object != Object)
            continue;
        if (!isOnePart(T, Starts)) {
            for (unsigned Part = First; Part < First + Starts.size(); ++Part)
                Touches.push_back({T.Op, Part, T.Write, T.IsTransfer, {}, nullptr, T.AlsoReads});
            continue;
        }
        Touches[I].Object = PartOf(T.From);
        for (kesco_pointer &P : all(R.ops.items[T.Op].memory.pointers))
            if (P.object == Object && R.Sources[P.source].From == T.From)
                P.object = PartOf(T.From);
    }
}

void RegionObjects::findWritten() {
    for (const Touch &T : Touches)
        if (T.Object != Anything)
            R.objects.items[T.Object].written |= T.Write;
}

void RegionObjects::addGuards() {
    const bool HasClaims = any_of(Touches, [](const Touch &T) { return !T.Claims.empty(); });
    auto NeedsGuard = [&](unsigned A, unsigned B) {
        bool AreOfOne = Whole.contains(A) && Whole.contains(B) && Whole.lookup(A) == Whole.lookup(B);
        if (AreOfOne && (Whole.lookup(A) == A || Whole.lookup(B) == B))
            return false; /* the plan has it */
        return (Unknown.contains(A) || Unknown.contains(B) || AreOfOne) &&
               (R.objects.items[A].written || R.objects.items[B].written) &&
               (R.objects.items[A].where & R.objects.items[B].where) != 0 && !Unguarded.contains(A) &&
               !Unguarded.contains(B);
    };
    for (unsigned A = 0; A < R.objects.count; ++A)
        for (unsigned B = A + 1; B < R.objects.count; ++B)
            if (NeedsGuard(A, B) && !(HasClaims && areDistinct(A, B)))
                R.append(R.guards.checked, Unknown.contains(A) ? kesco_pair{A, B} : kesco_pair{B, A});
}

/// Which objects may have bytes that ops conflict on.
void RegionObjects::findMeetings() {
    for (const auto *Pairs : {&R.guards.checked, &R.guards.not_compared})
        for (const auto &[A, B] : all(*Pairs))
            R.objects.items[A].may_meet = R.objects.items[B].may_meet = true;
    for (unsigned Object = 0; Object < R.objects.count; ++Object)
        R.objects.items[Object].may_meet |= R.objects.items[Object].written || Whole.contains(Object);
}

RegionObjects::Sight RegionObjects::sightOf(unsigned Object) const {
    const kesco_object &Seen = R.objects.items[Object];
    if (Seen.where == 0)
        return Seen.name == PrintBuffer ? Visible : Hidden;
    if (Seen.where == DeviceMemory && !Forgotten.contains(Object))
        return Hidden;
    return Unknown.contains(Object) && (Seen.where & DeviceMemory) ? Unsettled : Visible;
}

/// Notes what the host may see of each op.
void RegionObjects::findVisible() {
    for (Op &O : all(R.ops))
        if (O.memory.doubt != nullptr)
            O.host.seen = "memory that nobody names";
    for (const Touch &T : Touches) {
        Op &O = R.ops.items[T.Op];
        if (T.Object == Anything)
            continue;
        Sight Seen = sightOf(T.Object);
        if (Seen == Visible && !is_contained(all(O.host.visible), T.Object))
            R.append(O.host.visible, T.Object);
        if (O.host.seen != nullptr)
            continue;
        if (Seen == Visible)
            O.host.seen = R.text(("'" + Twine(R.objects.items[T.Object].name) + "'").str());
        else if (Seen == Unsettled && !is_contained(all(O.host.unsettled), T.Object))
            R.append(O.host.unsettled, T.Object);
    }
}

/// True if what two ops touch orders them, one of which is a kernel, which touches all of what it touches.
static bool conflict(ArrayRef<RegionObjects::Touch> Kernel, ArrayRef<RegionObjects::Touch> Other) {
    return any_of(Kernel, [&](const RegionObjects::Touch &A) {
        return any_of(Other, [&](const RegionObjects::Touch &B) {
            bool Meet = A.Object == B.Object || A.Object == RegionObjects::Anything ||
                        B.Object == RegionObjects::Anything;
            return Meet && (A.Write || B.Write);
        });
    });
}

/// Kernels that may trap keep their order to whatever lets the host wait, which then has to say so, and to
/// whatever writes where the host can see it: that is there, or is not, once the device is dead.
void RegionObjects::orderTraps() {
    if (!Trap)
        return;
    std::vector<SmallVector<Touch, 8>> ByOp(R.ops.count);
    for (const Touch &T : Touches)
        ByOp[T.Op].push_back(T);
    auto IsOrderedAnyway = [&](unsigned Op) {
        return all_of(seq<unsigned>(R.ops.count), [&](unsigned Other) {
            return !R.ops.items[Other].may_trap || conflict(ByOp[Other], ByOp[Op]);
        });
    };
    for (unsigned Op = 0; Op < R.ops.count; ++Op) {
        const kesco::Op &O = R.ops.items[Op];
        if (O.may_trap)
            continue;
        SmallVector<unsigned, 4> Visibly, Perhaps; /* objects that it writes */
        for (const Touch &T : ByOp[Op])
            if (T.Write && T.Object != Anything && sightOf(T.Object) != Hidden)
                (sightOf(T.Object) == Visible ? Visibly : Perhaps).push_back(T.Object);
        bool Waits =
            O.host.wait != KESCO_HOST_WAIT_NONE || (O.host.waits_elsewhere && O.host.seen != nullptr);
        if (Waits || !Visibly.empty())
            touch({Op, *Trap, /*Write=*/false, /*IsTransfer=*/false, {}, nullptr});
        else if (!Perhaps.empty() && !IsOrderedAnyway(Op))
            for (unsigned Object : Perhaps)
                R.objects.items[Object].must_be_plain = true;
    }
}

/// True if pointers lead to all of \p Object that ops touch.
bool RegionObjects::isWhollyTold(unsigned Object) const {
    return Object != Anything && !Forgotten.contains(Object) && !Unguarded.contains(Object) &&
           !VariableObjects.contains(Object) && !ConstantObjects.contains(Object);
}

/// The same, or nobody writes it.
bool RegionObjects::isTold(unsigned Object) const {
    return isWhollyTold(Object) ||
           (Object != Anything && !Forgotten.contains(Object) && !R.objects.items[Object].written);
}

void RegionObjects::addAccesses() {
    std::vector<SmallVector<PartedAccess, 8>> ByObject(R.objects.count);
    for (const Touch &T : Touches)
        if (T.Object != Anything)
            ByObject[T.Object].push_back({Composed.contains(T.Object) ? Extent() : T.Bytes, {}});
    std::vector<unsigned> FirstPart, NextAccess(R.objects.count, 0);
    for (unsigned Object = 0; Object < R.objects.count; ++Object) {
        FirstPart.push_back(R.parts.count);
        for (const std::string &Part :
             cutIntoParts(R.objects.items[Object].name, ByObject[Object], Evolution))
            R.append(R.parts, R.text(Part));
    }
    for (const Touch &T : Touches) {
        kesco_op_memory &Memory = R.ops.items[T.Op].memory;
        auto addAccess = [&](unsigned Part) {
            R.append(Memory.accesses,
                     kesco_op_access{T.Op, Part, T.Write ? KESCO_WRITE : KESCO_READ, T.AlsoReads});
        };
        Memory.is_told &= isTold(T.Object);
        Memory.is_wholly_told &= isWhollyTold(T.Object);
        if (T.Object == Anything || Forgotten.contains(T.Object))
            addAccess(KESCO_OBJECT_ANY);
        else
            for (unsigned Part : ByObject[T.Object][NextAccess[T.Object]++].Parts)
                addAccess(FirstPart[T.Object] + Part);
    }
}

void RegionObjects::settle(const Function &Copy) {
    mergeStored(Copy);
    mergeElements();
    mergeLookedUp(Copy);
    mergeObjects();
    splitClaimed();
    splitObjects();
    findWritten();
    settleUnknowns();
    findMeetings();
    findVisible();
    orderTraps();
    addAccesses();
    tellClaims();
}

} // namespace kesco
