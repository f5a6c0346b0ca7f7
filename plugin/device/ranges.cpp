#include "plugin/device/ranges.h"

extern "C" {
#include "plugin/summary/range.h"
}

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kesco {

/// Of one kernel; what is beyond stays unknown.
static constexpr unsigned MostSteps = 50000, MostConditions = 24, MostDepth = 200;

void Ranges::addConditions(Interval &To, const Interval &From) {
    for (kesco_polynomial P : From.Conditions)
        if (!is_contained(To.Conditions, P))
            To.Conditions.push_back(P);
    if (To.Conditions.size() > MostConditions)
        To = Interval::unknown();
}

bool Ranges::require(Interval &Bounds, kesco_polynomial P) {
    if (P == KESCO_POLYNOMIAL_UNKNOWN || kesco_algebra_is_negative(&Terms, P)) {
        Bounds = Interval::unknown();
        return false;
    }
    auto Implies = [&](kesco_polynomial Other) {
        return kesco_algebra_is_non_negative(&Terms, kesco_algebra_subtract(&Terms, P, Other));
    };
    if (!kesco_algebra_is_non_negative(&Terms, P) && !any_of(Bounds.Conditions, Implies))
        addConditions(Bounds, {KESCO_POLYNOMIAL_ZERO, KESCO_POLYNOMIAL_ZERO, {P}});
    return Bounds.isKnown();
}

bool Ranges::requireFits(Interval &Bounds, unsigned Bits, bool Signed) {
    if (!Bounds.isKnown() || Bits > 64)
        return false;
    /* of 64 bits half is enough, so that what is beside it can be computed with */
    int64_t Most = Bits == 64 ? INT64_MAX / 2 : (INT64_C(1) << (Bits - Signed)) - 1;
    int64_t Least = Signed ? -Most - 1 : 0;
    kesco_polynomial Low = Bounds.Low, High = Bounds.High;
    return require(Bounds, kesco_algebra_subtract(&Terms, Low, kesco_algebra_number(&Terms, Least))) &&
           require(Bounds, kesco_algebra_subtract(&Terms, kesco_algebra_number(&Terms, Most), High));
}

Interval Ranges::anyOf(const Type &T) {
    const auto *Integer = dyn_cast<IntegerType>(&T);
    if (!Integer || Integer->getBitWidth() > 64)
        return Interval::unknown();
    int64_t Most =
        Integer->getBitWidth() == 64 ? INT64_MAX : (INT64_C(1) << (Integer->getBitWidth() - 1)) - 1;
    return between(-Most - 1, Most);
}

Interval Ranges::plus(const Interval &A, const Interval &B) {
    Interval Sum = {kesco_algebra_add(&Terms, A.Low, B.Low), kesco_algebra_add(&Terms, A.High, B.High),
                    A.Conditions, rowsOfSum(A, B)};
    addConditions(Sum, B);
    return Sum;
}

Interval Ranges::minus(const Interval &A, const Interval &B) {
    kesco_polynomial MinusOne = kesco_algebra_number(&Terms, -1);
    Interval Negative = {kesco_algebra_multiply(&Terms, B.High, MinusOne),
                         kesco_algebra_multiply(&Terms, B.Low, MinusOne), B.Conditions};
    if (B.In.areKnown())
        Negative.In = {B.In.Pitch, kesco_algebra_multiply(&Terms, B.In.Last, MinusOne),
                       kesco_algebra_multiply(&Terms, B.In.First, MinusOne)};
    return plus(A, Negative);
}

/// With one number that is not below 0, bounds stay in order; without, both have to be that.
Interval Ranges::times(const Interval &A, const Interval &B) {
    if (!A.isKnown() || !B.isKnown())
        return Interval::unknown();
    if (A.Low == A.High && !(B.Low == B.High))
        return times(B, A);
    Interval Product = {A.Low, A.High, A.Conditions};
    addConditions(Product, B);
    bool IsOne = B.Low == B.High;
    if (IsOne && kesco_algebra_is_negative(&Terms, B.High)) {
        std::swap(Product.Low, Product.High);
    } else {
        if (!require(Product, B.Low) || (!IsOne && !require(Product, A.Low)))
            return Interval::unknown();
        if (IsOne)
            Product.In = rowsOfProduct(A, B.Low);
    }
    Product.Low = kesco_algebra_multiply(&Terms, Product.Low, B.Low);
    Product.High = kesco_algebra_multiply(&Terms, Product.High, B.High);
    return Product;
}

Interval Ranges::hull(const Interval &A, const Interval &B) {
    if (!A.isKnown() || !B.isKnown())
        return Interval::unknown();
    Interval Both = {kesco_algebra_least(&Terms, A.Low, B.Low),
                     kesco_algebra_greatest(&Terms, A.High, B.High), A.Conditions, rowsOfBoth(A, B)};
    addConditions(Both, B);
    return Both;
}

Interval Ranges::of(const Value *V, Place At) {
    auto Key = std::pair(V, At);
    auto Found = Known.find(Key);
    if (Found != Known.end())
        return Found->second;
    if (++Steps > MostSteps || Depth > MostDepth || !InProgress.insert(V).second)
        return anyOf(*V->getType());
    ++Depth;
    Interval Result = compute(V, At);
    if (!Result.isKnown())
        Result = anyOf(*V->getType());
    if (!isa<Constant>(V) && !isa<Argument>(V))
        refine(Result, V, factsAt(At), At);
    --Depth;
    InProgress.erase(V);
    note(Key, Result);
    return Result;
}

void Ranges::note(const std::pair<const Value *, Place> &Key, const Interval &Bounds) {
    Known[Key] = Bounds;
    Order.push_back(Key);
}

void Ranges::forgetSince(size_t Before) {
    for (; Order.size() > Before; Order.pop_back())
        Known.erase(Order.back());
}

Interval Ranges::compute(const Value *V, Place At) {
    auto Found = Assumed.find(V);
    if (Found != Assumed.end())
        return Found->second;
    if (const auto *Number = dyn_cast<ConstantInt>(V))
        return Number->getBitWidth() <= 64 ? between(Number->getSExtValue(), Number->getSExtValue())
                                           : Interval::unknown();
    if (const auto *A = dyn_cast<Argument>(V)) {
        unsigned Bits = A->getType()->isIntegerTy() ? A->getType()->getIntegerBitWidth() : 0;
        if (Bits == 8 || Bits == 16 || Bits == 32 || Bits == 64)
            return exactly(kesco_algebra_argument(&Terms, A->getArgNo(), 0, Bits));
    }
    if (const auto *Offset = dyn_cast<GEPOperator>(V))
        return V->getType()->isPointerTy() ? plus(of(Offset->getPointerOperand(), At), ofOffset(*Offset, At))
                                           : Interval::unknown();
    if (V->getType()->isPointerTy() && !isa<PHINode, SelectInst, AddrSpaceCastInst>(V))
        return between(0, 0); /* the root */
    const auto *I = dyn_cast<Instruction>(V);
    return I ? ofInstruction(*I, At) : Interval::unknown();
}

Interval Ranges::ofInstruction(const Instruction &I, Place At) {
    switch (I.getOpcode()) {
    case Instruction::PHI: {
        const auto &Phi = cast<PHINode>(I);
        const Loop *L = Loops.getLoopFor(I.getParent());
        return L && L->getHeader() == I.getParent() ? ofHeader(Phi, *L) : ofChoice(Phi);
    }
    case Instruction::Select:
        return ofSelect(cast<SelectInst>(I), At);
    case Instruction::Trunc:
    case Instruction::Freeze:
    case Instruction::AddrSpaceCast:
        return of(I.getOperand(0), At);
    case Instruction::SExt:
    case Instruction::ZExt:
        return ofExtension(cast<CastInst>(I), At);
    case Instruction::Call:
        return ofCall(cast<CallInst>(I), At);
    case Instruction::Load: {
        const auto &Load = cast<LoadInst>(I);
        APInt Offset(I.getDataLayout().getIndexTypeSizeInBits(Load.getPointerOperandType()), 0);
        const auto *A = dyn_cast<Argument>(Load.getPointerOperand()->stripAndAccumulateConstantOffsets(
            I.getDataLayout(), Offset, /*AllowNonInbounds=*/true));
        unsigned Bits = I.getType()->isIntegerTy() ? I.getType()->getIntegerBitWidth() : 0;
        bool IsGiven = A && A->hasByValAttr() && Offset.ult(UINT32_MAX) &&
                       (Bits == 8 || Bits == 16 || Bits == 32 || Bits == 64);
        return IsGiven ? exactly(kesco_algebra_argument(&Terms, A->getArgNo(), Offset.getZExtValue(), Bits))
                       : Interval::unknown();
    }
    default:
        return isa<BinaryOperator>(I) ? ofBinary(cast<BinaryOperator>(I), At) : Interval::unknown();
    }
}

Interval Ranges::ofBinary(const BinaryOperator &I, Place At) {
    const auto *Number = dyn_cast<ConstantInt>(I.getOperand(1));
    if (!I.getType()->isIntegerTy() || I.getType()->getIntegerBitWidth() > 64)
        return Interval::unknown();
    switch (I.getOpcode()) {
    case Instruction::Add:
        return plus(of(I.getOperand(0), At), of(I.getOperand(1), At));
    case Instruction::Sub:
        return minus(of(I.getOperand(0), At), of(I.getOperand(1), At));
    case Instruction::Mul:
        return times(of(I.getOperand(0), At), of(I.getOperand(1), At));
    case Instruction::Shl:
        return Number && Number->getValue().ult(std::min(62u, Number->getBitWidth()))
                   ? times(of(I.getOperand(0), At),
                           exactly(kesco_algebra_number(&Terms, INT64_C(1) << Number->getZExtValue())))
                   : Interval::unknown();
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::LShr:
    case Instruction::AShr:
        return ofQuotient(I, At);
    case Instruction::URem:
    case Instruction::SRem:
        return ofRemainder(I, At);
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
        return ofLogic(I, At);
    default:
        return Interval::unknown();
    }
}

/// True if of what is not negative, \p Mask clears some of the lowest bits, and nothing else.
static bool clearsLowBits(const APInt &Mask) {
    return !Mask.isNegative() && (APInt::getSignedMaxValue(Mask.getBitWidth()) - Mask + 1).isPowerOf2() &&
           Mask.countl_zero() == 1;
}

Interval Ranges::ofLogic(const BinaryOperator &I, Place At) {
    Interval A = of(I.getOperand(0), At), B = of(I.getOperand(1), At);
    unsigned Bits = I.getType()->getIntegerBitWidth();
    if (I.getOpcode() == Instruction::And) {
        const auto *Mask = dyn_cast<ConstantInt>(I.getOperand(1));
        if (Mask && Bits >= 32 && clearsLowBits(Mask->getValue()) && require(A, A.Low) &&
            requireFits(A, Bits, /*Signed=*/true))
            return plus(A, between(Mask->getSExtValue() - maxIntN(Bits), 0));
        if (Mask && !Mask->isNegative())
            return between(0, Mask->getSExtValue());
        if (Mask && (-Mask->getValue()).isPowerOf2() && requireFits(A, Bits, /*Signed=*/true))
            return plus(A, between(Mask->getSExtValue() + 1, 0));
        return kesco_algebra_is_non_negative(&Terms, A.Low) && requireFits(A, Bits, /*Signed=*/false)
                   ? Interval{kesco_algebra_number(&Terms, 0), A.High, A.Conditions}
                   : Interval::unknown();
    }
    if (match(&I, m_DisjointOr(m_Value(), m_Value())))
        return plus(A, B);
    if (!requireFits(A, Bits, /*Signed=*/false) || !requireFits(B, Bits, /*Signed=*/false))
        return Interval::unknown();
    Interval Sum = plus(A, B);
    return {kesco_algebra_number(&Terms, 0), Sum.High, Sum.Conditions};
}

/// By a number; of anything else it is known only that it makes nothing larger.
Interval Ranges::ofQuotient(const BinaryOperator &I, Place At) {
    bool IsShift = I.getOpcode() == Instruction::LShr || I.getOpcode() == Instruction::AShr;
    bool Signed = I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::AShr;
    unsigned Bits = I.getType()->getIntegerBitWidth();
    Interval Value = of(I.getOperand(0), At);
    Value.In = {};
    if (!requireFits(Value, Bits, Signed))
        return Interval::unknown();
    const auto *Number = dyn_cast<ConstantInt>(I.getOperand(1));
    if (!Number) {
        Interval By = of(I.getOperand(1), At), Result = Value;
        if (!requireFits(By, Bits, Signed) || (Signed && !require(Result, Value.Low)) ||
            (!IsShift &&
             !require(By, kesco_algebra_subtract(&Terms, By.Low, kesco_algebra_number(&Terms, 1)))))
            return Interval::unknown();
        Result.Low = kesco_algebra_number(&Terms, 0);
        addConditions(Result, By);
        return Result;
    }
    if (IsShift ? Number->getValue().uge(std::min(62u, Bits)) : !Number->getValue().isStrictlyPositive())
        return Interval::unknown();
    int64_t By = IsShift ? INT64_C(1) << Number->getZExtValue() : Number->getSExtValue();
    Value.Low = kesco_algebra_quotient(&Terms, Value.Low, By);
    Value.High = kesco_algebra_quotient(&Terms, Value.High, By);
    if (I.getOpcode() == Instruction::SDiv) /* it rounds towards 0 */
        Value.High = kesco_algebra_is_non_negative(&Terms, Value.High)
                         ? Value.High
                         : kesco_algebra_greatest(&Terms, Value.High, kesco_algebra_number(&Terms, 0));
    return Value;
}

Interval Ranges::ofRemainder(const BinaryOperator &I, Place At) {
    bool Signed = I.getOpcode() == Instruction::SRem;
    unsigned Bits = I.getType()->getIntegerBitWidth();
    Interval Value = of(I.getOperand(0), At), By = of(I.getOperand(1), At);
    if (!requireFits(By, Bits, Signed) ||
        !require(By, kesco_algebra_subtract(&Terms, By.Low, kesco_algebra_number(&Terms, 1))))
        return Interval::unknown();
    Interval Result = {kesco_algebra_number(&Terms, 0),
                       kesco_algebra_subtract(&Terms, By.High, kesco_algebra_number(&Terms, 1)),
                       By.Conditions};
    if (!Signed)
        return Result;
    if (Value.isKnown() && kesco_algebra_is_non_negative(&Terms, Value.Low) &&
        requireFits(Value, Bits, Signed))
        addConditions(Result, Value);
    else
        Result.Low = kesco_algebra_subtract(&Terms, kesco_algebra_number(&Terms, 1), By.High);
    return Result;
}

Interval Ranges::ofExtension(const CastInst &I, Place At) {
    bool Signed = I.getOpcode() == Instruction::SExt;
    unsigned Bits = I.getSrcTy()->isIntegerTy() ? I.getSrcTy()->getIntegerBitWidth() : 65;
    if (Bits > 64)
        return Interval::unknown();
    Interval Value = of(I.getOperand(0), At);
    if (!Signed && Bits < 63 && Value.isKnown() && kesco_algebra_is_negative(&Terms, Value.Low) &&
        asNumber(Value.Low) && asNumber(Value.High))
        return between(0, (INT64_C(1) << Bits) - 1);
    if (requireFits(Value, Bits, Signed))
        return Value;
    return Signed ? anyOf(*I.getSrcTy()) : Interval::unknown();
}

Interval Ranges::ofSelect(const SelectInst &I, Place At) {
    Interval True = of(I.getTrueValue(), At), False = of(I.getFalseValue(), At);
    auto *Condition = const_cast<Value *>(I.getCondition());
    refine(True, I.getTrueValue(), factsOf(Condition, true), At);
    refine(False, I.getFalseValue(), factsOf(Condition, false), At);
    return hull(True, False);
}

/// The special register called \p Name (PTX ISA, "Special Registers").
Interval Ranges::ofRegister(StringRef Name) {
    auto [Which, AxisName] = Name.split('.');
    unsigned Axis = StringSwitch<unsigned>(AxisName).Case("x", 0).Case("y", 1).Case("z", 2).Default(3);
    if (Name == "laneid")
        return between(0, 31);
    if (Name == "warpsize")
        return between(32, 32);
    if (Axis > 2)
        return Interval::unknown();
    kesco_polynomial One = kesco_algebra_number(&Terms, 1);
    if (Which == "tid")
        return {kesco_algebra_number(&Terms, 0),
                kesco_algebra_subtract(&Terms, kesco_algebra_block_size(&Terms, Axis), One),
                {}};
    if (Which == "ctaid")
        return {kesco_algebra_number(&Terms, 0),
                kesco_algebra_subtract(&Terms, kesco_algebra_grid_size(&Terms, Axis), One),
                {}};
    if (Which == "ntid")
        return exactly(kesco_algebra_block_size(&Terms, Axis));
    return Which == "nctaid" ? exactly(kesco_algebra_grid_size(&Terms, Axis)) : Interval::unknown();
}

Interval Ranges::ofCall(const CallInst &I, Place At) {
    const Function *Callee = I.getCalledFunction();
    if (!Callee || !I.getType()->isIntegerTy() || I.getType()->getIntegerBitWidth() > 64)
        return Interval::unknown();
    StringRef Name = Callee->getName();
    if (Name.consume_front("llvm.nvvm.read.ptx.sreg."))
        return ofRegister(Name);
    enum Choice { None, SMin, SMax, UMin, UMax };
    Choice Chosen = StringSwitch<Choice>(Name)
                        .Case("__nv_min", SMin)
                        .Case("__nv_llmin", SMin)
                        .Case("__nv_max", SMax)
                        .Case("__nv_llmax", SMax)
                        .Case("__nv_umin", UMin)
                        .Case("__nv_ullmin", UMin)
                        .Case("__nv_umax", UMax)
                        .Case("__nv_ullmax", UMax)
                        .StartsWith("llvm.smin.", SMin)
                        .StartsWith("llvm.smax.", SMax)
                        .StartsWith("llvm.umin.", UMin)
                        .StartsWith("llvm.umax.", UMax)
                        .Default(None);
    if (Chosen == None)
        return Interval::unknown();
    bool Signed = Chosen == SMin || Chosen == SMax, IsLeast = Chosen == SMin || Chosen == UMin;
    unsigned Bits = I.getType()->getIntegerBitWidth();
    Interval A = of(I.getArgOperand(0), At), B = of(I.getArgOperand(1), At);
    if (!requireFits(A, Bits, Signed) || !requireFits(B, Bits, Signed))
        return Interval::unknown();
    Interval Result = {IsLeast ? kesco_algebra_least(&Terms, A.Low, B.Low)
                               : kesco_algebra_greatest(&Terms, A.Low, B.Low),
                       IsLeast ? kesco_algebra_least(&Terms, A.High, B.High)
                               : kesco_algebra_greatest(&Terms, A.High, B.High),
                       A.Conditions};
    addConditions(Result, B);
    return Result;
}

/// What \p I adds to its pointer.
Interval Ranges::ofOffset(const GEPOperator &I, Place At) {
    const DataLayout &Layout = Kernel.getDataLayout();
    Interval Sum = between(0, 0);
    for (auto Step = gep_type_begin(I); Step != gep_type_end(I); ++Step) {
        const Value *Index = Step.getOperand();
        if (StructType *Struct = Step.getStructTypeOrNull()) {
            auto Offset = static_cast<int64_t>(Layout.getStructLayout(Struct)->getElementOffset(
                static_cast<unsigned>(cast<ConstantInt>(Index)->getZExtValue())));
            Sum = plus(Sum, between(Offset, Offset));
            continue;
        }
        TypeSize Size = Step.getSequentialElementStride(Layout);
        Interval Count = Index->getType()->isIntegerTy() ? of(Index, At) : Interval::unknown();
        if (Size.isScalable() || !Count.isKnown() ||
            !requireFits(Count, Index->getType()->getIntegerBitWidth(), /*Signed=*/true))
            return Interval::unknown();
        Sum = plus(
            Sum,
            times(Count, exactly(kesco_algebra_number(&Terms, static_cast<int64_t>(Size.getFixedValue())))));
    }
    return Sum;
}

Interval Ranges::ofChoice(const PHINode &Phi) {
    Interval Both;
    for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I) {
        Interval One = of(Phi.getIncomingValue(I), {Phi.getIncomingBlock(I), Phi.getParent()});
        Both = I == 0 ? One : hull(Both, One);
    }
    return Both;
}

const Value *Ranges::rootOf(const Value *Address) {
    SmallVector<const Value *, 8> Left = {Address};
    SmallPtrSet<const Value *, 8> Seen;
    const Value *Root = nullptr;
    while (!Left.empty()) {
        const Value *V = Left.pop_back_val();
        if (!Seen.insert(V).second)
            continue;
        const auto *I = dyn_cast<Instruction>(V);
        if (const auto *Offset = dyn_cast<GEPOperator>(V)) {
            Left.push_back(Offset->getPointerOperand());
        } else if (I && isa<PHINode, SelectInst, AddrSpaceCastInst, FreezeInst>(I)) {
            for (const Use &U : drop_begin(I->operands(), isa<SelectInst>(I)))
                Left.push_back(U.get());
        } else if (Root) {
            return nullptr;
        } else {
            Root = V;
        }
    }
    return Root;
}

Interval Ranges::bytesOf(const Instruction &I, const Value *Address, uint64_t Size) {
    Interval Bytes = of(Address, {I.getParent()});
    if (Size > INT32_MAX)
        return Interval::unknown();
    kesco_polynomial Added = kesco_algebra_number(&Terms, static_cast<int64_t>(Size));
    Bytes.High = kesco_algebra_add(&Terms, Bytes.High, Added);
    Bytes.In.Last = kesco_algebra_add(&Terms, Bytes.In.Last, Added);
    return Bytes;
}

std::optional<int64_t> Ranges::asNumber(kesco_polynomial P) const {
    int64_t Number;
    return kesco_algebra_as_number(&Terms, P, &Number) ? std::optional(Number) : std::nullopt;
}

/// Without memory, what is no range.
std::string Ranges::textOf(kesco_polynomial P) const {
    char *Text = kesco_algebra_text(&Terms, P);
    std::string Result = Text ? Text : "";
    free(Text);
    return Result;
}

} // namespace kesco
