#include "plugin/region/region_builder.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/transfers.h"
#include "plugin/ir/locations.h"
#include "plugin/region/extents.h"
#include "plugin/region/launch_arguments.h"
#include "plugin/region/op_call.h"
#include "plugin/region/region_objects.h"
#include "plugin/region/sampled_launches.h"
#include "plugin/region/source_names.h"

#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"

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

static std::string fileOf(const DebugLoc &Location) {
    const DILocation *Where = outermost(Location);
    return Where ? Where->getFilename().str() : std::string();
}

namespace {

/// Describes the ops of one region.
class RegionBuilder {
  public:
    RegionBuilder(FunctionAnalysis &Function, const OpFlow &Flow, const Knowledge &Program,
                  const DominatorTree &Dominance, FunctionAnalysisManager &Known, llvm::Function &Copy)
        : Function(Function), Flow(Flow), Program(Program), Dominance(Dominance),
          OfCopy{Copy, Known.getResult<LoopAnalysis>(Copy), Known.getResult<CycleAnalysis>(Copy)},
          Names(Program.Facts), Touched(Known, Copy),
          Objects(Current, Known.getResult<ScalarEvolutionAnalysis>(Copy)),
          Sampled(Known.getResult<ScalarEvolutionAnalysis>(Copy)) {
    }

    /// \p Places are those of the region, ascending.
    Region build(ArrayRef<unsigned> Places) {
        Current.origin = Flow.Places[Places.front()].From.What;
        Has = traitsOf(Places);
        for (unsigned Index : Places)
            addOp(Places, Index);
        Objects.settle(OfCopy.F, Sampled);
        if (Current.guards.checked.count > 0 || Current.claims.relied.count > 0 ||
            any_of(all(Current.objects), [](const kesco_object &O) { return O.must_be_plain; }) ||
            any_of(all(Current.ops), [](const Op &O) {
                return any_of(all(O.memory.pointers),
                              [](const kesco_pointer &P) { return P.must_be_locked; });
            }))
            kesco_region_keep_order(&Current);
        return std::move(Current);
    }

  private:
    /// What is known of the ops of a region before any is described.
    struct Traits {
        bool Transfers = false;                        ///< not all of its ops are launches
        bool SymbolCopies = false;                     ///< some copy to variables
        SmallPtrSet<const Instruction *, 4> MadeAgain; ///< claims that are made again with ops in flight
    };

    /// What is known of the copy.
    struct CopyAnalyses {
        const llvm::Function &F;
        const LoopInfo &Loops;
        const CycleInfo &Cycles;
    };

    /// The op that is being described, the last one.
    struct OpAtHand {
        unsigned Place = 0;
        bool AlsoReads = false; ///< its effect at hand reads what it writes
    };

    Traits traitsOf(ArrayRef<unsigned> Places) const {
        Traits Result;
        for (unsigned Index : Places) {
            const Place &P = Flow.Places[Index];
            Result.Transfers |= !Function.Sites[P.Site].isLaunch();
            Result.SymbolCopies |= writesVariable(P);
            for (const Instruction *Claim : P.After.Claims)
                if (OfCopy.Cycles.getCycle(Claim->getParent()))
                    Result.MadeAgain.insert(Claim);
        }
        return Result;
    }

    bool writesVariable(const Place &P) const {
        return !Function.Sites[P.Site].isLaunch() &&
               any_of(readTransfer(*P.Issue)->Operands,
                      [](const TransferOperand &O) { return O.In == TransferOperand::Symbol && O.Write; });
    }

    void addOp(ArrayRef<unsigned> Places, unsigned Index) {
        const Place &P = Flow.Places[Index];
        const OpSite &Site = Function.Sites[P.Site];
        Op &Next = Current.append(Current.ops, Op());
        Next.op.priority = 1;
        Next.memory.is_told = Next.memory.is_wholly_told = true;
        Next.call.site = P.Site;
        Next.source.line = lineOf(Site.Start->getDebugLoc());
        Next.source.file = Current.text(fileOf(Site.Start->getDebugLoc()));
        if (const DebugLoc Where = Site.where()) {
            Next.source.own_line = Where.getLine();
            Next.source.own_file = Current.text(Where->getFilename());
            Next.source.own_path = Current.text(fileFromHere(*Where->getScope()));
        }
        Next.way.first = P.Before.First;
        Next.way.called_back = P.Before.CalledBack;
        Next.way.is_awaited = P.After.Awaited;
        for (unsigned Other : P.After.Next)
            Current.append(Next.way.next, static_cast<uint32_t>(lower_bound(Places, Other) - Places.begin()));
        sort(all(Next.way.next));
        if (Current.ops.count > 1) {
            const Op &Last = Current.ops.items[Current.ops.count - 2];
            bool MayMove =
                followsFreely(Now.Place, Index) && canOvertake(Function.Sites[Last.call.site], Site);
            Next.op.segment = Last.op.segment + !MayMove;
        }
        Now.Place = Index;
        Next.call.is_launch = Site.isLaunch();
        Next.call.can_be_node = canBeNode(Site);
        Next.call.is_plain_copy = isPlainCopy(Site);
        Next.call.takes_stream = Site.isLaunch() || streamOperand(*Site.Issue) >= 0;
        if (Site.isLaunch())
            describe(Next, P, *Site.Issue->getCalledFunction());
        else
            describeTransfer(Next, *P.Issue);
    }

    /// True if control always comes from one place to the other, and from nowhere else, with no fence
    /// between.
    bool followsFreely(unsigned Earlier, unsigned Later) const {
        const Place &From = Flow.Places[Earlier], &To = Flow.Places[Later];
        return From.After.Next.size() == 1 && From.After.Next.front() == Later &&
               From.After.Barriers.empty() && !To.Before.First && !From.Before.Separate &&
               !To.Before.AfterFence;
    }

    /// True if the calls of \p Earlier could stand after those of \p Later.
    bool canOvertake(const OpSite &Earlier, const OpSite &Later) const {
        return Earlier.Movable && Later.isLaunch() &&
               Dominance.dominates(Earlier.End, Later.Start->getParent());
    }

    /// Fills in the kernel's name and what the launch touches. Everything that is not known aliases all.
    void describe(Op &Next, const Place &P, const llvm::Function &Original) {
        const CallBase &Stub = *P.Issue;
        Kernel K = Program.kernel(Original);
        SmallVector<StubArgument, 8> Arguments = argumentsOf(K, Original);
        Next.op.name = Current.text(K.Facts ? K.Facts->Name : demangle(Original.getName()));
        Next.work = K.Summary ? K.Summary->work : 0;
        Next.work_range = K.Summary && K.Summary->work_range ? Current.text(K.Summary->work_range) : nullptr;
        if (K.Facts) {
            Next.op.priority = K.Facts->Priority;
            if (std::optional<int64_t> Given = givenNumber(K.Facts->PriorityParameter, Arguments, Stub))
                Next.op.priority = static_cast<int>(*Given);
        }
        GivenOutputs Outputs =
            K.Facts ? givenNumber(K.Facts->OutputsParameter, Arguments, Stub) : std::nullopt;
        const LaunchFacts *Launch = launchOf(Next);
        const CallBase *Before = LastLaunch.lookup(&Original);
        SmallVector<PointerInMemory, 4> InMemory = Program.Summaries.pointersInMemory(Original);
        if (std::string Denied = findDeniedWrite(K, Outputs); !Denied.empty())
            Function.BadLaunches.push_back({Launch ? Launch->Location : 0, std::move(Denied)});
        for (const Effect &E : effectsOf(K, Outputs)) {
            Operand O = operandOf(E, Arguments, InMemory, Stub);
            for (const std::string &Range : E.Within)
                Current.append(O.Held.reach.within, Current.text(Range));
            O.From = Touched.keyOf(*P.Issue, O.Pointer, /*IsHost=*/false);
            O.IsSplit = K.Facts && !K.IsDefined && !hasArgumentPerParameter(*K.Facts, Original);
            O.Shifts = Touched.shifts(*P.Issue, Original, E.Within);
            const kesco::Launch At = {P.Start, P.Issue, &Original, {E.Within.begin(), E.Within.end()}};
            O.Bytes = Touched.ofLaunch(At, O.Pointer);
            if (O.Pointer && O.Bytes.empty() && !E.Within.empty())
                O.Launch = Sampled.add(At, OfCopy.Loops);
            O.Held.is_beside =
                O.Bytes.empty() && ((Before && Touched.isBeside(*P.Issue, *Before, Original, E.Within)) ||
                                    (Next.work >= WorthPlacing && E.Write && O.Launch &&
                                     Sampled.isBesideWrites(*O.Pointer, *O.Launch)));
            Now.AlsoReads = E.AlsoReads;
            addEffect(Next, E, O, Names.outside(pointerName(E, K, Launch), *P.Start));
        }
        Now.AlsoReads = false;
        LastLaunch[&Original] = &Stub;
        if (Has.SymbolCopies && !K.Summary)
            alias(Next,
                  "which device variables it uses is unknown, and the program copies to one here; compile "
                  "its device code in the same step, for its access summary");
    }

    /// A pointer where the call that issues an op holds it.
    struct Operand {
        const Value *Pointer = nullptr; ///< of the copy; null where the call holds it in none of its own
        kesco_pointer Held = pointerHeldAt(0); ///< without the object
        const SCEV *From = nullptr;            ///< as in PointerSource
        unsigned Where = AnyMemory;            ///< what memory it may lead to
        bool IsHost = false;                   ///< the program uses it as host memory
        SmallVector<Extent, 1> Bytes = {};     ///< what is touched of it, in parts; none: all
        std::optional<unsigned> Launch = {};   ///< as in RegionObjects::Touch
        bool Shifts = false;                   ///< other bytes past it are touched in each pass of a loop
        bool IsSplit = false;                  ///< of the parameters it is unknown which argument holds them
    };

    /// Work of a thread that takes about as long as a launch: with less, ops are better replayed than placed.
    static constexpr uint32_t WorthPlacing = 1000;

    void addEffect(Op &Next, const Effect &E, const Operand &O, const std::string &Name) {
        switch (E.What) {
        case Effect::Pointer:
            addPointer(Next, O, Name, E.Write, /*IsTransfer=*/false);
            break;
        case Effect::Variable:
            touch(Objects.variable(E.Text), E.Write, /*IsTransfer=*/false);
            break;
        case Effect::Constant:
            if (!Has.Transfers)
                break; /* nobody writes it */
            touch(Objects.constant(E.Text), E.Write, /*IsTransfer=*/false);
            break;
        case Effect::Shared:
            Next.may_trap |= E.Text == MayTrap;
            touch(Objects.shared(E.Text), E.Write, /*IsTransfer=*/false);
            break;
        case Effect::Anywhere:
            alias(Next, E.Text, E.Write);
        }
    }

    void describeTransfer(Op &Next, const CallBase &Call) {
        Transfer T = *readTransfer(Call);
        Next.op.kind = T.What;
        Next.op.name = Current.text(T.title());
        Next.op.engine = engineOf(T);
        if (T.What == KESCO_OP_ALLOCATE)
            addNewMemory(Next, Call);
        /* The host itself waits for these, so when the call returns, nothing touches the host's side any
         * more. */
        bool HostIsDone = T.IsSynchronous && (T.Way == Transfer::ToDevice || T.Way == Transfer::ToHost);
        unsigned Target = AnyMemory;
        bool MayBePlain = true, IsPlain = true;
        bool MayGoBetween = T.What == KESCO_OP_COPY && T.Way != Transfer::ToDevice &&
                            T.Way != Transfer::ToHost && Current.origin != KESCO_ORIGIN_PER_THREAD;
        for (const TransferOperand &O : T.Operands) {
            if (MayGoBetween && O.In != TransferOperand::Symbol)
                Current.append(Next.memory.ends, heldBy(O));
            if (!O.Write)
                Next.host.may_copy = T.MayBeByHost && (T.Way == Transfer::Unknown ||
                                                       mayBeManaged(*Call.getArgOperand(O.Argument)));
            unsigned Where = O.In == TransferOperand::Symbol ? addSymbol(Next, Call, O)
                                                             : addOperand(Next, Call, O, HostIsDone);
            MayBePlain &= (Where & DeviceMemory) != 0;
            IsPlain &= Where == DeviceMemory;
            if (O.Write)
                Target = T.What != KESCO_OP_COPY || T.IsSynchronous || O.In == TransferOperand::Symbol
                             ? Where
                             : settleTarget(Next, Call, O, Where);
        }
        Next.host.wait = waitOf(T, Target, MayBePlain);
        Next.host.waits_elsewhere = T.IsSynchronous && Next.host.wait == KESCO_HOST_WAIT_NONE && !IsPlain;
    }

    /// True if \p Pointer, which the program uses as one to host memory, may lead to managed memory.
    static bool mayBeManaged(const Value &Pointer) {
        const kesco::Objects Found = findObjects(&Pointer, /*IsHost=*/true);
        return !Found.Origins.empty() || any_of(Found.Allocations, [](const CallBase *Allocation) {
            return (memoryOf(*Allocation) & ManagedMemory) != 0;
        });
    }

    /// The device variable of a handle. A handle is the address of the variable's shadow, which has its name.
    unsigned addSymbol(Op &Next, const CallBase &Call, const TransferOperand &O) {
        const auto *Shadow = dyn_cast<GlobalVariable>(Call.getArgOperand(O.Argument)->stripPointerCasts());
        if (!Shadow) {
            alias(Next, "which device variable it uses is unknown; name the variable in the call", O.Write);
            return DeviceMemory;
        }
        std::string Name = variableName(Shadow->getName());
        touch(Objects.variable(Name), O.Write, /*IsTransfer=*/true, Touched.ofSymbol(Call, O));
        return DeviceMemory;
    }

    void addNewMemory(Op &Next, const CallBase &Call) {
        for (const User *U : Call.users())
            if (const auto *New = dyn_cast<CallBase>(U); New && isAllocation(*New)) {
                touch(Objects.allocation(*New, Names.allocation(Call)), true, true);
                return;
            }
        alias(Next, "where the new memory goes is unknown; give the call the address of a local variable");
    }

    /// What memory the operand may lead to: bits of Memory.
    unsigned addOperand(Op &Next, const CallBase &Call, const TransferOperand &O, bool HostIsDone) {
        if (O.In == TransferOperand::Host && HostIsDone)
            return 0;
        Operand Found;
        Found.Pointer = Call.getArgOperand(O.Argument);
        Found.Held = heldBy(O);
        Found.IsHost = O.In != TransferOperand::Device;
        Found.Where = O.In == TransferOperand::Host     ? ManagedMemory | PinnedMemory | PageableMemory
                      : O.In == TransferOperand::Device ? DeviceMemory | ManagedMemory | PinnedMemory
                                                        : unsigned(AnyMemory);
        if (const Extent Bytes = Touched.ofTransfer(Call, O); Bytes.Begin)
            Found.Bytes = {Bytes};
        Found.From = Touched.keyOf(Call, Found.Pointer, Found.IsHost);
        const LaunchFacts *Facts = launchOf(Next);
        bool IsNamed = Facts && O.Argument < Facts->Arguments.size() && !O.Member;
        const std::string Name = IsNamed ? Facts->Arguments[O.Argument] : "";
        return addPointer(Next, Found, Names.outside(Name, Call), O.Write,
                          /*IsTransfer=*/true);
    }

    /// A copy to pageable memory lets the host wait. Where only the run will tell, the plan takes it that it
    /// is not. \returns what memory \p O may then lead to.
    static unsigned settleTarget(Op &Next, const CallBase &Call, const TransferOperand &O, unsigned Where) {
        if (!(Where & PageableMemory) ||
            !findObjects(Call.getArgOperand(O.Argument), true).HostMemory.empty())
            return Where;
        for (kesco_pointer &P : all(Next.memory.pointers))
            P.must_be_locked |= isHeldAlike(P.held, heldBy(O).held);
        return Where & ~PageableMemory;
    }

    const LaunchFacts *launchOf(const Op &O) const {
        return Names.launch(*Function.Sites[O.call.site].Start);
    }

    static Operand operandOf(const Effect &E, ArrayRef<StubArgument> Arguments,
                             ArrayRef<PointerInMemory> InMemory, const CallBase &Stub) {
        if (E.What != Effect::Pointer)
            return {};
        for (unsigned I = 0; I < Arguments.size(); ++I)
            if (Arguments[I].Parameter == static_cast<int>(E.Parameter) && !Arguments[I].IsAddress &&
                Arguments[I].Offset == E.Offset && Stub.getArgOperand(I)->getType()->isPointerTy())
                return {Stub.getArgOperand(I), pointerHeldAt(I)};
        unsigned After = Arguments.size();
        for (const PointerInMemory &P : InMemory) {
            if (P.Parameter == E.Parameter && P.Offset == E.Offset)
                return {Stub.getArgOperand(After), pointerHeldAt(P.Argument, P.Offset)};
            ++After;
        }
        return {};
    }

    /// \returns what memory the pointer may lead to, in bits.
    unsigned addPointer(Op &Next, const Operand &O, StringRef Name, bool Write, bool IsTransfer) {
        if (!O.Pointer) {
            alias(Next,
                  "the allocation behind argument '" + Name +
                      (O.IsSplit
                           ? "' is unknown: a parameter of the kernel, which is defined elsewhere, may be "
                             "passed in pieces; pass the members of structs as parameters of their own"
                           : "' is unknown; pass the pointer as a parameter of its own"),
                  Write);
            return AnyMemory;
        }
        kesco::Objects Found = findObjects(O.Pointer, O.IsHost);
        SmallVector<unsigned, 2> Indices;
        unsigned Where = 0;
        for (const CallBase *Allocation : Found.Allocations) {
            Indices.push_back(Objects.allocation(*Allocation, allocationName(*Allocation, Name)));
            Where |= memoryOf(*Allocation);
        }
        const std::string Place = placeInFunction(Function.Sites[Next.call.site].Start->getDebugLoc().get());
        for (const Value *Memory : Found.HostMemory) {
            Indices.push_back(Objects.hostMemory(*Memory, Name, Place));
            Where |= PageableMemory | PinnedMemory;
        }
        for (const Value *Origin : Found.Origins) {
            Indices.push_back(Objects.origin(*Origin, Found.IsLoaded, Name, O.Where, Place));
            Where |= O.Where;
        }
        const ClaimChain Claims = claimsHere(*O.Pointer);
        const SmallVector<Extent, 1> Extents =
            Found.Base && !O.Bytes.empty() ? O.Bytes : SmallVector<Extent, 1>(1);
        for (unsigned Object : Indices) {
            const SCEV *From = isBounded(O) ? O.From : nullptr;
            for (const Extent &Bytes : Extents)
                touch(Object, Write, IsTransfer, Bytes, From, Claims, O.Launch);
            kesco_pointer &Added = Current.append(Next.memory.pointers, O.Held);
            Added.object = Object;
            Added.source = Current.Sources.size();
            Added.is_inside = O.Pointer->stripPointerCasts() != getUnderlyingObject(O.Pointer);
            Added.varies = varies(Found);
            Added.moves = moves(O, Found);
            Added.writes = Write;
            Added.reads = !Write || Now.AlsoReads;
            Current.Sources.push_back({O.From, Claims, O.Launch});
        }
        /* Into which of them it leads, only the run will tell, but not whether it is this one or that. */
        if (!Found.Origins.empty())
            for (unsigned Object : Indices)
                Objects.merge(Indices.front(), Object);
        return Where;
    }

    /// The claims that hold for \p Pointer of the op at hand, beside all others of the region. Those that are
    /// made again while ops are in flight say nothing of both times.
    ClaimChain claimsHere(const Value &Pointer) {
        const CallBase &Issue = *Flow.Places[Now.Place].Issue;
        ClaimChain Chain = claimsOn(Pointer);
        erase_if(Chain, [&](const CallBase *Claim) { return !isInReach(*Claim, Issue); });
        for (const CallBase *Claim : Chain)
            if (Has.MadeAgain.contains(Claim))
                Objects.addIdleClaim(*Claim);
        erase_if(Chain, [&](const CallBase *Claim) { return Has.MadeAgain.contains(Claim); });
        return Chain;
    }

    /// True if the op at hand stands in a loop, and \p Found may be another object in each pass.
    bool varies(const kesco::Objects &Found) const {
        const Loop *Around = OfCopy.Loops.getLoopFor(Flow.Places[Now.Place].Issue->getParent());
        const auto isOther = [&](const Value *Of) { return !Around->isLoopInvariant(Of); };
        return Around && (any_of(Found.Allocations, isOther) || any_of(Found.Origins, isOther));
    }

    /// True if it is known how far past the pointer the op goes, or the run will tell.
    static bool isBounded(const Operand &O) {
        return O.Held.reach.within.count > 0 || O.Held.reach.size >= 0;
    }

    /// True if the pointer goes through memory in a loop around the op at hand: to other objects in its
    /// passes, or to other places in one, as far as the run will tell what is touched there. It does not
    /// where it only changes places with others.
    bool moves(const Operand &O, const kesco::Objects &Found) const {
        const Loop *Around = OfCopy.Loops.getLoopFor(Flow.Places[Now.Place].Issue->getParent());
        if (O.Shifts)
            return true;
        for (; Around; Around = Around->getParentLoop()) {
            const auto isOther = [&](const Value *Of) { return !isOne(*Of, *Around); };
            if (any_of(Found.Allocations, isOther) || any_of(Found.Origins, isOther) ||
                (isBounded(O) && Touched.goesOn(*O.Pointer, *Around)))
                return true;
        }
        return false;
    }

    /// What the program calls the memory where it allocates it; else what the launch calls it.
    std::string allocationName(const CallBase &Allocation, StringRef ArgumentName) const {
        std::string Name = Names.allocation(cast<CallBase>(*Allocation.getArgOperand(0)));
        return Name.empty() ? ArgumentName.str() : Name;
    }

    void touch(unsigned Object, bool Write, bool IsTransfer, Extent Bytes = {}, const SCEV *From = nullptr,
               const ClaimChain &Claims = {}, std::optional<unsigned> Launch = {}) {
        unsigned Op = Current.ops.count - 1;
        Objects.touch({{Op, Object, Write, IsTransfer, Now.AlsoReads}, Bytes, From, Claims, false, Launch});
    }

    void alias(Op &Next, const Twine &Why, bool Write = true) {
        touch(KESCO_OBJECT_ANY, Write, /*IsTransfer=*/false);
        if (!Next.memory.aliases_all)
            Next.memory.aliases_all = Current.text(Why.str());
    }

    FunctionAnalysis &Function;
    const OpFlow &Flow;
    const Knowledge &Program;
    const DominatorTree &Dominance; ///< of the original
    const CopyAnalyses OfCopy;
    const SourceNames Names;
    const Extents Touched; ///< of the copy
    Region Current;
    RegionObjects Objects;
    Traits Has;
    OpAtHand Now;
    DenseMap<const llvm::Function *, const CallBase *> LastLaunch; ///< described, of each kernel
    SampledLaunches Sampled;
};

} // namespace

Region buildRegion(FunctionAnalysis &Function, const OpFlow &Flow, const Knowledge &Program,
                   const DominatorTree &Dominance, FunctionAnalysisManager &OfCopy,
                   const llvm::Function &Copy, ArrayRef<unsigned> Places) {
    return RegionBuilder(Function, Flow, Program, Dominance, OfCopy, const_cast<llvm::Function &>(Copy))
        .build(Places);
}

} // namespace kesco
