#include "plugin/host/regions.h"

#include "plugin/host/normalise.h"
#include "plugin/host/objects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

static const DILocation *outermost(const DebugLoc &Location) {
    const DILocation *Where = Location.get();
    while (Where && Where->getInlinedAt())
        Where = Where->getInlinedAt();
    return Where;
}

unsigned lineOf(const DebugLoc &Location) {
    const DILocation *Where = outermost(Location);
    return Where ? Where->getLine() : 0;
}

namespace {

/// Describes the ops of one region.
class RegionBuilder {
  public:
    RegionBuilder(FunctionAnalysis &Function, const LaunchFlow &Flow, const Knowledge &Program,
                  const DominatorTree &Dominance)
        : Function(Function), Flow(Flow), Program(Program), Dominance(Dominance) {
    }

    /// \p Places are those of the region, ascending.
    Region build(ArrayRef<unsigned> Places) {
        Current.From = Flow.Places[Places.front()].From;
        for (unsigned Index : Places)
            addOp(Places, Index);
        mergeStored(*Flow.Places[Places.front()].Stub->getFunction());
        mergeObjects();
        settleUnknowns();
        return std::move(Current);
    }

  private:
    void addOp(ArrayRef<unsigned> Places, unsigned Index) {
        const Place &P = Flow.Places[Index];
        const LaunchSite &Site = Function.Sites[P.Site];
        Op Next;
        Next.Site = P.Site;
        Next.Line = lineOf(Site.Push->getDebugLoc());
        Next.First = P.First;
        for (unsigned Other : P.Next)
            Next.Next.push_back(lower_bound(Places, Other) - Places.begin());
        sort(Next.Next);
        if (!Current.Ops.empty()) {
            const Op &Last = Current.Ops.back();
            bool MayMove = followsFreely(LastPlace, Index) && canOvertake(Function.Sites[Last.Site], Site);
            Next.Segment = Last.Segment + !MayMove;
        }
        LastPlace = Index;
        describe(Next, *P.Stub, *Site.Stub->getCalledFunction());
        Current.Ops.push_back(std::move(Next));
    }

    /// True if control always comes from one place to the other, and from nowhere else, with no fence
    /// between.
    bool followsFreely(unsigned Earlier, unsigned Later) const {
        const Place &From = Flow.Places[Earlier], &To = Flow.Places[Later];
        return From.Next.size() == 1 && From.Next.front() == Later && From.Barriers.empty() && !To.First &&
               !From.Separate && !To.BehindFence;
    }

    /// True if the calls of \p Earlier could stand behind those of \p Later.
    bool canOvertake(const LaunchSite &Earlier, const LaunchSite &Later) const {
        return Earlier.Movable && Dominance.dominates(Earlier.End, Later.Push->getParent());
    }

    /// Fills in the kernel's name and what the launch touches. Everything that is not known ends in `doubt`.
    void describe(Op &Next, const CallBase &Stub, const llvm::Function &Original) {
        Kernel K = Program.kernel(Original);
        SmallVector<StubArgument, 8> Arguments = argumentsOf(K, Original);
        Next.Name = K.Facts ? K.Facts->Name : demangle(Original.getName());
        if (K.Facts) {
            Next.Priority = K.Facts->Priority;
            if (std::optional<int64_t> Given = givenNumber(K.Facts->PriorityParameter, Arguments, Stub))
                Next.Priority = static_cast<int>(*Given);
        }
        GivenOutputs Outputs =
            K.Facts ? givenNumber(K.Facts->OutputsParameter, Arguments, Stub) : std::nullopt;
        const LaunchFacts *Launch = launchOf(Next);
        SmallVector<PointerInMemory, 4> InMemory = Program.Summaries.pointersInMemory(Original);
        if (std::string Denied = findDeniedWrite(K, Outputs); !Denied.empty())
            Function.BadLaunches.push_back({Launch ? Launch->Location : 0, std::move(Denied)});
        for (const Effect &E : effectsOf(K, Outputs)) {
            if (E.What == Effect::Pointer)
                addPointer(Next, operandOf(E, Arguments, InMemory, Stub), pointerName(E, K, Launch), E.Write);
            else if (E.What == Effect::Variable)
                addGlobal(Next, E, Variables);
            else if (E.What == Effect::Shared)
                addGlobal(Next, E, Shared);
            else
                doubt(Next, E.Text, E.Write);
        }
    }

    const LaunchFacts *launchOf(const Op &O) const {
        const DILocation *Where = Function.Sites[O.Site].Push->getDebugLoc().get();
        const auto &Launches = Program.Facts.Launches;
        auto Found = Where ? Launches.find({Where->getLine(), Where->getColumn()}) : Launches.end();
        return Found == Launches.end() ? nullptr : &Found->second;
    }

    void addGlobal(Op &Next, const Effect &E, StringMap<unsigned> &Objects) {
        Next.Accesses.push_back({objectFor(Objects, E.Text, E.Text), E.Write});
    }

    /// The stub of a kernel that is defined elsewhere has no body to tell from; where each parameter can only
    /// be one argument, it is.
    static SmallVector<StubArgument, 8> argumentsOf(const Kernel &K, const llvm::Function &Stub) {
        SmallVector<StubArgument, 8> Arguments = argumentsOfStub(Stub);
        if (!K.IsDefined && K.Facts && K.Facts->Parameters.size() == Arguments.size())
            for (unsigned I = 0; I < Arguments.size(); ++I)
                Arguments[I] = {static_cast<int>(I), 0, Stub.hasParamAttribute(I, Attribute::ByVal)};
        return Arguments;
    }

    /// The number that the launch gives for \p Parameter, if it is a constant.
    static std::optional<int64_t> givenNumber(std::optional<unsigned> Parameter,
                                              ArrayRef<StubArgument> Arguments, const CallBase &Stub) {
        for (unsigned I = 0; Parameter && I < Arguments.size(); ++I)
            if (Arguments[I].Parameter == static_cast<int>(*Parameter))
                if (const auto *Given = dyn_cast<ConstantInt>(Stub.getArgOperand(I)))
                    return Given->getSExtValue();
        return std::nullopt;
    }

    /// A pointer where a launch holds it.
    struct Operand {
        const Value *Pointer = nullptr; ///< of the copy; null where the launch holds it in none of its own
        unsigned Argument = 0;          ///< as in PointerArgument
        std::optional<unsigned> Offset; ///< as in PointerArgument
    };

    static Operand operandOf(const Effect &E, ArrayRef<StubArgument> Arguments,
                             ArrayRef<PointerInMemory> InMemory, const CallBase &Stub) {
        for (unsigned I = 0; I < Arguments.size(); ++I)
            if (Arguments[I].Parameter == static_cast<int>(E.Parameter) && !Arguments[I].IsAddress &&
                Arguments[I].Offset == E.Offset && Stub.getArgOperand(I)->getType()->isPointerTy())
                return {Stub.getArgOperand(I), I, std::nullopt};
        unsigned Behind = Arguments.size();
        for (const PointerInMemory &P : InMemory) {
            if (P.Parameter == E.Parameter && P.Offset == E.Offset)
                return {Stub.getArgOperand(Behind), P.Argument, P.Offset};
            ++Behind;
        }
        return {};
    }

    /// What people call the pointer that \p E goes through.
    static std::string pointerName(const Effect &E, const Kernel &K, const LaunchFacts *Launch) {
        std::string Given =
            Launch && E.Parameter < Launch->Arguments.size() ? Launch->Arguments[E.Parameter] : "";
        if (!K.Facts || E.Parameter >= K.Facts->Parameters.size())
            return Given;
        const KernelParameter &P = K.Facts->Parameters[E.Parameter];
        auto Member = P.Members.find(E.Offset);
        if (Member == P.Members.end())
            return Given.empty() ? P.Name : Given;
        return Given.empty() ? Member->second : Given + "." + Member->second;
    }

    void addPointer(Op &Next, const Operand &Held, StringRef Name, bool Write) {
        if (!Held.Pointer) {
            doubt(Next,
                  "the allocation behind argument '" + Name +
                      "' is unknown; pass the pointer as a parameter of its own",
                  Write);
            return;
        }
        const DILocation *Launch = Function.Sites[Next.Site].Push->getDebugLoc().get();
        bool InHelper = Launch && Launch->getInlinedAt();
        Objects Found = findObjects(Held.Pointer);
        SmallVector<unsigned, 2> Indices;
        for (const CallBase *Allocation : Found.Allocations)
            Indices.push_back(
                objectFor(Allocations, Allocation, allocationName(*Allocation, Name, InHelper)));
        for (const Value *Origin : Found.Origins)
            Indices.push_back(objectFor(Unknowns, Origin, Name));
        for (unsigned Object : Indices) {
            Next.Accesses.push_back({Object, Write});
            Next.Pointers.push_back({Held.Argument, Held.Offset, Object});
        }
        /* Into which of them it leads, only the run will tell, but not whether it is this one or that. */
        if (!Found.Origins.empty())
            for (unsigned Object : Indices)
                Merged.unionSets(Indices.front(), Object);
    }

    /// What the program calls the memory where it allocates it; else what the launch calls it.
    StringRef allocationName(const CallBase &Allocation, StringRef ArgumentName, bool InHelper) const {
        StringRef Name = nameAt(outermost(Allocation.getDebugLoc()));
        /* In a helper's launch, the argument has the helper's name for it: then so may the memory. */
        if (Name.empty() && InHelper)
            for (const DILocation *Where = Allocation.getDebugLoc().get(); Where;
                 Where = Where->getInlinedAt())
                if (StringRef Inner = nameAt(Where); !Inner.empty())
                    Name = Inner;
        return Name.empty() ? ArgumentName : Name;
    }

    StringRef nameAt(const DILocation *Where) const {
        const auto &Allocated = Program.Facts.Allocations;
        auto Found = Where ? Allocated.find({Where->getLine(), Where->getColumn()}) : Allocated.end();
        return Found == Allocated.end() ? StringRef() : StringRef(Found->second);
    }

    static void doubt(Op &Next, const Twine &Why, bool Write = true) {
        Next.Accesses.push_back({AnyObject, Write});
        if (Next.Doubt.empty())
            Next.Doubt = Why.str();
    }

    /// The number of \p Object in the current region.
    template <typename Map, typename Key>
    unsigned objectFor(Map &Known, const Key &Object, StringRef Name) {
        auto [Entry, IsNew] = Known.try_emplace(Object, Current.Objects.size());
        if (IsNew)
            Current.Objects.push_back(Name.empty() ? "object" : Name.str());
        return Entry->second;
    }

    /// \p Name, or what none of \p Others is called.
    static std::string uniqueName(ArrayRef<std::string> Others, const std::string &Name) {
        std::string Unique = Name;
        for (unsigned I = 2; is_contained(Others, Unique); ++I)
            Unique = Name + "#" + std::to_string(I);
        return Unique;
    }

    /// The object of \p Key where an op of the region touches it.
    template <typename Map, typename Key>
    static std::optional<unsigned> known(const Map &Known, const Key &K) {
        auto Found = Known.find(K);
        return Found == Known.end() ? std::nullopt : std::optional<unsigned>(Found->second);
    }

    /// Where a pointer of one place is stored to another, as in a swap, the two take turns: told apart at run
    /// time, they would be found to share memory at once.
    void mergeStored(const llvm::Function &Copy) {
        for (const Instruction &I : instructions(Copy)) {
            const auto *Store = dyn_cast<StoreInst>(&I);
            if (!Store || !Store->getValueOperand()->getType()->isPointerTy())
                continue;
            std::optional<unsigned> To = known(Unknowns, Store->getPointerOperand());
            if (!To)
                continue;
            Objects Stored = findObjects(Store->getValueOperand());
            for (const CallBase *Allocation : Stored.Allocations)
                if (std::optional<unsigned> From = known(Allocations, Allocation))
                    Merged.unionSets(*To, *From);
            for (const Value *Origin : Stored.Origins)
                if (std::optional<unsigned> From = known(Unknowns, Origin))
                    Merged.unionSets(*To, *From);
        }
    }

    /// Objects that a pointer may lead into, and that nothing tells apart, become one.
    void mergeObjects() {
        std::vector<unsigned> Number(Current.Objects.size());
        std::vector<SmallSetVector<StringRef, 2>> Names;
        DenseMap<unsigned, unsigned> Leaders;
        for (unsigned Object = 0; Object < Number.size(); ++Object) {
            auto [Entry, IsNew] = Leaders.try_emplace(Merged.getOrInsertLeaderValue(Object), Names.size());
            Number[Object] = Entry->second;
            if (IsNew)
                Names.emplace_back();
            Names[Entry->second].insert(Current.Objects[Object]);
        }
        std::vector<std::string> Unique;
        Unique.reserve(Names.size());
        for (const SmallSetVector<StringRef, 2> &All : Names)
            Unique.push_back(uniqueName(Unique, join(All.begin(), All.end(), "|")));
        Current.Objects = std::move(Unique);
        for (Op &O : Current.Ops) {
            for (Access &A : O.Accesses)
                if (A.Object != AnyObject)
                    A.Object = Number[A.Object];
            for (PointerArgument &P : O.Pointers)
                P.Object = Number[P.Object];
            sort(O.Pointers, [](const auto &A, const auto &B) { return A.key() < B.key(); });
            O.Pointers.erase(
                unique(O.Pointers, [](const auto &A, const auto &B) { return A.key() == B.key(); }),
                O.Pointers.end());
        }
        for (const auto &Entry : Unknowns)
            if (!isRestricted(*Entry.first))
                Unknown.insert(Number[Entry.second]);
        for (const auto &Entry : Variables)
            VariableObjects.insert(Number[Entry.second]);
        for (const auto &Entry : Shared)
            Unguarded.insert(Number[Entry.second]);
    }

    /// Unknown pointers are guarded against all others. Against a device variable that a kernel names there
    /// is no guard: where the two would conflict, the pointer may lead to any memory.
    void settleUnknowns() {
        SmallVector<bool, 16> Written(Current.Objects.size(), false);
        for (const Op &O : Current.Ops)
            for (const Access &A : O.Accesses)
                if (A.Object != AnyObject)
                    Written[A.Object] = Written[A.Object] || A.Write;
        bool VariableWritten = any_of(VariableObjects, [&](unsigned Object) { return Written[Object]; });
        if (!VariableObjects.empty())
            forgetUnknowns([&](unsigned Object) { return VariableWritten || Written[Object]; });
        if (!Unknown.empty())
            addGuards(Written);
    }

    void forgetUnknowns(function_ref<bool(unsigned)> Conflicts) {
        SmallSet<unsigned, 8> Forgotten;
        for (unsigned Object : Unknown)
            if (Conflicts(Object))
                Forgotten.insert(Object);
        Unguarded.insert_range(Forgotten);
        for (Op &O : Current.Ops) {
            for (Access &A : O.Accesses) {
                if (!Forgotten.contains(A.Object))
                    continue;
                if (O.Doubt.empty())
                    O.Doubt = "the allocation behind argument '" + Current.Objects[A.Object] +
                              "' is unknown, and may be a device variable that a kernel uses here; allocate "
                              "it in this function";
                A.Object = AnyObject;
            }
            erase_if(O.Pointers, [&](const PointerArgument &P) { return Forgotten.contains(P.Object); });
        }
        Unknown.remove_if([&](unsigned Object) { return Forgotten.contains(Object); });
    }

    void addGuards(ArrayRef<bool> Written) {
        /* The guard speaks when an op is launched, so none may overtake another. */
        for (unsigned I = 0; I < Current.Ops.size(); ++I)
            Current.Ops[I].Segment = I;
        auto NeedsGuard = [&](unsigned A, unsigned B) {
            return (Unknown.contains(A) || Unknown.contains(B)) && (Written[A] || Written[B]) &&
                   !Unguarded.contains(A) && !Unguarded.contains(B);
        };
        for (unsigned A = 0; A < Current.Objects.size(); ++A)
            for (unsigned B = A + 1; B < Current.Objects.size(); ++B)
                if (NeedsGuard(A, B))
                    Current.Guards.emplace_back(Unknown.contains(A) ? A : B, Unknown.contains(A) ? B : A);
    }

    FunctionAnalysis &Function;
    const LaunchFlow &Flow;
    const Knowledge &Program;
    const DominatorTree &Dominance; ///< of the original
    Region Current;
    unsigned LastPlace = 0;                           ///< of the last op
    DenseMap<const CallBase *, unsigned> Allocations; ///< objects by the call that allocates
    MapVector<const Value *, unsigned> Unknowns;      ///< objects by origin
    StringMap<unsigned> Variables;                    ///< objects by the name of the device variable
    StringMap<unsigned> Shared;                       ///< objects that no pointer leads to, by name
    EquivalenceClasses<unsigned> Merged;              ///< objects that count as one
    SmallSetVector<unsigned, 8> Unknown;              ///< objects that are told apart at run time
    SmallSet<unsigned, 8> VariableObjects;            ///< of Variables, once objects are merged
    SmallSet<unsigned, 8> Unguarded;                  ///< objects that guards have nothing to do with
};

/// The places of each region: those that control joins with no barrier between, ascending, by first place.
std::vector<std::vector<unsigned>> findComponents(const LaunchFlow &Flow) {
    EquivalenceClasses<unsigned> Classes;
    for (unsigned Index = 0; Index < Flow.Places.size(); ++Index) {
        Classes.insert(Index);
        for (unsigned Next : Flow.Places[Index].Next)
            Classes.unionSets(Index, Next);
    }
    std::vector<std::vector<unsigned>> Components;
    DenseMap<unsigned, unsigned> Known;
    for (unsigned Index = 0; Index < Flow.Places.size(); ++Index) {
        auto [Entry, IsNew] = Known.try_emplace(Classes.getLeaderValue(Index), Components.size());
        if (IsNew)
            Components.emplace_back();
        Components[Entry->second].push_back(Index);
    }
    return Components;
}

/// Notes in \p R what may come behind the ops at \p Places. False where a barrier of the copy cannot be found
/// again in the original.
bool addBarriers(Region &R, const LaunchFlow &Flow, ArrayRef<unsigned> Places, const Function &F,
                 const NormalisedModule &Copy) {
    for (unsigned Index : Places)
        for (const Instruction *Barrier : Flow.Places[Index].Barriers) {
            Instruction *Original = Copy.originalOf(F, *Barrier);
            if (!Original)
                return false;
            R.Barriers.insert(Original);
        }
    return true;
}

} // namespace

Kernel Knowledge::kernel(const Function &Stub) const {
    auto Found = Facts.Kernels.find(Stub.getName());
    return {Found == Facts.Kernels.end() ? nullptr : &Found->second, Summaries.find(Stub),
            !Stub.isDeclaration(), Summaries.isMissing(Stub)};
}

FunctionAnalysis analyseFunction(Function &F, ArrayRef<LaunchSite> Sites, NormalisedModule &Copy,
                                 const Knowledge &Program) {
    FunctionAnalysis Result;
    Result.F = Result.Named = &F;
    Result.PerThreadDefault = Program.PerThreadDefault;
    Result.Sites.assign(Sites.begin(), Sites.end());
    LaunchFlow Flow = findLaunchFlow(*Copy.copyOf(F), Sites.size(), Program.PerThreadDefault);
    DominatorTree Dominance(F);
    for (const std::vector<unsigned> &Places : findComponents(Flow)) {
        Region R = RegionBuilder(Result, Flow, Program, Dominance).build(Places);
        if (!addBarriers(R, Flow, Places, F, Copy)) {
            Result.Regions.clear();
            Result.Barriers = {{R.Ops.front().Line, "control flow that cannot be followed",
                                Result.Sites[R.Ops.front().Site].Push->getDebugLoc()}};
            return Result;
        }
        Result.Regions.push_back(std::move(R));
    }
    for (const FlowBarrier &B : Flow.Barriers) {
        const DebugLoc &Where = Copy.originalOf(F, *B.Where)->getDebugLoc();
        Result.Barriers.push_back({lineOf(Where), B.Why, Where});
    }
    return Result;
}

} // namespace kesco
