#include "plugin/region/extents.h"

#include "plugin/region/objects.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

extern "C" {
#include "plugin/summary/range_shift.h"
}

using namespace llvm;

namespace kesco {

namespace {

/// Draws extensions to a wider type into sums, products and numbers that grow from pass to pass.
class Widened : public SCEVRewriteVisitor<Widened> {
  public:
    Widened(ScalarEvolution &Evolution) : SCEVRewriteVisitor(Evolution) {
    }

    const SCEV *visitSignExtendExpr(const SCEVSignExtendExpr *Wide) {
        return widen(visit(Wide->getOperand()), Wide->getType(), &ScalarEvolution::getSignExtendExpr);
    }

    const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *Wide) {
        return widen(visit(Wide->getOperand()), Wide->getType(), &ScalarEvolution::getZeroExtendExpr);
    }

  private:
    using Extension = const SCEV *(ScalarEvolution::*)(const SCEV *, Type *, unsigned);

    const SCEV *widen(const SCEV *Narrow, Type *To, Extension Extend) {
        const auto *Parts = dyn_cast<SCEVNAryExpr>(Narrow);
        if (!Parts || !isa<SCEVAddExpr, SCEVMulExpr, SCEVAddRecExpr>(Narrow))
            return (SE.*Extend)(Narrow, To, 0);
        SmallVector<const SCEV *, 4> Wide;
        for (const SCEV *Part : Parts->operands())
            Wide.push_back(widen(Part, To, Extend));
        if (isa<SCEVAddExpr>(Narrow))
            return SE.getAddExpr(Wide);
        if (isa<SCEVMulExpr>(Narrow))
            return SE.getMulExpr(Wide);
        return SE.getAddRecExpr(Wide, cast<SCEVAddRecExpr>(Narrow)->getLoop(), SCEV::FlagAnyWrap);
    }
};

} // namespace

Extents::Extents(FunctionAnalysisManager &OfCopy, Function &Copy)
    : Evolution(OfCopy.getResult<ScalarEvolutionAnalysis>(Copy)), Loops(OfCopy.getResult<LoopAnalysis>(Copy)),
      Cycles(OfCopy.getResult<CycleAnalysis>(Copy)) {
}

/// How far past the beginning of its object the pointer leads; null where that is not known.
const SCEV *Extents::startOf(const Value *Pointer, bool IsHost) const {
    const Value *Base = Pointer ? findObjects(Pointer, IsHost).Base : nullptr;
    if (!Base || !Evolution.isSCEVable(Pointer->getType()))
        return nullptr;
    const SCEV *Start = Evolution.getMinusSCEV(Evolution.getSCEV(const_cast<Value *>(Pointer)),
                                               Evolution.getSCEV(const_cast<Value *>(Base)));
    return isa<SCEVCouldNotCompute>(Start) ? nullptr : Start;
}

const SCEV *Extents::keyOf(const CallBase &Call, const Value *Pointer, bool IsHost) const {
    const BasicBlock &Block = *Call.getParent();
    const SCEV *Start = isInCycleBesideLoops(Block) ? nullptr : startOf(Pointer, IsHost);
    if (!Start)
        return nullptr;
    const Loop *Around = Loops.getLoopFor(&Block);
    auto IsSteady = [&](const SCEV *Value) {
        return !Around || Evolution.isLoopInvariant(Value, Around->getOutermostLoop());
    };
    Start = Widened(Evolution).visit(Start);
    const auto *Steps = dyn_cast<SCEVAddRecExpr>(Start);
    if (Steps && Steps->isAffine())
        return IsSteady(Steps->getStart()) && IsSteady(Steps->getStepRecurrence(Evolution)) ? Start : nullptr;
    return IsSteady(Start) ? Start : nullptr;
}

/// How far back from a value its operands are looked at.
static constexpr unsigned MostSteps = 8;

bool isOne(const Value &V, const Loop &L, unsigned Steps) {
    const auto *I = dyn_cast<Instruction>(&V);
    if (!I || !L.contains(I))
        return true;
    return Steps < MostSteps && (isa<LoadInst, GetElementPtrInst, CastInst, BinaryOperator>(I)) &&
           all_of(I->operands(), [&](const Value *Operand) { return isOne(*Operand, L, Steps + 1); });
}

bool Extents::goesOn(const Value &Pointer, const Loop &L) const {
    for (const Value *Part = &Pointer; const auto *Offset = dyn_cast<GetElementPtrInst>(Part);
         Part = Offset->getPointerOperand())
        if (any_of(Offset->indices(), [&](const Value *Index) { return !isOne(*Index, L); }))
            return true;
    const auto *Steps = dyn_cast<SCEVAddRecExpr>(Evolution.getSCEV(const_cast<Value *>(&Pointer)));
    return Steps && Steps->getLoop() == &L;
}

/// What holds both: pieces, if they are the same, else all from the first byte to the last.
static kesco_pieces unite(const kesco_pieces &A, const kesco_pieces &B) {
    const kesco_pieces &First = A.begin <= B.begin ? A : B, &Second = &First == &A ? B : A;
    kesco_pieces Both = {First.begin, std::max(A.end, B.end), 0, 0, {}};
    if (A.distance > 0 && A.distance == B.distance && A.length == B.length &&
        (Second.begin - First.begin) % A.distance == 0) {
        Both.distance = A.distance;
        Both.length = A.length;
        if (A.planes.distance > 0 && A.planes.distance == B.planes.distance &&
            A.planes.length == B.planes.length && (B.planes.first - A.planes.first) % A.planes.distance == 0)
            Both.planes = A.planes;
    }
    return Both;
}

SmallVector<kesco_pieces, 4> bytesOf(const Launch &At, ReadInteger Read) {
    RangeParts Parts;
    for (const std::string &Text : At.Within)
        Parts.add(Text.c_str());
    SmallVector<kesco_pieces, 4> All;
    for (const char *Text : Parts.All) {
        const std::optional<kesco_pieces> Bytes = rangeOf(Text, *At.Push, *At.Stub, *At.Original, Read);
        if (!Bytes)
            return {};
        if (Parts.AreApart || All.empty())
            All.push_back(*Bytes);
        else
            All.back() = unite(All.back(), *Bytes);
    }
    erase_if(All, [](const kesco_pieces &Bytes) { return Bytes.begin >= Bytes.end; });
    return All;
}

SmallVector<Extent, 1> Extents::ofLaunch(const Launch &At, const Value *Pointer) const {
    const SCEV *Start = startOf(Pointer, /*IsHost=*/false);
    if (!isa_and_nonnull<SCEVConstant>(Start))
        return {};
    Type *Type = Start->getType();
    SmallVector<Extent, 1> Parts;
    for (const kesco_pieces &Bytes : bytesOf(At, readConstant))
        Parts.push_back({Evolution.getAddExpr(Start, Evolution.getConstant(Type, Bytes.begin, true)),
                         Evolution.getConstant(Type, Bytes.end - Bytes.begin), nullptr,
                         static_cast<uint64_t>(Bytes.distance), static_cast<uint64_t>(Bytes.length)});
    return Parts;
}

namespace {

/// A launch in the passes of a loop.
struct LaunchInLoop {
    const CallBase &Stub;
    const Function &Original;
    const Loop &Around;
};

} // namespace

static bool differsInPasses(const void *Context, const kesco_range_token *Argument) {
    const auto &At = *static_cast<const LaunchInLoop *>(Context);
    std::optional<GivenInteger> Given = findGiven(At.Original, *Argument);
    return Given && !Given->InMemory && !isOne(*At.Stub.getArgOperand(Given->Operand), At.Around);
}

/// True if there are ranges, and all of them are as long but elsewhere where arguments differ.
static bool allShift(ArrayRef<std::string> Within,
                     bool (*Differs)(const void *Context, const kesco_range_token *Argument),
                     const void *Context) {
    RangeParts Parts;
    for (const std::string &Text : Within)
        Parts.add(Text.c_str());
    return !Parts.All.empty() &&
           all_of(Parts.All, [&](const char *Text) { return kesco_range_shifts(Text, Differs, Context); });
}

bool Extents::shifts(const CallBase &Stub, const Function &Original, ArrayRef<std::string> Within) const {
    for (const Loop *Around = Loops.getLoopFor(Stub.getParent()); Around; Around = Around->getParentLoop()) {
        LaunchInLoop At = {Stub, Original, *Around};
        if (allShift(Within, differsInPasses, &At))
            return true;
    }
    return false;
}

namespace {

/// Two launches of one kernel.
struct TwoLaunches {
    const CallBase &Stub, &Other;
    const Function &Original;
    ScalarEvolution &Evolution;
};

} // namespace

static bool differsInLaunches(const void *Context, const kesco_range_token *Argument) {
    const auto &Two = *static_cast<const TwoLaunches *>(Context);
    std::optional<GivenInteger> Given = findGiven(Two.Original, *Argument);
    if (!Given || Given->InMemory)
        return false;
    Value *A = Two.Stub.getArgOperand(Given->Operand), *B = Two.Other.getArgOperand(Given->Operand);
    return Two.Evolution.isSCEVable(A->getType()) ? Two.Evolution.getSCEV(A) != Two.Evolution.getSCEV(B)
                                                  : A != B;
}

bool Extents::isBeside(const CallBase &Stub, const CallBase &Other, const Function &Original,
                       ArrayRef<std::string> Within) const {
    TwoLaunches Two = {Stub, Other, Original, Evolution};
    return allShift(Within, differsInLaunches, &Two);
}

const SCEV *Extents::operand(const CallBase &Call, int Number) const {
    return Evolution.getSCEV(Call.getArgOperand(static_cast<unsigned>(Number)));
}

Extent Extents::ofTransfer(const CallBase &Call, const TransferOperand &O) const {
    const SCEV *Begin = startOf(Call.getArgOperand(O.Argument), O.In != TransferOperand::Device);
    if (!Begin || O.Size < 0)
        return {};
    const SCEV *Size = operand(Call, O.Size);
    uint64_t Distance = 0, Length = 0;
    if (O.Pitch >= 0) {
        const SCEV *Pitch = operand(Call, O.Pitch), *Height = operand(Call, O.Height);
        if (!isa<SCEVConstant>(Pitch) || !isa<SCEVConstant>(Height) || Height->isZero())
            return {};
        const auto *Width = dyn_cast<SCEVConstant>(Size);
        if (Width && Width->getAPInt().ult(cast<SCEVConstant>(Pitch)->getAPInt())) {
            Distance = cast<SCEVConstant>(Pitch)->getAPInt().getZExtValue();
            Length = Width->getAPInt().getZExtValue();
        }
        const SCEV *Others = Evolution.getMinusSCEV(Height, Evolution.getOne(Height->getType()));
        Size = Evolution.getAddExpr(Evolution.getMulExpr(Pitch, Others), Size);
    }
    if (Begin->getType() != Size->getType())
        return {};
    Extent Result = extentAt(Call, Begin, Size);
    Result.Distance = Distance;
    Result.Length = Length;
    return Result;
}

Extent Extents::ofSymbol(const CallBase &Call, const TransferOperand &O) const {
    return extentAt(Call, operand(Call, O.Offset), operand(Call, O.Size));
}

/// The bytes from \p Begin on that \p Call touches. Nothing is known of values that change from pass to pass
/// of what is no loop to LLVM.
Extent Extents::extentAt(const CallBase &Call, const SCEV *Begin, const SCEV *Size) const {
    const Loop *Around = Loops.getLoopFor(Call.getParent());
    bool AreNumbers = isa<SCEVConstant>(Begin) && isa<SCEVConstant>(Size);
    if (!AreNumbers && isInCycleBesideLoops(*Call.getParent()))
        return {};
    return {Begin, Size, Around ? Around->getOutermostLoop() : nullptr};
}

/// True if control comes around \p Block on ways with more than one entry, as jumps into a loop make.
bool Extents::isInCycleBesideLoops(const BasicBlock &Block) const {
    const Cycle *Around = Cycles.getCycle(&Block);
    while (Around && Around->getParentCycle())
        Around = Around->getParentCycle();
    return Around && !Around->isReducible();
}

} // namespace kesco
