#include "plugin/host/regions.h"

#include "plugin/host/glue.h"
#include "plugin/host/normalise.h"
#include "plugin/host/objects.h"

#include "llvm/ADT/DenseMap.h"
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

/// Collects the regions of one function, each a line of blocks or part of one.
class RegionFinder {
  public:
    RegionFinder(FunctionAnalysis &Result, const Function &Copy, const SourceFacts &Facts)
        : Result(Result), Facts(Facts), Copy(Copy), Dominance(*Result.F), Lines(Copy) {
    }

    void run() {
        for (const BasicBlock &Block : Copy)
            if (!Visited.contains(&Block))
                visitLine(Block);
        close();
    }

  private:
    /// Visits \p Block and all blocks in which its line goes on.
    void visitLine(const BasicBlock &Block) {
        for (const BasicBlock *Next = &Block; Next;) {
            Visited.insert(Next);
            for (const Instruction &I : *Next)
                visit(I);
            const Instruction *End = Next->getTerminator();
            std::optional<Continuation> Line;
            if (!Current.Ops.empty())
                Line = Lines.continuation(*Next);
            if (!Line || Visited.contains(Line->Next) || !visitBetween(*Line)) {
                if (!Current.Ops.empty())
                    stop({Glue::Stops, "control flow"}, End->getDebugLoc());
                return;
            }
            Fenced = true;
            Next = Line->Next;
        }
    }

    /// True if what may run between two blocks of a line is no barrier.
    bool visitBetween(const Continuation &Line) {
        for (const BasicBlock *Block : Line.Between) {
            if (Visited.contains(Block))
                return false;
            for (const Instruction &I : *Block)
                if (classify(I).What == Glue::Stops)
                    return false;
        }
        Visited.insert(Line.Between.begin(), Line.Between.end());
        return true;
    }

    void visit(const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        std::optional<unsigned> Site = Call ? NormalisedModule::siteOf(*Call) : std::nullopt;
        if (Site && isPushConfiguration(*Call)) {
            Streams[*Site] = Call->getArgOperand(PushStreamOperand);
            return;
        }
        if (Site) {
            visitLaunch(*Call, *Site);
            return;
        }
        Glue What = classify(I);
        if (What.What == Glue::Stops)
            stop(What, I.getDebugLoc());
        else if (What.What == Glue::Fence)
            Fenced = true;
    }

    void visitLaunch(const CallBase &Stub, unsigned Site) {
        const LaunchSite &Original = Result.Sites[Site];
        if (!isDefaultStream(Streams.lookup(Site))) {
            stop({Glue::Stops, "launch on a stream of the program's own"}, Original.Push->getDebugLoc());
            return;
        }
        if (!Current.Ops.empty() &&
            !findExits(Result.Sites[Current.Ops.back().Site], Original, Dominance, Current.Exits))
            stop({Glue::Stops, "control flow"}, Original.Push->getDebugLoc());
        commitBarriers();
        Op Next;
        Next.Site = Site;
        Next.Line = lineOf(Original.Push->getDebugLoc());
        if (!Current.Ops.empty()) {
            const Op &Last = Current.Ops.back();
            Next.Segment = Last.Segment + (Fenced || !Result.Sites[Last.Site].Movable);
        }
        Fenced = false;
        describe(Next, Stub, *Original.Stub->getCalledFunction());
        Current.Ops.push_back(std::move(Next));
        SeenOp = true;
    }

    static bool isDefaultStream(const Value *Stream) {
        if (const auto *Cast = dyn_cast_or_null<ConstantExpr>(Stream))
            if (Cast->getOpcode() == Instruction::IntToPtr)
                return isa<ConstantInt>(Cast->getOperand(0)) &&
                       cast<ConstantInt>(Cast->getOperand(0))->isOne();
        return isa_and_nonnull<ConstantPointerNull>(Stream);
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
        const DILocation *Where = outermost(Result.Sites[Next.Site].Push->getDebugLoc());
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
        Objects Found;
        if (Operand)
            Found = findObjects(Operand->get());
        SmallVector<unsigned, 2> Indices;
        for (const CallBase *Allocation : Found.Allocations)
            Indices.push_back(objectFor(Allocations, Allocation, allocationName(*Allocation, Name)));
        if (Found.Origin)
            Indices.push_back(objectFor(Unknowns, Found.Origin, Name));
        for (unsigned Object : Indices) {
            Next.Accesses.push_back({Object, Write});
            Next.Pointers.push_back({Stub.getArgOperandNo(Operand), Object});
        }
        if (!Operand || (Found.Unknown && !Found.Origin))
            doubt(Next, "the allocation behind argument '" + Name + "' is unknown", Write);
    }

    /// What the program calls the memory where it allocates it; else what the launch calls it.
    StringRef allocationName(const CallBase &Allocation, StringRef ArgumentName) const {
        const DILocation *Where = outermost(Allocation.getDebugLoc());
        auto Found =
            Where ? Facts.Allocations.find({Where->getLine(), Where->getColumn()}) : Facts.Allocations.end();
        return Found == Facts.Allocations.end() ? ArgumentName : StringRef(Found->second);
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

    /// The number of \p Object in the current region; a new object gets a name that no other has.
    template <typename Map, typename Key>
    unsigned objectFor(Map &Known, const Key &Object, StringRef Name) {
        auto [Entry, IsNew] = Known.try_emplace(Object, Current.Objects.size());
        if (IsNew)
            Current.Objects.push_back(uniqueName(Name));
        return Entry->second;
    }

    std::string uniqueName(StringRef Name) const {
        std::string Unique = Name.empty() ? "object" : Name.str();
        for (unsigned I = 2; is_contained(Current.Objects, Unique); ++I)
            Unique = (Name + "#" + Twine(I)).str();
        return Unique;
    }

    /// Unknown pointers are guarded against all others. Against a device variable that a kernel names there
    /// is no guard, so beside one they may be any memory.
    void settleUnknowns() {
        SmallSetVector<unsigned, 8> Guarded;
        for (const auto &Entry : Unknowns)
            Guarded.insert(Entry.second);
        if (Guarded.empty())
            return;
        if (!Globals.empty())
            forgetUnknowns(Guarded);
        else
            addGuards(Guarded);
    }

    void forgetUnknowns(const SmallSetVector<unsigned, 8> &Unknown) {
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

    void addGuards(const SmallSetVector<unsigned, 8> &Guarded) {
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
                if ((Guarded.contains(A) || Guarded.contains(B)) && (Written[A] || Written[B]))
                    Current.Guards.emplace_back(Guarded.contains(A) ? A : B, Guarded.contains(A) ? B : A);
    }

    void stop(const Glue &Why, const DebugLoc &Where) {
        close();
        if (SeenOp && (Pending.empty() || Pending.back().Why != Why.Why))
            Pending.push_back({lineOf(Where), Why.Why, Where});
    }

    void commitBarriers() {
        for (Barrier &B : Pending)
            Result.Barriers.push_back(std::move(B));
        Pending.clear();
    }

    void close() {
        if (!Current.Ops.empty()) {
            settleUnknowns();
            Result.Regions.push_back(std::move(Current));
        }
        Current = Region();
        Allocations.clear();
        Unknowns.clear();
        Globals.clear();
        Fenced = false;
    }

    FunctionAnalysis &Result;
    const SourceFacts &Facts;
    const Function &Copy;
    DominatorTree Dominance;                          ///< of the original
    LineFinder Lines;                                 ///< of the copy
    SmallPtrSet<const BasicBlock *, 16> Visited;      ///< blocks of the copy
    DenseMap<unsigned, const Value *> Streams;        ///< by site
    Region Current;                                   ///< being collected
    DenseMap<const CallBase *, unsigned> Allocations; ///< objects of Current
    DenseMap<const Value *, unsigned> Unknowns;       ///< objects of Current, by origin
    StringMap<unsigned> Globals;                      ///< objects of Current
    std::vector<Barrier> Pending;                     ///< since the last op; kept if another op follows
    bool Fenced = false;                              ///< a fence stands behind the last op
    bool SeenOp = false;                              ///< some op came before
};

/// True if simplification has left at most one copy of every launch.
bool launchesAreUnique(const Function &Copy, size_t SiteCount) {
    SmallVector<unsigned, 8> Seen(SiteCount, 0);
    for (const Instruction &I : instructions(Copy))
        if (const auto *Call = dyn_cast<CallBase>(&I))
            if (std::optional<unsigned> Site = NormalisedModule::siteOf(*Call))
                if (!isPushConfiguration(*Call) && ++Seen[*Site] > 1)
                    return false;
    return true;
}

} // namespace

FunctionAnalysis analyseFunction(Function &F, ArrayRef<LaunchSite> Sites, NormalisedModule &Copy,
                                 const SourceFacts &Facts) {
    FunctionAnalysis Result;
    Result.F = &F;
    Result.Sites.assign(Sites.begin(), Sites.end());
    const Function &Normalised = *Copy.copyOf(F);
    if (launchesAreUnique(Normalised, Sites.size()))
        RegionFinder(Result, Normalised, Facts).run();
    return Result;
}

} // namespace kesco
