#include "plugin/device/ranges.h"

extern "C" {
#include "plugin/summary/range.h"
}

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kesco {

/// Of one kernel; what is beyond stays unknown.
static constexpr unsigned MostSteps = 50000, MostDepth = 200;

/// In bits: what it can count is worth to be known.
static constexpr unsigned SmallType = 16;

Interval Ranges::anyOf(const Type &T) {
    const auto *Integer = dyn_cast<IntegerType>(&T);
    return Integer && (OfTypes || Integer->getBitWidth() <= SmallType)
               ? kesco_interval_of_bits(&Terms, Integer->getBitWidth())
               : kesco_interval_unknown();
}

Interval Ranges::of(const Value *V, Place At) {
    if (const Interval *Before = Found.find({V, At}))
        return *Before;
    if (++Now.Steps > MostSteps || Now.Depth > MostDepth || !Now.InProgress.insert(V).second)
        return anyOf(*V->getType());
    ++Now.Depth;
    Interval Result = compute(V, At);
    if (!Result.isKnown())
        Result = anyOf(*V->getType());
    if (!isa<Constant>(V) && !isa<Argument>(V))
        refine(Result, V, factsAt(At), At);
    --Now.Depth;
    Now.InProgress.erase(V);
    Found.note({V, At}, Result);
    return Result;
}

const Interval *Ranges::Memory::find(const Key &Of) const {
    auto Entry = Known.find(Of);
    return Entry == Known.end() ? nullptr : &Entry->second;
}

void Ranges::Memory::note(const Key &Of, const Interval &Bounds) {
    Known[Of] = Bounds;
    Order.push_back(Of);
}

void Ranges::Memory::forgetAfter(size_t Count) {
    for (; Order.size() > Count; Order.pop_back())
        Known.erase(Order.back());
}

Interval Ranges::compute(const Value *V, Place At) {
    auto Assumed = InLoops.Assumed.find(V);
    if (Assumed != InLoops.Assumed.end())
        return Assumed->second;
    if (const auto *Number = dyn_cast<ConstantInt>(V))
        return Number->getBitWidth() <= 64 ? between(Number->getSExtValue(), Number->getSExtValue())
                                           : Interval::unknown();
    if (const auto *A = dyn_cast<Argument>(V)) {
        unsigned Bits = A->getType()->isIntegerTy() ? A->getType()->getIntegerBitWidth() : 0;
        if (Bits == 8 || Bits == 16 || Bits == 32 || Bits == 64)
            return kesco_interval_exactly(kesco_algebra_argument(&Terms, A->getArgNo(), 0, Bits));
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
        return IsGiven ? kesco_interval_exactly(
                             kesco_algebra_argument(&Terms, A->getArgNo(), Offset.getZExtValue(), Bits))
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
    case Instruction::Sub: {
        Interval A = of(I.getOperand(0), At), B = of(I.getOperand(1), At);
        return kesco_interval_minus(&Terms, &A, &B);
    }
    case Instruction::Mul:
        return times(of(I.getOperand(0), At), of(I.getOperand(1), At));
    case Instruction::Shl:
        return Number && Number->getValue().ult(std::min(62u, Number->getBitWidth()))
                   ? times(of(I.getOperand(0), At),
                           kesco_interval_exactly(number(INT64_C(1) << Number->getZExtValue())))
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
        if (Mask && Bits >= 32 && clearsLowBits(Mask->getValue()) && require(A, A.low) &&
            requireFits(A, Bits, /*Signed=*/true))
            return plus(A, between(Mask->getSExtValue() - maxIntN(Bits), 0));
        if (Mask && !Mask->isNegative())
            return between(0, Mask->getSExtValue());
        if (Mask && (-Mask->getValue()).isPowerOf2() && requireFits(A, Bits, /*Signed=*/true))
            return plus(A, between(Mask->getSExtValue() + 1, 0));
        return kesco_algebra_is_non_negative(&Terms, A.low) && requireFits(A, Bits, /*Signed=*/false)
                   ? Interval{number(0), A.high, A.conditions}
                   : Interval::unknown();
    }
    if (match(&I, m_DisjointOr(m_Value(), m_Value())))
        return plus(A, B);
    if (!requireFits(A, Bits, /*Signed=*/false) || !requireFits(B, Bits, /*Signed=*/false))
        return Interval::unknown();
    Interval Sum = plus(A, B);
    return {number(0), Sum.high, Sum.conditions};
}

/// By a number, or what is more than 0; a shift by anything else makes nothing larger.
Interval Ranges::ofQuotient(const BinaryOperator &I, Place At) {
    bool IsShift = I.getOpcode() == Instruction::LShr || I.getOpcode() == Instruction::AShr;
    bool Signed = I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::AShr;
    unsigned Bits = I.getType()->getIntegerBitWidth();
    Interval Value = of(I.getOperand(0), At);
    Value = Interval(Value.low, Value.high, Value.conditions);
    if (!requireFits(Value, Bits, Signed))
        return Interval::unknown();
    const auto *Number = dyn_cast<ConstantInt>(I.getOperand(1));
    if (!Number) {
        Interval By = of(I.getOperand(1), At), Result = Value;
        if (!requireFits(By, Bits, Signed) || (Signed && !require(Result, Value.low)) ||
            (!IsShift && !require(By, kesco_algebra_subtract(&Terms, By.low, number(1)))))
            return Interval::unknown();
        Result.low = number(0);
        if (!IsShift)
            Result.high = kesco_algebra_ratio(&Terms, Result.high, By.low);
        kesco_interval_add_conditions(&Result, &By);
        return Result;
    }
    if (IsShift ? Number->getValue().uge(std::min(62u, Bits)) : !Number->getValue().isStrictlyPositive())
        return Interval::unknown();
    int64_t By = IsShift ? INT64_C(1) << Number->getZExtValue() : Number->getSExtValue();
    return kesco_interval_quotient(&Terms, &Value, By, I.getOpcode() == Instruction::SDiv);
}

Interval Ranges::ofRemainder(const BinaryOperator &I, Place At) {
    bool Signed = I.getOpcode() == Instruction::SRem;
    unsigned Bits = I.getType()->getIntegerBitWidth();
    Interval Value = of(I.getOperand(0), At), By = of(I.getOperand(1), At);
    if (!requireFits(By, Bits, Signed) || !require(By, kesco_algebra_subtract(&Terms, By.low, number(1))))
        return Interval::unknown();
    Interval Result = {number(0), kesco_algebra_subtract(&Terms, By.high, number(1)), By.conditions};
    if (!Signed)
        return Result;
    if (Value.isKnown() && kesco_algebra_is_non_negative(&Terms, Value.low) &&
        requireFits(Value, Bits, Signed))
        kesco_interval_add_conditions(&Result, &Value);
    else
        Result.low = kesco_algebra_subtract(&Terms, number(1), By.high);
    return Result;
}

Interval Ranges::ofExtension(const CastInst &I, Place At) {
    bool Signed = I.getOpcode() == Instruction::SExt;
    unsigned Bits = I.getSrcTy()->isIntegerTy() ? I.getSrcTy()->getIntegerBitWidth() : 65;
    if (Bits > 64)
        return Interval::unknown();
    Interval Value = of(I.getOperand(0), At);
    if (!Signed && Bits < 63 && Value.isKnown() && kesco_algebra_is_negative(&Terms, Value.low) &&
        asNumber(Value.low) && asNumber(Value.high))
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

Interval Ranges::ofCall(const CallInst &I, Place At) {
    const Function *Callee = I.getCalledFunction();
    if (!Callee || !I.getType()->isIntegerTy() || I.getType()->getIntegerBitWidth() > 64)
        return Interval::unknown();
    StringRef Name = Callee->getName();
    if (Name.consume_front("llvm.nvvm.read.ptx.sreg."))
        return kesco_interval_of_register(&Terms, Name.str().c_str());
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
    return kesco_interval_choice(&Terms, &A, &B, IsLeast);
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
        Sum = plus(Sum,
                   times(Count, kesco_interval_exactly(number(static_cast<int64_t>(Size.getFixedValue())))));
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
    kesco_polynomial Added = number(static_cast<int64_t>(Size));
    Bytes.high = kesco_algebra_add(&Terms, Bytes.high, Added);
    for (kesco_rows &Rows : MutableArrayRef(Bytes.rows.items, Bytes.rows.count))
        Rows.last = kesco_algebra_add(&Terms, Rows.last, Added);
    return Bytes;
}

std::optional<int64_t> Ranges::asNumber(kesco_polynomial P) const {
    int64_t Number;
    return kesco_algebra_as_number(&Terms, P, &Number) ? std::optional(Number) : std::nullopt;
}

/// Frees \p Text, which may be null.
static std::string taken(char *Text) {
    std::string Result = Text ? Text : "";
    free(Text);
    return Result;
}

std::string Ranges::text(const Interval &Bytes) {
    return taken(kesco_interval_text(&Terms, &Bytes));
}

std::string Ranges::text(const kesco_interval_parts &Parts) {
    return taken(kesco_interval_parts_text(&Terms, &Parts));
}

} // namespace kesco
