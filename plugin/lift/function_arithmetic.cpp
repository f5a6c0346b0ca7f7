#include "plugin/lift/function.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace kesco {

/// Between integers, without saturation.
bool FunctionLifter::convert(const Statement &S, const PtxOpcode &Code) {
    if (S.operand_count != 2 || Code.Types.size() != 2 || !Code.Rest.empty() || Code.Types[0].Kind == 'f' ||
        Code.Types[1].Kind == 'f' || Code.Types[0].Bits > 64 || Code.Types[1].Bits > 64)
        return false;
    auto *To = Builder.getIntNTy(Code.Types[0].Bits);
    Value *V = value(S.operands[1], Code.Types[1].Bits);
    if (!V)
        return false;
    V = Code.Types[1].Kind == 's' ? Builder.CreateSExtOrTrunc(V, To) : Builder.CreateZExtOrTrunc(V, To);
    return setResult(S, V, Code.Types[0].Kind == 's');
}

static std::optional<Instruction::BinaryOps> operationOf(const PtxOpcode &Code) {
    using Operation = std::optional<Instruction::BinaryOps>;
    const bool Signed = Code.isSigned();
    return StringSwitch<Operation>(Code.Base)
        .Case("add", Instruction::Add)
        .Case("sub", Instruction::Sub)
        .Case("and", Instruction::And)
        .Case("or", Instruction::Or)
        .Case("xor", Instruction::Xor)
        .Case("shl", Instruction::Shl)
        .Case("shr", Signed ? Instruction::AShr : Instruction::LShr)
        .Case("div", Signed ? Instruction::SDiv : Instruction::UDiv)
        .Case("rem", Signed ? Instruction::SRem : Instruction::URem)
        .Default(std::nullopt);
}

/// True if LLVM gives \p Operation another meaning than PTX, or none, for some \p Right.
static bool mayDiffer(Instruction::BinaryOps Operation, const Value *Right) {
    const auto *Number = dyn_cast<ConstantInt>(Right);
    if (Instruction::isShift(Operation))
        return !Number || Number->getValue().uge(Number->getBitWidth());
    return Instruction::isIntDivRem(Operation) && (!Number || !Number->getValue().isStrictlyPositive());
}

bool FunctionLifter::arithmetic(const Statement &S, const PtxOpcode &Code) {
    const bool OfPredicates = Code.Types.size() == 1 && Code.Types[0].Bits == 1;
    if (S.operand_count != 3 || (!Code.isInteger() && !OfPredicates) || !Code.Rest.empty())
        return false;
    const unsigned Bits = Code.Types[0].Bits;
    std::optional<Instruction::BinaryOps> Operation = operationOf(Code);
    Value *Left = value(S.operands[1], Bits), *Right = value(S.operands[2], Bits);
    if (!Left || !Right || (Operation && mayDiffer(*Operation, Right)))
        return false;
    if (Operation)
        return setResult(S, Builder.CreateBinOp(*Operation, Left, Right));
    const bool Least = Code.Base == "min";
    CmpInst::Predicate Less = Code.isSigned() ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
    Value *IsLess = Builder.CreateICmp(Less, Left, Right);
    return setResult(S, Builder.CreateSelect(IsLess, Least ? Left : Right, Least ? Right : Left));
}

/// mul and mad, where the product's lower half is taken, or all of it.
bool FunctionLifter::multiply(const Statement &S, const PtxOpcode &Code) {
    const bool Adds = Code.Base == "mad", Wide = Code.has("wide");
    if (S.operand_count != (Adds ? 4u : 3u) || !Code.isInteger() || !Code.hasOnly("lo wide") ||
        Code.Rest.size() != 1)
        return false;
    const unsigned Bits = Code.Types[0].Bits, Whole = Wide ? 2 * Bits : Bits;
    auto *Type = Builder.getIntNTy(Whole);
    Value *Left = value(S.operands[1], Bits), *Right = value(S.operands[2], Bits);
    Value *Added = Adds ? value(S.operands[3], Whole) : nullptr;
    if (!Left || !Right || (Adds && !Added) || Whole > 64)
        return false;
    auto widen = [&](Value *V) {
        return Code.isSigned() ? Builder.CreateSExt(V, Type) : Builder.CreateZExt(V, Type);
    };
    Value *Product = Builder.CreateMul(widen(Left), widen(Right), "", /*HasNUW=*/Wide && !Code.isSigned(),
                                       /*HasNSW=*/Wide && Code.isSigned());
    return setResult(S, Adds ? Builder.CreateAdd(Product, Added) : Product);
}

static CmpInst::Predicate predicateOf(StringRef Name, bool Signed) {
    return StringSwitch<CmpInst::Predicate>(Name)
        .Case("eq", CmpInst::ICMP_EQ)
        .Case("ne", CmpInst::ICMP_NE)
        .Case("lt", Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
        .Case("le", Signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
        .Case("gt", Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
        .Case("ge", Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
        .Case("lo", CmpInst::ICMP_ULT)
        .Case("ls", CmpInst::ICMP_ULE)
        .Case("hi", CmpInst::ICMP_UGT)
        .Case("hs", CmpInst::ICMP_UGE)
        .Default(CmpInst::BAD_ICMP_PREDICATE);
}

/// Of integers, with one result and nothing else that it depends on.
bool FunctionLifter::compare(const Statement &S, const PtxOpcode &Code) {
    if (S.operand_count != 3 || !Code.isInteger() || Code.Rest.size() != 1 || S.operands[0].elements != 1)
        return false;
    CmpInst::Predicate How = predicateOf(Code.Rest[0], Code.isSigned());
    Value *Left = value(S.operands[1], Code.Types[0].Bits), *Right = value(S.operands[2], Code.Types[0].Bits);
    return How != CmpInst::BAD_ICMP_PREDICATE && Left && Right &&
           setResult(S, Builder.CreateICmp(How, Left, Right));
}

bool FunctionLifter::select(const Statement &S, const PtxOpcode &Code) {
    if (S.operand_count != 4 || Code.Types.size() != 1 || !Code.Rest.empty())
        return false;
    Value *True = value(S.operands[1], Code.Types[0].Bits), *False = value(S.operands[2], Code.Types[0].Bits);
    Value *Which = value(S.operands[3], 1);
    return True && False && Which && setResult(S, Builder.CreateSelect(Which, True, False));
}

} // namespace kesco
