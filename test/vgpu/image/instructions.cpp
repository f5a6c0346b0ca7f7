#include "instructions.h"
#include "library.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

using namespace llvm;

namespace vgpu {

using Instruction = PtxInstruction;

std::optional<PtxType> onlyType(const Instruction &Inst, StringRef Classes) {
    if (Inst.Types.size() != 1 || !Classes.contains(Inst.Types[0].Class))
        return std::nullopt;
    return Inst.Types[0];
}

SmallVector<Value *, 3> sources(Assembly &A, const Instruction &Inst, PtxType Type, size_t Count) {
    SmallVector<Value *, 3> Values;
    if (Inst.Operands.size() != Count + 1)
        return {};
    for (const kesco_ptx_operand &Operand : Inst.Operands.drop_front()) {
        Value *V = A.value(Operand, Type);
        if (!V)
            return {};
        Values.push_back(V);
    }
    return Values;
}

bool setFirst(Assembly &A, const Instruction &Inst, Value *V, PtxType Type) {
    return V && A.set(Inst.Operands[0], 0, V, Type);
}

namespace {

/* Arithmetic */

Value *extreme(IRBuilder<> &B, PtxType Type, bool IsLeast, Value *X, Value *Y) {
    if (Type.isReal())
        return B.CreateBinaryIntrinsic(IsLeast ? Intrinsic::minnum : Intrinsic::maxnum, X, Y);
    const Intrinsic::ID Signed = IsLeast ? Intrinsic::smin : Intrinsic::smax;
    return B.CreateBinaryIntrinsic(Type.isSigned() ? Signed
                                   : IsLeast       ? Intrinsic::umin
                                                   : Intrinsic::umax,
                                   X, Y);
}

Value *combine(IRBuilder<> &B, PtxType Type, Op What, Value *X, Value *Y) {
    switch (What) {
    case Op::Add:
        return Type.isReal() ? B.CreateFAdd(X, Y) : B.CreateAdd(X, Y);
    case Op::Sub:
        return Type.isReal() ? B.CreateFSub(X, Y) : B.CreateSub(X, Y);
    case Op::And:
        return B.CreateAnd(X, Y);
    case Op::Or:
        return B.CreateOr(X, Y);
    case Op::Xor:
        return B.CreateXor(X, Y);
    case Op::Min:
    case Op::Max:
        return extreme(B, Type, What == Op::Min, X, Y);
    default:
        return nullptr;
    }
}

bool emitBinary(Assembly &A, const Instruction &Inst, Op What) {
    const bool IsLogic = What == Op::And || What == Op::Or || What == Op::Xor;
    const std::optional<PtxType> Type = onlyType(Inst, IsLogic ? "bp" : "usf");
    if (!Type || (Inst.has("rn") && !Type->isReal()))
        return false;
    const auto Given = sources(A, Inst, *Type, 2);
    return !Given.empty() && setFirst(A, Inst, combine(A.B, *Type, What, Given[0], Given[1]), *Type);
}

bool emitUnary(Assembly &A, const Instruction &Inst, Op What) {
    const bool IsBits = What == Op::Not || What == Op::Count || What == Op::Zeros || What == Op::Reverse;
    const std::optional<PtxType> Type = onlyType(Inst, IsBits ? "bp" : "sf");
    const auto Given = Type ? sources(A, Inst, *Type, 1) : SmallVector<Value *, 3>();
    if (Given.empty())
        return false;
    IRBuilder<> &B = A.B;
    switch (What) {
    case Op::Not:
        return setFirst(A, Inst, B.CreateNot(Given[0]), *Type);
    case Op::Neg:
        return setFirst(A, Inst, Type->isReal() ? B.CreateFNeg(Given[0]) : B.CreateNeg(Given[0]), *Type);
    case Op::Abs:
        return setFirst(A, Inst,
                        Type->isReal() ? B.CreateUnaryIntrinsic(Intrinsic::fabs, Given[0])
                                       : B.CreateBinaryIntrinsic(Intrinsic::abs, Given[0], B.getFalse()),
                        *Type);
    case Op::Reverse:
        return setFirst(A, Inst, B.CreateUnaryIntrinsic(Intrinsic::bitreverse, Given[0]), *Type);
    case Op::Count:
        return setFirst(A, Inst, B.CreateUnaryIntrinsic(Intrinsic::ctpop, Given[0]), {'u', Type->Bits});
    default:
        return setFirst(A, Inst, B.CreateBinaryIntrinsic(Intrinsic::ctlz, Given[0], B.getFalse()),
                        {'u', Type->Bits});
    }
}

Value *functionOf(IRBuilder<> &B, Value *X, Op What) {
    switch (What) {
    case Op::Reciprocal:
        return B.CreateFDiv(ConstantFP::get(X->getType(), 1), X);
    case Op::Root:
        return B.CreateUnaryIntrinsic(Intrinsic::sqrt, X);
    case Op::ReciprocalRoot:
        return functionOf(B, functionOf(B, X, Op::Root), Op::Reciprocal);
    case Op::Power:
        return B.CreateUnaryIntrinsic(Intrinsic::exp2, X);
    case Op::Logarithm:
        return B.CreateUnaryIntrinsic(Intrinsic::log2, X);
    case Op::Sine:
        return B.CreateUnaryIntrinsic(Intrinsic::sin, X);
    case Op::Cosine:
        return B.CreateUnaryIntrinsic(Intrinsic::cos, X);
    default:
        return B.CreateUnaryIntrinsic(Intrinsic::tanh, X);
    }
}

/// Functions of one number. What may be approximate is as exact as the host has it.
bool emitFunction(Assembly &A, const Instruction &Inst, Op What) {
    const std::optional<PtxType> Type = onlyType(Inst, "f");
    const auto Given = Type && (Inst.has("approx") || Inst.has("rn")) ? sources(A, Inst, *Type, 1)
                                                                      : SmallVector<Value *, 3>();
    return !Given.empty() && setFirst(A, Inst, functionOf(A.B, Given[0], What), *Type);
}

bool emitDivide(Assembly &A, const Instruction &Inst, Op) {
    const std::optional<PtxType> Type = onlyType(Inst, "usf");
    const auto Given = Type && Type->isReal() == !Inst.Modifiers.empty() ? sources(A, Inst, *Type, 2)
                                                                         : SmallVector<Value *, 3>();
    if (Given.empty())
        return false;
    return setFirst(A, Inst,
                    Type->isReal()     ? A.B.CreateFDiv(Given[0], Given[1])
                    : Type->isSigned() ? A.B.CreateSDiv(Given[0], Given[1])
                                       : A.B.CreateUDiv(Given[0], Given[1]),
                    *Type);
}

/// An amount beyond the width counts as the width.
bool emitShift(Assembly &A, const Instruction &Inst, Op What) {
    const std::optional<PtxType> Type = onlyType(Inst, What == Op::Left ? "b" : "bus");
    if (!Type || Inst.Operands.size() != 3)
        return false;
    IRBuilder<> &B = A.B;
    Value *V = A.value(Inst.Operands[1], *Type), *Amount = A.value(Inst.Operands[2], {'u', 32});
    if (!V || !Amount)
        return false;
    Value *IsAll = B.CreateICmpUGE(Amount, B.getInt32(Type->Bits));
    Value *Within =
        B.CreateZExtOrTrunc(B.CreateSelect(IsAll, B.getInt32(Type->Bits - 1), Amount), V->getType());
    if (Type->isSigned())
        return setFirst(A, Inst, B.CreateAShr(V, Within), *Type);
    Value *Shifted = What == Op::Left ? B.CreateShl(V, Within) : B.CreateLShr(V, Within);
    return setFirst(A, Inst, B.CreateSelect(IsAll, ConstantInt::get(V->getType(), 0), Shifted), *Type);
}

Value *widened(IRBuilder<> &B, Value *V, PtxType Type) {
    return B.CreateIntCast(V, B.getIntNTy(2 * Type.Bits), Type.isSigned());
}

/// A product of which the modifier says which part; with \p Added, that is added.
bool emitProduct(Assembly &A, const Instruction &Inst, PtxType Type, bool Adds) {
    if (Inst.Operands.size() != (Adds ? 4 : 3) || Inst.Modifiers.size() != 1 ||
        Type.Bits > (Inst.has("wide") ? 32 : 64))
        return false;
    const bool Wide = Inst.has("wide");
    if (!Wide && !Inst.has("lo") && !Inst.has("hi"))
        return false;
    const PtxType Result = {Type.Class, Wide ? 2 * Type.Bits : Type.Bits};
    IRBuilder<> &B = A.B;
    Value *X = A.value(Inst.Operands[1], Type), *Y = A.value(Inst.Operands[2], Type);
    Value *Addend = Adds ? A.value(Inst.Operands[3], Result) : nullptr;
    if (!X || !Y || (Adds && !Addend))
        return false;
    Value *Product =
        Inst.has("lo") ? B.CreateMul(X, Y) : B.CreateMul(widened(B, X, Type), widened(B, Y, Type));
    if (Inst.has("hi"))
        Product = B.CreateTrunc(B.CreateLShr(Product, Type.Bits), X->getType());
    return setFirst(A, Inst, Adds ? B.CreateAdd(Product, Addend) : Product, Result);
}

bool emitMultiply(Assembly &A, const Instruction &Inst, Op) {
    if (const std::optional<PtxType> Type = onlyType(Inst, "us"))
        return emitProduct(A, Inst, *Type, /*Adds=*/false);
    const std::optional<PtxType> Real = onlyType(Inst, "f");
    const auto Given = Real ? sources(A, Inst, *Real, 2) : SmallVector<Value *, 3>();
    if (Given.empty() || Inst.has("lo") || Inst.has("hi") || Inst.has("wide"))
        return false;
    return setFirst(A, Inst, A.B.CreateFMul(Given[0], Given[1]), *Real);
}

bool emitMultiplyAdd(Assembly &A, const Instruction &Inst, Op) {
    if (const std::optional<PtxType> Type = onlyType(Inst, "us"))
        return emitProduct(A, Inst, *Type, /*Adds=*/true);
    const std::optional<PtxType> Real = onlyType(Inst, "f");
    const auto Given = Real && Inst.has("rn") ? sources(A, Inst, *Real, 3) : SmallVector<Value *, 3>();
    if (Given.empty())
        return false;
    return setFirst(A, Inst, A.B.CreateIntrinsic(Intrinsic::fma, {A.typeOf(*Real)}, Given), *Real);
}

/// Any function of three bits, by its table.
bool emitTable(Assembly &A, const Instruction &Inst, Op) {
    const std::optional<PtxType> Type = onlyType(Inst, "b");
    const auto Given = Type ? sources(A, Inst, *Type, 4) : SmallVector<Value *, 3>();
    const auto *Table = Given.empty() ? nullptr : dyn_cast<ConstantInt>(Given[3]);
    if (!Table)
        return false;
    IRBuilder<> &B = A.B;
    Value *Result = ConstantInt::get(Given[0]->getType(), 0);
    for (unsigned Row = 0; Row < 8; Row++) {
        if (!(Table->getZExtValue() >> Row & 1))
            continue;
        Value *Here = Row & 4 ? Given[0] : B.CreateNot(Given[0]);
        Here = B.CreateAnd(Here, Row & 2 ? Given[1] : B.CreateNot(Given[1]));
        Result = B.CreateOr(Result, B.CreateAnd(Here, Row & 1 ? Given[2] : B.CreateNot(Given[2])));
    }
    return setFirst(A, Inst, Result, *Type);
}

/* Moves and conversions */

/// The elements of a vector operand, of equal width, as one number: the first is the lowest.
Value *packed(Assembly &A, const kesco_ptx_operand &Vector, PtxType Type) {
    const PtxType Part = {'b', Type.Bits / Vector.elements};
    Value *All = nullptr;
    for (unsigned Element = 0; Element < Vector.elements; Element++) {
        Value *V = A.value(Vector, Element, Part);
        if (!V)
            return nullptr;
        V = A.B.CreateShl(A.B.CreateZExt(V, A.B.getIntNTy(Type.Bits)), Element * Part.Bits);
        All = All ? A.B.CreateOr(All, V) : V;
    }
    return All;
}

bool emitMove(Assembly &A, const Instruction &Inst, Op) {
    if (Inst.Types.size() != 1 || Inst.Operands.size() != 2)
        return false;
    const kesco_ptx_operand &To = Inst.Operands[0], &From = Inst.Operands[1];
    const bool Packs = From.form == KESCO_PTX_VECTOR, Unpacks = To.form == KESCO_PTX_VECTOR;
    const PtxType Type = Packs || Unpacks ? PtxType{'b', Inst.Types[0].Bits} : Inst.Types[0];
    Value *V = Packs ? packed(A, From, Type) : A.value(From, Type);
    if (!V || !Unpacks)
        return setFirst(A, Inst, V, Type);
    const PtxType Part = {'b', Type.Bits / To.elements};
    for (unsigned Element = 0; Element < To.elements; Element++)
        if (!A.set(To, Element, A.B.CreateTrunc(A.B.CreateLShr(V, Element * Part.Bits), A.typeOf(Part)),
                   Part))
            return false;
    return true;
}

/// Without rounding and bounds but those that the modifiers allow.
bool emitConvert(Assembly &A, const Instruction &Inst, Op) {
    if (Inst.Types.size() != 2 || Inst.Operands.size() != 2)
        return false;
    const PtxType To = Inst.Types[0], From = Inst.Types[1];
    const StringRef Rounding = Inst.Modifiers.empty() ? "" : Inst.Modifiers[0];
    const bool Narrows = To.isReal() && (!From.isReal() || From.Bits > To.Bits);
    if (Rounding != (Narrows ? "rn" : !To.isReal() && From.isReal() ? "rzi" : ""))
        return false;
    Value *V = A.value(Inst.Operands[1], From);
    if (!V || To.Class == 'h' || From.Class == 'h')
        return false;
    IRBuilder<> &B = A.B;
    Type *Type = A.typeOf(To);
    if (To.isReal() && From.isReal())
        V = B.CreateFPCast(V, Type);
    else if (To.isReal())
        V = From.isSigned() ? B.CreateSIToFP(V, Type) : B.CreateUIToFP(V, Type);
    else if (From.isReal())
        V = B.CreateIntrinsic(To.isSigned() ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
                              {Type, V->getType()}, {V});
    else
        V = B.CreateIntCast(V, Type, From.isSigned());
    return setFirst(A, Inst, V, To);
}

/// The virtual GPU's memory has one address space.
bool emitConvertAddress(Assembly &A, const Instruction &Inst, Op) {
    const std::optional<PtxType> Type = onlyType(Inst, "u");
    if (!Type || Type->Bits != 64 || Inst.Operands.size() != 2)
        return false;
    Value *V = A.value(Inst.Operands[1], *Type);
    if (V && Inst.has("shared") && !Inst.has("to"))
        V = A.B.CreatePtrToInt(A.pointerTo(V, "shared"), A.B.getInt64Ty());
    return setFirst(A, Inst, V, *Type);
}

bool emitIsInSpace(Assembly &A, const Instruction &Inst, Op) {
    if (Inst.Modifiers.size() != 1 || Inst.Operands.size() != 2)
        return false;
    Value *Number = A.value(Inst.Operands[1], {'u', 64});
    return Number &&
           setFirst(A, Inst,
                    isInSpace(A.I, A.B, Inst.Modifiers[0], A.B.CreateIntToPtr(Number, A.B.getPtrTy())),
                    Predicate);
}

/* Comparisons */

/// BAD_ICMP_PREDICATE for what is no comparison of that type.
CmpInst::Predicate comparison(StringRef Name, PtxType Type) {
    if (Type.isReal())
        return StringSwitch<CmpInst::Predicate>(Name)
            .Case("eq", CmpInst::FCMP_OEQ)
            .Case("ne", CmpInst::FCMP_ONE)
            .Case("lt", CmpInst::FCMP_OLT)
            .Case("le", CmpInst::FCMP_OLE)
            .Case("gt", CmpInst::FCMP_OGT)
            .Case("ge", CmpInst::FCMP_OGE)
            .Case("equ", CmpInst::FCMP_UEQ)
            .Case("neu", CmpInst::FCMP_UNE)
            .Case("ltu", CmpInst::FCMP_ULT)
            .Case("leu", CmpInst::FCMP_ULE)
            .Case("gtu", CmpInst::FCMP_UGT)
            .Case("geu", CmpInst::FCMP_UGE)
            .Case("num", CmpInst::FCMP_ORD)
            .Case("nan", CmpInst::FCMP_UNO)
            .Default(CmpInst::BAD_ICMP_PREDICATE);
    const bool Signed = Type.isSigned();
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

/// What the comparison and, if there is a second modifier, a predicate are together.
Value *withPredicate(Assembly &A, const Instruction &Inst, Value *Holds) {
    if (Inst.Modifiers.size() == 1)
        return Inst.Operands.size() == 3 ? Holds : nullptr;
    Value *Other = Inst.Operands.size() == 4 ? A.value(Inst.Operands[3], Predicate) : nullptr;
    const Op What = StringSwitch<Op>(Inst.Modifiers[1])
                        .Case("and", Op::And)
                        .Case("or", Op::Or)
                        .Case("xor", Op::Xor)
                        .Default(Op::None);
    return Other ? combine(A.B, Predicate, What, Holds, Other) : nullptr;
}

bool emitSetPredicate(Assembly &A, const Instruction &Inst, Op) {
    const std::optional<PtxType> Type = onlyType(Inst, "busf");
    if (!Type || Inst.Modifiers.empty() || Inst.Modifiers.size() > 2 || Inst.Operands.size() < 3)
        return false;
    const CmpInst::Predicate Compares = comparison(Inst.Modifiers[0], *Type);
    Value *X = A.value(Inst.Operands[1], *Type), *Y = A.value(Inst.Operands[2], *Type);
    if (!X || !Y || Compares == CmpInst::BAD_ICMP_PREDICATE)
        return false;
    Value *Holds = A.B.CreateCmp(Compares, X, Y);
    Value *First = withPredicate(A, Inst, Holds);
    if (!First || !A.set(Inst.Operands[0], 0, First, Predicate))
        return false;
    return Inst.Operands[0].elements == 1 ||
           A.set(Inst.Operands[0], 1, withPredicate(A, Inst, A.B.CreateNot(Holds)), Predicate);
}

bool emitSelect(Assembly &A, const Instruction &Inst, Op) {
    if (Inst.Types.size() != 1 || Inst.Operands.size() != 4)
        return false;
    const PtxType Type = Inst.Types[0];
    Value *X = A.value(Inst.Operands[1], Type), *Y = A.value(Inst.Operands[2], Type);
    Value *Chooses = A.value(Inst.Operands[3], Predicate);
    return X && Y && Chooses && setFirst(A, Inst, A.B.CreateSelect(Chooses, X, Y), Type);
}

/* All */

constexpr Row Rows[] = {
    {"add", "rn", emitBinary, Op::Add},
    {"sub", "rn", emitBinary, Op::Sub},
    {"and", "", emitBinary, Op::And},
    {"or", "", emitBinary, Op::Or},
    {"xor", "", emitBinary, Op::Xor},
    {"min", "", emitBinary, Op::Min},
    {"max", "", emitBinary, Op::Max},
    {"not", "", emitUnary, Op::Not},
    {"neg", "", emitUnary, Op::Neg},
    {"abs", "", emitUnary, Op::Abs},
    {"popc", "", emitUnary, Op::Count},
    {"clz", "", emitUnary, Op::Zeros},
    {"brev", "", emitUnary, Op::Reverse},
    {"shl", "", emitShift, Op::Left},
    {"shr", "", emitShift, Op::Right},
    {"mul", "lo hi wide rn", emitMultiply, Op::None},
    {"mad", "lo hi wide rn", emitMultiplyAdd, Op::None},
    {"fma", "rn", emitMultiplyAdd, Op::None},
    {"rcp", "approx ftz rn", emitFunction, Op::Reciprocal},
    {"sqrt", "approx ftz rn", emitFunction, Op::Root},
    {"rsqrt", "approx ftz", emitFunction, Op::ReciprocalRoot},
    {"ex2", "approx ftz", emitFunction, Op::Power},
    {"lg2", "approx ftz", emitFunction, Op::Logarithm},
    {"sin", "approx ftz", emitFunction, Op::Sine},
    {"cos", "approx ftz", emitFunction, Op::Cosine},
    {"tanh", "approx", emitFunction, Op::Tangent},
    {"div", "approx ftz full rn", emitDivide, Op::None},
    {"lop3", "", emitTable, Op::None},
    {"mov", "", emitMove, Op::None},
    {"cvt", "rn rzi", emitConvert, Op::None},
    {"cvta", "to global shared shared::cta local const", emitConvertAddress, Op::None},
    {"isspacep", "global shared local", emitIsInSpace, Op::None},
    {"setp", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor", emitSetPredicate,
     Op::None},
    {"selp", "", emitSelect, Op::None},
};

const Row *findIn(ArrayRef<Row> Some, StringRef Name) {
    const auto *Found = find_if(Some, [&](const Row &R) { return Name == R.Name; });
    return Found == Some.end() ? nullptr : Found;
}

const Row *findRow(StringRef Name) {
    if (const Row *Found = findIn(Rows, Name))
        return Found;
    for (ArrayRef<Row> Others : {memoryRows(), textureRows(), threadRows()})
        if (const Row *Found = findIn(Others, Name))
            return Found;
    return nullptr;
}

bool isAllowed(StringRef Modifier, StringRef Allowed) {
    SmallVector<StringRef, 24> Names;
    Allowed.split(Names, ' ', -1, /*KeepEmpty=*/false);
    return any_of(Names, [&](StringRef Name) {
        return Name.consume_back("*") ? Modifier.starts_with(Name) : Modifier == Name;
    });
}

/// Instructions that the library has: "shf.l.wrap.b32 d, a, b, c" is vgpu_asm_shf_l_wrap_b32.
bool emitCall(Assembly &A, const Instruction &Inst) {
    std::string Symbol = "vgpu_asm_" + Inst.Opcode.str();
    std::replace(Symbol.begin(), Symbol.end(), '.', '_');
    if (!A.I.Exports.contains(Symbol))
        return false;
    const bool HasResult = Inst.Operands.size() > 1;
    const PtxType Last = Inst.Types.empty() ? PtxType{'b', 32} : PtxType{'b', Inst.Types.back().Bits};
    SmallVector<Value *, 4> Arguments;
    for (const kesco_ptx_operand &Operand : Inst.Operands.drop_front(HasResult)) {
        Value *V = A.value(Operand, A.ownType(Operand).value_or(Last));
        if (!V)
            return false;
        Arguments.push_back(V);
    }
    const std::optional<PtxType> Type = HasResult ? A.ownType(Inst.Operands[0]) : std::nullopt;
    if (HasResult && !Type)
        return false;
    Value *V = callLibrary(A.I, A.B, Symbol, Arguments, Type ? A.typeOf(*Type) : A.B.getVoidTy());
    return V && (!Type || setFirst(A, Inst, V, *Type));
}

} // namespace

bool emitInstruction(Assembly &A, const PtxInstruction &Inst) {
    if (emitCall(A, Inst))
        return true;
    const Row *Found = findRow(Inst.Name);
    return Found &&
           all_of(Inst.Modifiers,
                  [&](StringRef Modifier) { return isAllowed(Modifier, Found->Modifiers); }) &&
           Found->Emit(A, Inst, Found->What);
}

} // namespace vgpu
