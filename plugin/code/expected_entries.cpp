#include "plugin/code/expected_entries.h"

#include "plugin/ir/ending_blocks.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kesco {

namespace {

/// A loop that goes on, in the block at its begin, as long as a counter is below a bound, or above it.
struct CountedLoop {
    Value *Counter, *Bound; ///< as they are in this pass; of one type
    bool IsSigned;
    int64_t Step;
};

} // namespace

static const Value *withoutCasts(const Value *V) {
    while (const auto *Cast = dyn_cast<CastInst>(V))
        V = Cast->getOperand(0);
    return V;
}

/// What \p Next is more than the counter, by a number that is known; 0 where it is not that.
static int64_t differenceOf(const Value &Next, function_ref<bool(const Value &)> IsCounter) {
    const Value *From;
    const APInt *By;
    if (match(&Next, m_c_Add(m_Value(From), m_APInt(By))) && IsCounter(*From))
        return By->trySExtValue().value_or(0);
    if (match(&Next, m_Sub(m_Value(From), m_APInt(By))) && IsCounter(*From))
        return -By->trySExtValue().value_or(0);
    return 0;
}

/// What is added to \p V in each pass of \p L, which begins with it; 0 where that is not so.
static int64_t stepOf(const PHINode &V, const Loop &L) {
    const BasicBlock *Latch = L.getLoopLatch();
    const int Place = Latch && V.getParent() == L.getHeader() ? V.getBasicBlockIndex(Latch) : -1;
    return Place < 0 ? 0
                     : differenceOf(
                           *V.getIncomingValue(static_cast<unsigned>(Place)),
                           [&](const Value &From) { return &From == &V; });
}

/// The same of \p V, or the variable that it is loaded from: it is stored to in one place there.
static int64_t stepOf(const Value &V, const Loop &L) {
    if (const auto *Phi = dyn_cast<PHINode>(withoutCasts(&V)))
        return stepOf(*Phi, L);
    const auto *Load = dyn_cast<LoadInst>(withoutCasts(&V));
    const auto *Variable = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
    const StoreInst *Stored = nullptr;
    if (!Variable)
        return 0;
    for (const User *Each : Variable->users()) {
        const auto *I = cast<Instruction>(Each);
        if (!L.contains(I) || isa<LoadInst>(I))
            continue;
        const auto *Store = dyn_cast<StoreInst>(I);
        if (!Store || Stored || Store->getPointerOperand() != Variable)
            return 0;
        Stored = Store;
    }
    return !Stored ? 0 : differenceOf(*Stored->getValueOperand(), [&](const Value &From) {
        const auto *Loaded = dyn_cast<LoadInst>(&From);
        return Loaded && Loaded->getPointerOperand() == Variable;
    });
}

/// True if one of \p All, other than \p This, is the same constant.
static bool isAmongOthers(const Use &This, iterator_range<User::const_op_iterator> All) {
    return isa<ConstantInt>(This) &&
           any_of(All, [&](const Use &Each) { return &Each != &This && Each.get() == This.get(); });
}

/// Where lives of variables end as a loop does, the way on from there is kept in a variable: true if control
/// may come from another block than \p Left, which is behind a loop's header, on the same way, as by `break`.
static bool isLeftOtherwise(const BasicBlock &Left) {
    for (const Instruction &I : Left)
        if (const auto *Store = dyn_cast<StoreInst>(&I); Store && isa<ConstantInt>(Store->getValueOperand()))
            for (const User *Each : Store->getPointerOperand()->users())
                if (const auto *Other = dyn_cast<StoreInst>(Each);
                    Other && Other != Store && Other->getValueOperand() == Store->getValueOperand())
                    return true;
    const BasicBlock *Next = Left.getSingleSuccessor();
    return Next && any_of(Next->phis(), [&](const PHINode &Way) {
               const int Place = Way.getBasicBlockIndex(&Left);
               return isa<SwitchInst>(Next->getTerminator()) && Way.hasOneUse() &&
                      isAmongOthers(Way.getOperandUse(static_cast<unsigned>(Place)), Way.incoming_values());
           });
}

static bool isZero(const Value *V) {
    const auto *Number = dyn_cast<ConstantInt>(V);
    return Number && Number->getBitWidth() == 32 && Number->isZero();
}

/// True if \p I ends the program, or keeps what `main` is to return, and says that all is well.
static bool saysSuccess(const Instruction &I) {
    if (const auto *Store = dyn_cast<StoreInst>(&I))
        return isZero(Store->getValueOperand());
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && Call->doesNotReturn() && Call->arg_size() == 1 && isZero(Call->getArgOperand(0));
}

/// True if the way on from \p Exit of a loop says that all is well: it has found what it was to find.
static bool succeeds(const BasicBlock &Exit) {
    constexpr unsigned MostBlocks = 8;
    const BasicBlock *Block = &Exit;
    for (unsigned I = 0; I < MostBlocks; ++I) {
        const BasicBlock *Next = Block->getSingleSuccessor();
        if (any_of(*Block, saysSuccess) || (Next && any_of(Next->phis(), [&](const PHINode &Merged) {
                                                return isZero(Merged.getIncomingValueForBlock(Block));
                                            })))
            return true;
        if (!Next)
            return false;
        Block = Next;
    }
    return false;
}

/// True if \p Exit of a loop in `main` is on the way to its return, and not to \p Usual, where the loop ends.
static bool returnsFromMain(const BasicBlock &Exit, const BasicBlock &Usual) {
    return !is_contained(depth_first(&Exit), &Usual) && !isLeftOtherwise(Usual);
}

/// True if control leaves \p L at the end of its header, or where the program has failed: it ends there, or
/// throws, or `main` returns from within the loop.
static bool leavesAtHeader(const Loop &L, const SmallPtrSetImpl<const BasicBlock *> &Failing, bool IsMain) {
    SmallVector<std::pair<BasicBlock *, BasicBlock *>, 8> Exits;
    L.getExitEdges(Exits);
    const auto *Usual = find_if(Exits, [&](const auto &Exit) { return Exit.first == L.getHeader(); });
    return Usual != Exits.end() && all_of(Exits, [&](const auto &Exit) {
               const bool Fails =
                   Failing.contains(Exit.second) || (IsMain && returnsFromMain(*Exit.second, *Usual->second));
               return Exit.first == L.getHeader() || (Fails && !succeeds(*Exit.second));
           });
}

static std::optional<CountedLoop> counted(const Loop &L, const SmallPtrSetImpl<const BasicBlock *> &Failing,
                                          bool IsMain) {
    const auto *Branch = dyn_cast<BranchInst>(L.getHeader()->getTerminator());
    auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy() || !leavesAtHeader(L, Failing, IsMain))
        return std::nullopt;
    for (unsigned Place : {0, 1}) {
        Value *Counter = Compare->getOperand(Place), *Bound = Compare->getOperand(1 - Place);
        if (int64_t Step = stepOf(*Counter, L); Step != 0 && stepOf(*Bound, L) == 0)
            return CountedLoop{Counter, Bound, Compare->isSigned() || Compare->isEquality(), Step};
    }
    return std::nullopt;
}

/// \p V as a number of 64 bits.
static Value *widen(IRBuilderBase &Builder, Value *V, bool IsSigned) {
    return Builder.CreateIntCast(V, Builder.getInt64Ty(), IsSigned);
}

/// Passes of \p L that are left, this one included; at least one.
static Value *passesLeft(IRBuilderBase &Builder, const CountedLoop &L) {
    Value *Counter = widen(Builder, L.Counter, L.IsSigned), *Bound = widen(Builder, L.Bound, L.IsSigned);
    Value *Way = L.Step > 0 ? Builder.CreateSub(Bound, Counter) : Builder.CreateSub(Counter, Bound);
    Value *Passes = Builder.CreateSDiv(Way, Builder.getInt64(std::abs(L.Step)));
    return Builder.CreateBinaryIntrinsic(Intrinsic::smax, Passes, Builder.getInt64(1));
}

/// All passes of \p L, if it begins at 0, as most do.
static Value *passesOf(IRBuilderBase &Builder, const CountedLoop &L, Value *Left) {
    if (L.Step < 0)
        return Left;
    Value *All = Builder.CreateSDiv(widen(Builder, L.Bound, L.IsSigned), Builder.getInt64(L.Step));
    return Builder.CreateBinaryIntrinsic(Intrinsic::smax, All, Left);
}

Value *entriesLeft(IRBuilderBase &Builder, const LoopInfo &Loops, bool IsMain) {
    const BasicBlock *Block = Builder.GetInsertBlock();
    if (!Loops.getLoopFor(Block))
        return nullptr;
    const SmallPtrSet<const BasicBlock *, 16> Failing = findFailingBlocks(*Block->getParent());
    SmallVector<CountedLoop, 4> Around;
    for (const Loop *L = Loops.getLoopFor(Block); L; L = L->getParentLoop()) {
        if (Block == L->getHeader())
            return nullptr;
        if (std::optional<CountedLoop> Found = counted(*L, Failing, IsMain))
            Around.push_back(*Found);
        else
            Around.clear(); /* it is part of what comes in each pass of those around it */
    }
    Value *Entries = nullptr; /* by the end of those loops that come first: this one and what is left */
    Value *Each = Builder.getInt64(1);
    for (const CountedLoop &L : Around) {
        Value *Left = passesLeft(Builder, L);
        Value *Others = Builder.CreateMul(Builder.CreateSub(Left, Builder.getInt64(1)), Each);
        Entries = Entries ? Builder.CreateAdd(Entries, Others) : Others;
        Each = Builder.CreateMul(Each, passesOf(Builder, L, Left));
    }
    return Entries;
}

} // namespace kesco
