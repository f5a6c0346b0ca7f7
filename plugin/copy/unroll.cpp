#include "plugin/copy/unroll.h"

#include "plugin/copy/elements.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/ir/analyses.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/inline_calls.h"
#include "plugin/ir/pass_numbers.h"
#include "plugin/kernels/kernel_summaries.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

#include <numeric>

using namespace llvm;

namespace kesco {

static bool allocates(const CallBase &Call) {
    const kesco_call *Api = lookUpApi(Call);
    return Api && Api->effect == KESCO_ALLOCATES;
}

/// Functions that call one another more deeply than this are not looked into for what they allocate.
static constexpr unsigned MostCalls = 4;

/// True for a call that allocates, directly or by the functions that it calls.
static bool allocates(const CallBase &Call, unsigned Calls) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && (allocates(Call) || (Calls > 0 && any_of(callsIn(*Callee), [&](const CallBase &Inner) {
                                              return allocates(Inner, Calls - 1);
                                          })));
}

/// True for a call that issues an op, or that allocates.
static bool matters(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && (issuesOp(*Call) || allocates(*Call, MostCalls));
}

bool mattersToLaunches(const Loop &L) {
    return any_of(L.blocks(), [](const BasicBlock *Block) {
        return any_of(*Block, [](const Instruction &I) { return matters(I); });
    });
}

static unsigned countOps(const Loop &L) {
    unsigned Count = 0;
    for (const BasicBlock *Block : L.blocks())
        Count += count_if(callsAmong(*Block), issuesOp);
    return Count;
}

static unsigned sizeOf(const Loop &L) {
    unsigned Size = 0;
    for (const BasicBlock *Block : L.blocks())
        Size += Block->size();
    return Size;
}

/// What phis take comes in the order of the blocks. LLVM 22 folds a loop's exits in the order of their
/// addresses, and each of them moves what is left in the phis after (LLVM 23 does not: llvm-project#188821).
static void orderPhis(Function &F) {
    DenseMap<const BasicBlock *, unsigned> Places;
    for (const BasicBlock &Block : F)
        Places.insert({&Block, Places.size()});
    for (BasicBlock &Block : F)
        for (PHINode &Phi : Block.phis()) {
            SmallVector<std::pair<BasicBlock *, Value *>, 8> Incoming;
            for (auto [From, V] : zip(Phi.blocks(), Phi.incoming_values()))
                Incoming.push_back({From, V.get()});
            sort(Incoming, [&](const auto &A, const auto &B) {
                return Places.lookup(A.first) < Places.lookup(B.first);
            });
            for (unsigned I = 0; I < Incoming.size(); ++I) {
                Phi.setIncomingBlock(I, Incoming[I].first);
                Phi.setIncomingValue(I, Incoming[I].second);
            }
        }
}

/// Loops to unroll, and what of their function is known.
struct Unroller {
    Unroller(Function &F, FunctionAnalysisManager &Known, const KernelSummaries &Summaries)
        : F(F), Known(Known), Summaries(Summaries), Loops(Known.getResult<LoopAnalysis>(F)),
          Evolution(Known.getResult<ScalarEvolutionAnalysis>(F)) {
    }

    bool canUnroll(const Loop &L, unsigned Copies) const {
        return Copies > 0 && mattersToLaunches(L) && L.isLoopSimplifyForm() &&
               F.getInstructionCount() + sizeOf(L) * (Copies - 1) <= MostInstructions;
    }

    LoopUnrollResult unroll(Loop &L, unsigned Copies) {
        UnrollLoopOptions Options = {};
        Options.Count = Copies;
        Options.Force = true;
        Options.AllowExpensiveTripCount = true;
        Options.ForgetAllSCEV = true;
        const PassNumbers Numbers(L, Loops, [](const Instruction &I) { return matters(I); });
        const LoopUnrollResult Result =
            UnrollLoop(&L, Options, &Loops, &Evolution, &Known.getResult<DominatorTreeAnalysis>(F),
                       &Known.getResult<AssumptionAnalysis>(F), &Known.getResult<TargetIRAnalysis>(F),
                       /*ORE=*/nullptr, /*PreserveLCSSA=*/true);
        orderPhis(F);
        Numbers.assign(F, Result == LoopUnrollResult::FullyUnrolled);
        return Result;
    }

    Function &F;
    FunctionAnalysisManager &Known;
    const KernelSummaries &Summaries;
    LoopInfo &Loops;
    ScalarEvolution &Evolution;
};

/// Unrolls one loop of \p F that can be, whole. Each changes the others, so what was known of them is found
/// anew. \p Done: the headers of loops that are unrolled as far as they ought to be.
static bool unrollWholly(Function &F, FunctionAnalysisManager &Known,
                         const SmallPtrSetImpl<BasicBlock *> &Done, const KernelSummaries &Summaries) {
    Unroller U(F, Known, Summaries);
    SmallVector<Loop *, 8> Inner = U.Loops.getLoopsInPreorder();
    for (Loop *L : reverse(Inner)) {
        unsigned Passes = U.Evolution.getSmallConstantMaxTripCount(L);
        if (Passes <= MostPasses + 1 && !Done.contains(L->getHeader()) && U.canUnroll(*L, Passes) &&
            U.unroll(*L, Passes) == LoopUnrollResult::FullyUnrolled)
            return true;
    }
    return false;
}

/// On a remainder of a number that neither is negative nor wraps around in its loop.
static constexpr char PlainTag[] = "kesco.plain";

/// A remainder of a number that grows by a constant in each pass of a loop, such as `k % 4`.
struct Turn {
    unsigned Modulus;
    const SCEVAddRecExpr *Number; ///< with constant first value and step
    APInt First, Step;            ///< of the number
};

/// True if the number is plain (PlainTag) as far as \p Remainder is concerned.
static bool isPlain(const Instruction &Remainder, const SCEVAddRecExpr &Number, ScalarEvolution &Evolution) {
    return Remainder.getMetadata(PlainTag) ||
           (Remainder.getOpcode() == Instruction::SRem
                ? Number.hasNoSignedWrap() && Evolution.isKnownNonNegative(&Number)
                : Number.hasNoUnsignedWrap());
}

static std::optional<Turn> findTurn(const Instruction &I, ScalarEvolution &Evolution) {
    using namespace PatternMatch;
    Value *Number;
    const APInt *C;
    bool IsMask = match(&I, m_And(m_Value(Number), m_APInt(C)));
    if (!IsMask && !match(&I, m_URem(m_Value(Number), m_APInt(C))) &&
        !match(&I, m_SRem(m_Value(Number), m_APInt(C))))
        return std::nullopt;
    APInt Modulus = IsMask ? *C + 1 : *C;
    if (Modulus.ugt(MostTurns) || Modulus.ult(2) || (IsMask && !Modulus.isPowerOf2()))
        return std::nullopt;
    const auto *Sum = dyn_cast<SCEVAddRecExpr>(Evolution.getSCEV(Number));
    if (!Sum || !Sum->isAffine())
        return std::nullopt;
    const auto *First = dyn_cast<SCEVConstant>(Sum->getStart());
    const auto *Step = dyn_cast<SCEVConstant>(Sum->getStepRecurrence(Evolution));
    /* Powers of two divide the range of the number, so that wrapping around changes nothing. */
    bool MayWrap = I.getOpcode() != Instruction::SRem && Modulus.isPowerOf2();
    if (!First || !Step || (!MayWrap && !isPlain(I, *Sum, Evolution)))
        return std::nullopt;
    return Turn{static_cast<unsigned>(Modulus.getZExtValue()), Sum, First->getAPInt(), Step->getAPInt()};
}

/// After how many passes of the loop the remainder is the same again.
static unsigned passesOf(const Turn &T) {
    return T.Modulus / std::gcd(T.Modulus, static_cast<unsigned>(T.Step.abs().urem(T.Modulus)));
}

/// True if the value is what memory is indexed with, perhaps after some arithmetic.
static bool indexesMemory(const Instruction &I) {
    return any_of(I.users(), [](const User *U) {
        return isa<GetElementPtrInst>(U) ||
               ((isa<CastInst>(U) || isa<BinaryOperator>(U)) && indexesMemory(*cast<Instruction>(U)));
    });
}

/// After how many passes all remainders in the loop itself, not in loops within, that memory is indexed with
/// are the same again; 1 if that is after too many. Tags what unrolling makes harder to see.
static unsigned passesOf(const Loop &L, Unroller &U) {
    unsigned Passes = 1;
    for (BasicBlock *Block : L.blocks())
        for (Instruction &I : *Block) {
            std::optional<Turn> T = findTurn(I, U.Evolution);
            if (!T || T->Number->getLoop() != &L || passesOf(*T) == 1 || !indexesMemory(I))
                continue;
            Passes = std::lcm(Passes, passesOf(*T));
            if (isPlain(I, *T->Number, U.Evolution))
                I.setMetadata(PlainTag, MDNode::get(I.getContext(), {}));
        }
    return Passes > MostTurns ? 1 : Passes;
}

/// How many copies of the body of \p L there have to be for passes to overlap; 1 if none help. Transfers
/// count only \p BesideElements that kernels take, so that the two can be told apart or matched pass by pass.
static unsigned copiesOf(const Loop &L, Unroller &U, bool BesideElements) {
    unsigned Turns = passesOf(L, U);
    return Turns == 1 && takesElements(L, U.Evolution, BesideElements, U.Summaries) ? ElementsAtOnce : Turns;
}

/// Replaces remainders that are the same in each pass.
static void foldTurns(Function &F, FunctionAnalysisManager &Known) {
    auto &Evolution = Known.getResult<ScalarEvolutionAnalysis>(F);
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        std::optional<Turn> T = findTurn(I, Evolution);
        I.setMetadata(PlainTag, nullptr);
        if (!T || passesOf(*T) != 1)
            continue;
        I.replaceAllUsesWith(ConstantInt::get(I.getType(), T->First.urem(T->Modulus)));
        I.eraseFromParent();
    }
}

/// Unrolls one loop of \p F whose passes have memory of their own, or take turns in it: each such pass gets a
/// copy of the loop's body. Notes its header in \p Done.
static bool unrollInPart(Function &F, FunctionAnalysisManager &Known, SmallPtrSetImpl<BasicBlock *> &Done,
                         const KernelSummaries &Summaries) {
    Unroller U(F, Known, Summaries);
    SmallVector<Loop *, 8> Inner = U.Loops.getLoopsInPreorder();
    for (Loop *L : reverse(Inner)) {
        unsigned Copies = copiesOf(*L, U, /*BesideElements=*/!Done.empty());
        if (Copies > 1 && countOps(*L) * Copies <= MostOpsInTurns && U.canUnroll(*L, Copies) &&
            Done.insert(L->getHeader()).second && U.unroll(*L, Copies) != LoopUnrollResult::Unmodified)
            return true;
    }
    return false;
}

/// `i < n && ok` is a branch in front of another one: makes one condition of it, whose bound of \p F's loops
/// can be found. True if there was any.
static bool joinConditions(Function &F, FunctionAnalysisManager &Known) {
    SmallVector<WeakTrackingVH, 4> Blocks; /* some go away with others */
    for (const Loop *L : Known.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
        SmallVector<BasicBlock *, 4> Exiting;
        L->getExitingBlocks(Exiting);
        for (BasicBlock *Block : Exiting)
            if (const auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
                Branch && mattersToLaunches(*L))
                if (const auto *Joined = dyn_cast<PHINode>(Branch->getCondition());
                    Joined && Joined->getParent() == Block)
                    Blocks.push_back(Block);
    }
    for (const WeakTrackingVH &Block : Blocks)
        if (Block)
            simplifyCFG(cast<BasicBlock>(Block), Known.getResult<TargetIRAnalysis>(F));
    return !Blocks.empty();
}

/// What Clang makes of a * b + c rounds once where the processor can do that, else twice. LLVM folds it as if
/// it rounded once; so where the counter of a pass is a constant, what comes of it would be another number.
static void roundAsProcessor(Function &F) {
    if (!Triple(F.getParent()->getTargetTriple()).isX86() ||
        F.getFnAttribute("target-features").getValueAsString().contains("+fma"))
        return;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        auto *Call = dyn_cast<IntrinsicInst>(&I);
        if (!Call || Call->getIntrinsicID() != Intrinsic::fmuladd)
            continue;
        IRBuilder<> Builder(Call);
        Builder.setFastMathFlags(Call->getFastMathFlags());
        Value *Product = Builder.CreateFMul(Call->getArgOperand(0), Call->getArgOperand(1));
        Call->replaceAllUsesWith(Builder.CreateFAdd(Product, Call->getArgOperand(2)));
        Call->eraseFromParent();
    }
}

bool unrollLaunches(Function &F, Analyses &All, const KernelSummaries &Summaries) {
    FunctionPassManager Passes;
    Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    Passes.addPass(LoopSimplifyPass());
    Passes.addPass(LCSSAPass());
    All.run(Passes, F);
    if (joinConditions(F, All.functions())) {
        All.forget(F);
        All.run(Passes, F);
    }
    roundAsProcessor(F);
    bool Unrolled = false;
    SmallPtrSet<BasicBlock *, 8> Done;
    while (unrollWholly(F, All.functions(), Done, Summaries) ||
           unrollInPart(F, All.functions(), Done, Summaries)) {
        All.forget(F);
        foldTurns(F, All.functions());
        All.forget(F);
        All.run(Passes, F);
        Unrolled = true;
    }
    All.forget(F);
    return Unrolled;
}

} // namespace kesco
