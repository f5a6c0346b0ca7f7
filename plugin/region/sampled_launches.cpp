#include "plugin/region/sampled_launches.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace kesco {

/// The same for the same value, whatever launch it is given to, and for what is loaded from one place.
/// Primes: no value is a multiple of another. But with later seeds, later arguments are larger, as the last
/// of what goes from a first to a last has to be.
uint64_t SampledLaunches::numberOf(Known Of, const Argument *Given, unsigned Seed) {
    constexpr unsigned Least = 17, Range = 53, Step = 19, OfSeed = 11, Ascent = 3;
    Seen.insert(Of);
    const unsigned Number = find(Seen, Of) - Seen.begin();
    if (Seed < Seeds)
        return Least + (Number * Step + Seed * OfSeed) % Range;
    return Least + (Given ? Given->getArgNo() : Number) * Ascent + Seed - Seeds;
}

uint64_t SampledLaunches::numberOf(const SCEV *Of, unsigned Seed) {
    const auto *Unknown = dyn_cast<SCEVUnknown>(Of);
    const auto *Load = Unknown ? dyn_cast<LoadInst>(Unknown->getValue()) : nullptr;
    const auto *Given = Unknown ? dyn_cast<Argument>(Unknown->getValue()) : nullptr;
    if (!Load)
        return numberOf({Of, 0}, Given, Seed);
    return numberOf(
        {nullptr, valueOf(Evolution.getSCEV(const_cast<Value *>(Load->getPointerOperand())), /*Seed=*/0)},
        /*Given=*/nullptr, Seed);
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

/// What a launch's own copy of a parameter, a structure most often, has \p Size bytes of at \p Offset from: a
/// value, if nothing else is stored there, or, for what is copied as a whole, where.
static std::pair<const Value *, bool> sourceOf(const Value &Copy, uint64_t Offset, uint64_t Size) {
    const DataLayout &Layout = cast<AllocaInst>(Copy).getDataLayout();
    SmallVector<std::pair<const Value *, uint64_t>, 8> Work = {{&Copy, 0}};
    std::pair<const Value *, bool> Source = {nullptr, false};
    for (unsigned I = 0; I < Work.size(); ++I) {
        const auto [Pointer, At] = Work[I];
        for (const Use &U : Pointer->uses()) {
            const auto *Part = dyn_cast<GEPOperator>(U.getUser());
            APInt Past(64, At);
            if (Part && Part->accumulateConstantOffset(Layout, Past)) {
                Work.push_back({Part, Past.getZExtValue()});
                continue;
            }
            const auto *Store = dyn_cast<StoreInst>(U.getUser());
            const auto *Whole = dyn_cast<MemCpyInst>(U.getUser());
            const bool IsStored = Store && Store->getPointerOperand() == Pointer && At == Offset &&
                                  Layout.getTypeStoreSize(Store->getValueOperand()->getType()) == Size;
            const bool IsCopied = Whole && Whole->getRawDest() == Pointer && At == 0;
            if ((IsStored || IsCopied) && Source.first)
                return {nullptr, false};
            if (IsStored || IsCopied)
                Source = {IsStored ? Store->getValueOperand() : Whole->getRawSource(), IsCopied};
        }
    }
    return Source;
}

/// What is there of a parameter that a launch has a copy of; nothing where that is not seen.
std::optional<int64_t> SampledLaunches::bitsAt(const Value &Address, unsigned Bit, unsigned Bits,
                                               unsigned Seed) {
    if (!isa<AllocaInst>(Address))
        return std::nullopt;
    const auto [Source, IsPlace] = sourceOf(Address, Bit / 8, Bits / 8);
    if (!Source)
        return std::nullopt;
    if (!IsPlace)
        return bitsOf(*Source, 0, Bits, Seed);
    const uint64_t Place = valueOf(Evolution.getSCEV(const_cast<Value *>(Source)), /*Seed=*/0) + Bit / 8;
    return static_cast<int64_t>(numberOf({nullptr, Place}, /*Given=*/nullptr, Seed));
}

std::optional<int64_t> SampledLaunches::bitsOf(const Value &V, unsigned Bit, unsigned Bits, unsigned Seed) {
    if (V.getType()->isPointerTy())
        return bitsAt(V, Bit, Bits, Seed);
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
    for (unsigned Seed = 0; Seed < 2 * Seeds; ++Seed)
        Next.Bytes[Seed] = bytesOf(At, [&](const Value &V, unsigned Bit, unsigned Bits) {
            Next.IsSteady &= !Outermost || isOne(V, *Outermost);
            return bitsOf(V, Bit, Bits, Seed);
        });
    All.push_back(std::move(Next));
    return All.size() - 1;
}

int64_t SampledLaunches::bytes(unsigned Number) const {
    int64_t Sum = 0;
    const auto &Known = All[Number].Bytes[0].empty() ? All[Number].Bytes[Seeds] : All[Number].Bytes[0];
    for (const kesco_pieces &Bytes : Known)
        Sum += kesco_pieces_count(&Bytes);
    return Sum;
}

bool SampledLaunches::seemSame(unsigned A, unsigned B) const {
    const auto IsSame = [](const kesco_pieces &One, const kesco_pieces &Other) {
        return kesco_pieces_are_same(&One, &Other);
    };
    return all_of(zip(All[A].Bytes, All[B].Bytes),
                  [&](const auto &Each) { return equal(std::get<0>(Each), std::get<1>(Each), IsSame); });
}

/// None known of one, or some that meet: not apart.
static bool areApart(ArrayRef<kesco_pieces> A, ArrayRef<kesco_pieces> B) {
    return !A.empty() && !B.empty() && none_of(A, [&](const kesco_pieces &One) {
        return any_of(B, [&](const kesco_pieces &Other) { return kesco_pieces_meet(&One, &Other); });
    });
}

bool SampledLaunches::seemApart(unsigned A, unsigned B) const {
    const auto AreApart = [&](unsigned FirstSeed) {
        return all_of(seq(FirstSeed, FirstSeed + Seeds),
                      [&](unsigned Seed) { return areApart(All[A].Bytes[Seed], All[B].Bytes[Seed]); });
    };
    const auto IsKnown = [&](unsigned Number) {
        return none_of(ArrayRef(All[Number].Bytes).take_front(Seeds),
                       [](const auto &Bytes) { return Bytes.empty(); });
    };
    return AreApart(IsKnown(A) && IsKnown(B) ? 0 : Seeds);
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
