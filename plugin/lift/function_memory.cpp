#include "plugin/lift/function.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

/// Beside spaces and vectors, what changes nothing about which memory an access goes to, nor about who sees
/// it.
static constexpr StringLiteral PlainAccess = "global local shared shared::cta const param param::entry "
                                             "param::func nc weak volatile v2 v4 v8 ca cg cs lu cv "
                                             "wb wt L1::evict_normal L1::evict_unchanged L1::evict_first "
                                             "L1::evict_last L1::no_allocate L2::64B L2::128B "
                                             "L2::256B";

static bool isPlain(const PtxOpcode &Code) {
    return Code.Types.size() == 1 && Code.Types[0].Bits >= 8 && Code.hasOnly(PlainAccess);
}

/// Whether a load sees each time what other blocks have stored: past the caches that are not coherent.
static bool isFresh(const PtxOpcode &Code) {
    return Code.has("volatile") || Code.has("cv") || Code.has("cg");
}

/// Host code says what is a pointer in a parameter: as such it is loaded.
bool FunctionLifter::loadPointer(const Statement &S, const PtxOpcode &Code, Value *Address) {
    if (Code.Types[0].Bits != 64 || Code.lanes() != 1 || !Code.has("param"))
        return false;
    APInt Step(64, 0);
    auto *Struct = dyn_cast<Argument>(
        Address->stripAndAccumulateConstantOffsets(F.getDataLayout(), Step, /*AllowNonInbounds=*/true));
    if (!Struct || !Struct->hasByValAttr() ||
        !IsPointer(F.getName(), Struct->getArgNo(), Step.getZExtValue()))
        return false;
    Value *Pointer = Builder.CreateLoad(Builder.getPtrTy(), Address);
    return setResult(S, Builder.CreatePtrToInt(Pointer, Builder.getInt64Ty()));
}

bool FunctionLifter::load(const Statement &S, const PtxOpcode &Code) {
    if (!isPlain(Code) || S.operand_count != 2)
        return false;
    const Operand &To = S.operands[0];
    const unsigned Lanes = Code.lanes();
    Value *Address = address(S.operands[1], Code.space());
    if (!Address || To.elements != Lanes || To.term_count != Lanes || Code.Types[0].Bits > 64)
        return false;
    if (loadPointer(S, Code, Address))
        return true;
    auto *Type = Builder.getIntNTy(Code.Types[0].Bits);
    for (unsigned I = 0; I < Lanes; ++I) {
        Value *Place = element(Address, I * (Code.Types[0].Bits / 8));
        set(To.terms[I], Builder.CreateLoad(Type, Place, isFresh(Code)), Code.isSigned());
    }
    return true;
}

bool FunctionLifter::store(const Statement &S, const PtxOpcode &Code) {
    if (!isPlain(Code) || S.operand_count != 2)
        return false;
    const Operand &What = S.operands[1];
    const unsigned Lanes = Code.lanes(), Bits = Code.Types[0].Bits;
    Value *To = address(S.operands[0], Code.space());
    if (!To || What.elements != Lanes || Bits > 64)
        return false;
    for (unsigned I = 0; I < Lanes; ++I) {
        Value *V = sum(What, I, Bits);
        if (!V)
            return refuse("what is stored");
        Builder.CreateStore(V, element(To, I * (Bits / 8)), Code.has("volatile"));
    }
    return true;
}

/// Registers put together, or taken apart, from the lowest bits on.
bool FunctionLifter::pack(const Statement &S, const PtxOpcode &Code) {
    const Operand &To = S.operands[0], &Parts = S.operands[1];
    const unsigned Whole = Code.Types[0].Bits;
    if (To.form == KESCO_PTX_VECTOR) {
        const unsigned Part = Whole / To.elements;
        Value *V = value(Parts, Whole);
        for (unsigned I = 0; V && I < To.term_count; ++I)
            set(To.terms[I],
                Builder.CreateTrunc(Builder.CreateLShr(V, uint64_t(I) * Part), Builder.getIntNTy(Part)));
        return V && To.term_count == To.elements;
    }
    const unsigned Part = Whole / Parts.elements;
    Value *All = Builder.getIntN(Whole, 0);
    for (unsigned I = 0; I < Parts.elements; ++I) {
        Value *V = sum(Parts, I, Part);
        if (!V)
            return false;
        All = Builder.CreateOr(All,
                               Builder.CreateShl(Builder.CreateZExt(V, All->getType()), uint64_t(I) * Part));
    }
    return setResult(S, All);
}

bool FunctionLifter::move(const Statement &S, const PtxOpcode &Code) {
    if (S.operand_count != 2 || Code.Types.size() != 1 || !Code.Rest.empty())
        return false;
    const unsigned Bits = Code.Types[0].Bits;
    if (S.operands[0].form == KESCO_PTX_VECTOR || S.operands[1].form == KESCO_PTX_VECTOR)
        return Bits <= 64 && pack(S, Code);
    return setResult(S, value(S.operands[1], Bits));
}

/// From and to generic addresses: all are such.
bool FunctionLifter::convertAddress(const Statement &S, const PtxOpcode &Code) {
    return S.operand_count == 2 && Code.isInteger() && setResult(S, value(S.operands[1], Code.Types[0].Bits));
}

static std::optional<AtomicRMWInst::BinOp> operationOf(const PtxOpcode &Code) {
    const bool Float = Code.Types[0].Kind == 'f', Signed = Code.isSigned();
    using Operation = AtomicRMWInst;
    for (StringRef Part : Code.Rest) {
        auto Found = StringSwitch<std::optional<Operation::BinOp>>(Part)
                         .Case("add", Float ? Operation::FAdd : Operation::Add)
                         .Case("min", Signed ? Operation::Min : Operation::UMin)
                         .Case("max", Signed ? Operation::Max : Operation::UMax)
                         .Case("and", Operation::And)
                         .Case("or", Operation::Or)
                         .Case("xor", Operation::Xor)
                         .Case("exch", Operation::Xchg)
                         .Case("inc", Operation::UIncWrap)
                         .Case("dec", Operation::UDecWrap)
                         .Default(std::nullopt);
        if (Found)
            return Found;
    }
    return std::nullopt;
}

/// Those that neither acquire nor release.
bool FunctionLifter::atomic(const Statement &S, const PtxOpcode &Code, bool HasResult) {
    static constexpr StringLiteral Plain =
        "global shared shared::cta relaxed gpu cta add min max and or xor exch inc dec cas noftz";
    const unsigned First = HasResult ? 1 : 0;
    if (!Code.hasOnly(Plain) || Code.Types.size() != 1 || S.operand_count < First + 2)
        return false;
    const unsigned Bits = Code.Types[0].Bits;
    const std::optional<AtomicRMWInst::BinOp> Operation = operationOf(Code);
    const bool Exchanges = Code.has("cas") && S.operand_count == First + 3;
    if ((Bits != 32 && Bits != 64) || (!Exchanges && (!Operation || S.operand_count != First + 2)))
        return false;
    Value *Address = address(S.operands[First], Code.space());
    Value *V = value(S.operands[First + 1], Bits);
    if (!Address || !V)
        return false;
    Value *Old;
    const AtomicOrdering Order = AtomicOrdering::Monotonic;
    if (Exchanges) {
        Value *New = value(S.operands[First + 2], Bits);
        if (!New)
            return false;
        Old = Builder.CreateExtractValue(
            Builder.CreateAtomicCmpXchg(Address, V, New, MaybeAlign(Bits / 8), Order, Order), 0);
    } else {
        Type *Float = Bits == 32 ? Builder.getFloatTy() : Builder.getDoubleTy();
        if (*Operation == AtomicRMWInst::FAdd)
            V = Builder.CreateBitCast(V, Float);
        Old = Builder.CreateAtomicRMW(*Operation, Address, V, MaybeAlign(Bits / 8), Order);
        Old = Builder.CreateBitCast(Old, Builder.getIntNTy(Bits));
    }
    return !HasResult || setResult(S, Old) || S.operands[0].terms[0].kind == KESCO_PTX_NAME;
}

} // namespace kesco
