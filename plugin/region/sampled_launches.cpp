#include "plugin/region/sampled_launches.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace kesco {

/// The same for the same value, whatever launch it is given to, and for what is loaded from one place.
/// Primes: no value is a multiple of another.
uint64_t SampledLaunches::numberOf(const SCEV *Of, unsigned Seed) {
    constexpr unsigned Least = 17, Range = 53, Step = 19, OfSeed = 11;
    const auto *Unknown = dyn_cast<SCEVUnknown>(Of);
    const auto *Load = Unknown ? dyn_cast<LoadInst>(Unknown->getValue()) : nullptr;
    std::pair<const SCEV *, uint64_t> Key = {Of, 0};
    if (Load)
        Key = {nullptr,
               valueOf(Evolution.getSCEV(const_cast<Value *>(Load->getPointerOperand())), /*Seed=*/0)};
    Seen.insert(Key);
    const unsigned Number = find(Seen, Key) - Seen.begin();
    return Least + (Number * Step + Seed * OfSeed) % Range;
}

/// Computed as the program does, from numbers for what that begins with.
uint64_t SampledLaunches::valueOf(const SCEV *Of, unsigned Seed) {
    const auto Fold = [&](const SCEVNAryExpr &Parts, function_ref<uint64_t(uint64_t, uint64_t)> Combine) {
        uint64_t Value = valueOf(Parts.getOperand(0), Seed);
        for (const SCEV *Next : drop_begin(Parts.operands()))
            Value = Combine(Value, valueOf(Next, Seed));
        return Value;
    };
    if (const auto *Number = dyn_cast<SCEVConstant>(Of))
        return static_cast<uint64_t>(Number->getAPInt().sextOrTrunc(64).getSExtValue());
    if (const auto *Cast = dyn_cast<SCEVCastExpr>(Of); Cast && !isa<SCEVPtrToIntExpr>(Of))
        return valueOf(Cast->getOperand(), Seed);
    if (isa<SCEVAddExpr>(Of))
        return Fold(*cast<SCEVNAryExpr>(Of), std::plus<uint64_t>());
    if (isa<SCEVMulExpr>(Of))
        return Fold(*cast<SCEVNAryExpr>(Of), std::multiplies<uint64_t>());
    if (isa<SCEVSMaxExpr, SCEVUMaxExpr>(Of))
        return Fold(*cast<SCEVNAryExpr>(Of), [](uint64_t A, uint64_t B) { return std::max(A, B); });
    if (isa<SCEVSMinExpr, SCEVUMinExpr>(Of))
        return Fold(*cast<SCEVNAryExpr>(Of), [](uint64_t A, uint64_t B) { return std::min(A, B); });
    if (const auto *Quotient = dyn_cast<SCEVUDivExpr>(Of))
        return valueOf(Quotient->getLHS(), Seed) / std::max<uint64_t>(valueOf(Quotient->getRHS(), Seed), 1);
    const auto *Unknown = dyn_cast<SCEVUnknown>(Of);
    const auto *I = Unknown ? dyn_cast<BinaryOperator>(Unknown->getValue()) : nullptr;
    const auto OperandOf = [&](unsigned Number) {
        return valueOf(Evolution.getSCEV(I->getOperand(Number)), Seed);
    };
    if (I && I->getOpcode() == Instruction::Or) /* as two sizes are passed in one number */
        return OperandOf(0) | OperandOf(1);
    if (I && I->getOpcode() == Instruction::SDiv)
        return OperandOf(0) / std::max<uint64_t>(OperandOf(1), 1);
    return numberOf(Of, Seed);
}

int64_t SampledLaunches::bitsOf(const Value &V, unsigned Bit, unsigned Bits, unsigned Seed) {
    const KnownBits Known = computeKnownBits(&V, Evolution.getDataLayout()).extractBits(Bits, Bit);
    if (Known.isConstant())
        return Known.getConstant().getSExtValue();
    const uint64_t Whole = valueOf(Evolution.getSCEV(const_cast<Value *>(&V)), Seed);
    return SignExtend64(Whole >> Bit, Bits);
}

unsigned SampledLaunches::add(const Launch &At, const LoopInfo &Loops) {
    const Loop *Around = Loops.getLoopFor(At.Stub->getParent());
    const Loop *Outermost = Around ? Around->getOutermostLoop() : nullptr;
    Sampled Next = {At};
    for (unsigned Seed = 0; Seed < Seeds; ++Seed)
        Next.Bytes[Seed] = bytesOf(At, [&](const Value &V, unsigned Bit, unsigned Bits) {
            Next.IsSteady &= !Outermost || isOne(V, *Outermost);
            return bitsOf(V, Bit, Bits, Seed);
        });
    All.push_back(std::move(Next));
    return All.size() - 1;
}

int64_t SampledLaunches::bytes(unsigned Number) const {
    int64_t Sum = 0;
    for (const kesco_range_bytes &Bytes : All[Number].Bytes[0])
        Sum += kesco_range_bytes_count(&Bytes);
    return Sum;
}

static bool isSame(const kesco_range_bytes &A, const kesco_range_bytes &B) {
    return A.begin == B.begin && A.end == B.end && A.distance == B.distance && A.length == B.length;
}

bool SampledLaunches::seemSame(unsigned A, unsigned B) const {
    for (auto [One, Other] : zip(All[A].Bytes, All[B].Bytes))
        if (!equal(One, Other, isSame))
            return false;
    return true;
}

static bool areApart(ArrayRef<kesco_range_bytes> A, ArrayRef<kesco_range_bytes> B) {
    return !A.empty() && !B.empty() && none_of(A, [&](const kesco_range_bytes &One) {
        return any_of(B,
                      [&](const kesco_range_bytes &Other) { return kesco_range_bytes_meet(&One, &Other); });
    });
}

bool SampledLaunches::seemApart(unsigned A, unsigned B) const {
    for (auto [One, Other] : zip(All[A].Bytes, All[B].Bytes))
        if (!areApart(One, Other))
            return false;
    return true;
}

bool SampledLaunches::isBesideWrites(const Value &Pointer, unsigned Number) {
    constexpr unsigned Most = 64;
    if (Writes.size() == Most)
        return false;
    const bool IsBeside = any_of(Writes, [&](const auto &Other) {
        return Other.first == &Pointer && All[Other.second].At.Original != All[Number].At.Original &&
               seemApart(Number, Other.second);
    });
    Writes.push_back({&Pointer, Number});
    return IsBeside;
}

} // namespace kesco
