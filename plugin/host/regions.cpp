#include "plugin/host/regions.h"

#include "plugin/host/normalise.h"
#include "plugin/host/objects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
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
    RegionBuilder(const FunctionAnalysis &Function, const LaunchFlow &Flow, const SourceFacts &Facts,
                  const DominatorTree &Dominance)
        : Function(Function), Flow(Flow), Facts(Facts), Dominance(Dominance) {
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
    void describe(Op &Next, const CallBase &Stub, const Function &Original) {
        auto Found = Facts.Kernels.find(Original.getName());
        if (Found == Facts.Kernels.end()) {
            Next.Name = demangle(Original.getName());
            doubt(Next, "what the kernel touches is unknown: its declaration was not seen");
            return;
        }
        const KernelFacts &Kernel = Found->second;
        Next.Name = Kernel.Name;
        Next.Priority = Kernel.Priority;
        SmallVector<const Use *, 8> Values = operandsByParameter(Kernel, Stub, Original);
        std::optional<SmallVector<unsigned, 4>> Written = writtenParameters(Next, Kernel, Values);
        if (!Written)
            return;
        if (!Kernel.Hidden.empty())
            doubt(Next, Kernel.Hidden);
        for (const std::string &Global : Kernel.Globals)
            Next.Accesses.push_back({objectFor(Globals, Global, Global), true});
        const DILocation *Where = Function.Sites[Next.Site].Push->getDebugLoc().get();
        auto Names =
            Where ? Facts.Launches.find({Where->getLine(), Where->getColumn()}) : Facts.Launches.end();
        for (unsigned I = 0; I < Kernel.Parameters.size(); ++I) {
            const KernelParameter &P = Kernel.Parameters[I];
            StringRef Name = P.Name;
            if (Names != Facts.Launches.end() && I < Names->second.size() && !Names->second[I].empty())
                Name = Names->second[I];
            if (P.What == KernelParameter::Opaque)
                doubt(Next,
                      "parameter '" + P.Name + "' may lead to memory that the annotation does not name");
            else if (P.What == KernelParameter::Pointer)
                addPointer(Next, Stub, Values[I], Name, is_contained(*Written, I));
        }
    }

    /// \p Operand is the stub call's operand, or null where the pointer is in none of its own.
    void addPointer(Op &Next, const CallBase &Stub, const Use *Operand, StringRef Name, bool Write) {
        if (!Operand) {
            doubt(Next, "the allocation behind argument '" + Name + "' is unknown", Write);
            return;
        }
        const DILocation *Launch = Function.Sites[Next.Site].Push->getDebugLoc().get();
        bool InHelper = Launch && Launch->getInlinedAt();
        Objects Found = findObjects(Operand->get());
        SmallVector<unsigned, 2> Indices;
        for (const CallBase *Allocation : Found.Allocations)
            Indices.push_back(
                objectFor(Allocations, Allocation, allocationName(*Allocation, Name, InHelper)));
        for (const Value *Origin : Found.Origins)
            Indices.push_back(objectFor(Unknowns, Origin, Name));
        for (unsigned Object : Indices) {
            Next.Accesses.push_back({Object, Write});
            Next.Pointers.push_back({Stub.getArgOperandNo(Operand), Object});
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
        auto Found =
            Where ? Facts.Allocations.find({Where->getLine(), Where->getColumn()}) : Facts.Allocations.end();
        return Found == Facts.Allocations.end() ? StringRef() : StringRef(Found->second);
    }

    static void doubt(Op &Next, const Twine &Why, bool Write = true) {
        Next.Accesses.push_back({AnyObject, Write});
        if (Next.Doubt.empty())
            Next.Doubt = Why.str();
    }

    /// The one operand of each parameter; null where there is none or more than one.
    static SmallVector<const Use *, 8> operandsByParameter(const KernelFacts &Kernel, const CallBase &Stub,
                                                           const Function &Original) {
        SmallVector<const Use *, 8> Values(Kernel.Parameters.size(), nullptr);
        SmallVector<bool, 8> Split(Kernel.Parameters.size(), false);
        SmallVector<int, 8> Parameters = parametersOfStub(Original);
        bool OneToOne = Original.isDeclaration() && Stub.arg_size() == Values.size();
        for (unsigned I = 0; I < Stub.arg_size(); ++I) {
            int P = OneToOne ? static_cast<int>(I) : Parameters[I];
            if (P < 0 || P >= static_cast<int>(Values.size()))
                continue;
            Split[P] = Values[P] != nullptr || Split[P];
            Values[P] = Split[P] ? nullptr : &Stub.getArgOperandUse(I);
        }
        return Values;
    }

    static const ConstantInt *constantOf(const Use *Operand) {
        return Operand ? dyn_cast<ConstantInt>(Operand->get()) : nullptr;
    }

    /// The parameters that the launch writes; nothing, with a doubt noted, where no annotation says so.
    static std::optional<SmallVector<unsigned, 4>> writtenParameters(Op &Next, const KernelFacts &Kernel,
                                                                     ArrayRef<const Use *> Values) {
        if (Kernel.PriorityParameter)
            if (const auto *Given = constantOf(Values[*Kernel.PriorityParameter]))
                Next.Priority = static_cast<int>(Given->getSExtValue());
        if (Kernel.Outputs)
            return Kernel.Outputs;
        if (!Kernel.OutputsParameter) {
            doubt(Next, "what the kernel writes is unknown: it has no annotation (kesco_outputs)");
            return std::nullopt;
        }
        const auto *Count = constantOf(Values[*Kernel.OutputsParameter]);
        if (!Count || Count->isNegative()) {
            doubt(Next, "what the kernel writes is unknown: the argument for 'outputs' is no constant");
            return std::nullopt;
        }
        auto Written = firstPointerParameters(Kernel, static_cast<unsigned>(Count->getZExtValue()));
        if (!Written)
            doubt(Next, "'outputs' is larger than the number of pointer parameters");
        return Written;
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
        for (const SmallSetVector<StringRef, 2> &All : Names)
            Unique.push_back(uniqueName(Unique, join(All.begin(), All.end(), "|")));
        Current.Objects = std::move(Unique);
        for (Op &O : Current.Ops) {
            for (Access &A : O.Accesses)
                if (A.Object != AnyObject)
                    A.Object = Number[A.Object];
            for (PointerArgument &P : O.Pointers)
                P.Object = Number[P.Object];
            sort(O.Pointers, [](const PointerArgument &A, const PointerArgument &B) {
                return std::tie(A.Argument, A.Object) < std::tie(B.Argument, B.Object);
            });
            O.Pointers.erase(unique(O.Pointers), O.Pointers.end());
        }
        for (const auto &Entry : Unknowns)
            if (!isRestricted(*Entry.first))
                Unknown.insert(Number[Entry.second]);
    }

    /// Unknown pointers are guarded against all others. Against a device variable that a kernel names there
    /// is no guard, so beside one they may be any memory.
    void settleUnknowns() {
        if (!Globals.empty())
            forgetUnknowns();
        else if (!Unknown.empty())
            addGuards();
    }

    void forgetUnknowns() {
        for (Op &O : Current.Ops) {
            for (Access &A : O.Accesses)
                if (Unknown.contains(A.Object)) {
                    if (O.Doubt.empty())
                        O.Doubt =
                            "the allocation behind argument '" + Current.Objects[A.Object] + "' is unknown";
                    A.Object = AnyObject;
                }
            O.Pointers.clear();
        }
    }

    void addGuards() {
        SmallVector<bool, 16> Written(Current.Objects.size(), false);
        for (unsigned I = 0; I < Current.Ops.size(); ++I) {
            /* The guard speaks when an op is launched, so none may overtake another. */
            Current.Ops[I].Segment = I;
            for (const Access &A : Current.Ops[I].Accesses)
                if (A.Object != AnyObject)
                    Written[A.Object] |= A.Write;
        }
        for (unsigned A = 0; A < Current.Objects.size(); ++A)
            for (unsigned B = A + 1; B < Current.Objects.size(); ++B)
                if ((Unknown.contains(A) || Unknown.contains(B)) && (Written[A] || Written[B]))
                    Current.Guards.emplace_back(Unknown.contains(A) ? A : B, Unknown.contains(A) ? B : A);
    }

    const FunctionAnalysis &Function;
    const LaunchFlow &Flow;
    const SourceFacts &Facts;
    const DominatorTree &Dominance; ///< of the original
    Region Current;
    unsigned LastPlace = 0;                           ///< of the last op
    DenseMap<const CallBase *, unsigned> Allocations; ///< objects by the call that allocates
    MapVector<const Value *, unsigned> Unknowns;      ///< objects by origin
    StringMap<unsigned> Globals;                      ///< objects by the name of the device variable
    EquivalenceClasses<unsigned> Merged;              ///< objects that count as one
    SmallSetVector<unsigned, 8> Unknown;              ///< objects that are told apart at run time
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

FunctionAnalysis analyseFunction(Function &F, ArrayRef<LaunchSite> Sites, NormalisedModule &Copy,
                                 const SourceFacts &Facts, bool PerThreadDefault) {
    FunctionAnalysis Result;
    Result.F = Result.Named = &F;
    Result.PerThreadDefault = PerThreadDefault;
    Result.Sites.assign(Sites.begin(), Sites.end());
    LaunchFlow Flow = findLaunchFlow(*Copy.copyOf(F), Sites.size(), PerThreadDefault);
    DominatorTree Dominance(F);
    for (const std::vector<unsigned> &Places : findComponents(Flow)) {
        Region R = RegionBuilder(Result, Flow, Facts, Dominance).build(Places);
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
