#include "plugin/lift/function.h"

extern "C" {
#include "plugin/assembly/instruction_kind.h"
}

#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace kesco {

static void printTerm(const kesco_ptx_term &T, StringRef Given, bool IsFirst, raw_ostream &To) {
    if (T.negative)
        To << (T.kind == KESCO_PTX_REGISTER && IsFirst && Given.consume_front("!") ? "!" : "-");
    else if (!IsFirst)
        To << "+";
    if (T.kind == KESCO_PTX_INTEGER)
        To << T.bits;
    else if (T.kind == KESCO_PTX_SINGLE || T.kind == KESCO_PTX_DOUBLE)
        To << (T.kind == KESCO_PTX_SINGLE ? "0f" : "0d")
           << format_hex_no_prefix(T.bits, T.kind == KESCO_PTX_SINGLE ? 8 : 16);
    else
        To << Given;
}

static StringRef opening(kesco_ptx_form Form) {
    return Form == KESCO_PTX_ADDRESS ? "[" : Form == KESCO_PTX_VECTOR ? "{" : "";
}

static StringRef closing(kesco_ptx_form Form) {
    return Form == KESCO_PTX_ADDRESS ? "]" : Form == KESCO_PTX_VECTOR ? "}" : "";
}

/// True if the first operand of \p S is what it computes.
static bool hasResult(const kesco_ptx_statement &S) {
    if (S.operand_count == 0 || S.operands[0].form == KESCO_PTX_ADDRESS)
        return false;
    switch (kesco_instruction_find(S.name)) {
    case KESCO_PTX_IDLE:
    case KESCO_PTX_TRAP:
    case KESCO_PTX_COPY_CONTROL:
        return false;
    case KESCO_PTX_FENCE:
        return kesco_ptx_has_part(S.name, "red");
    default:
        return true;
    }
}

static const char *letterFor(const Type &T) {
    switch (T.getIntegerBitWidth()) {
    case 1:
        return "b";
    case 8:
    case 16:
        return "h";
    case 32:
        return "r";
    default:
        return "l";
    }
}

/// One instruction as inline assembly.
struct AssemblyText {
    std::string Text, Constraints;
    SmallVector<const kesco_ptx_term *, 4> Results;
    SmallVector<Type *, 4> ResultTypes;
    SmallVector<Value *, 8> Inputs;

    void constrain(const char *Prefix, const Type &T) {
        Constraints += (Constraints.empty() ? "" : ",") + std::string(Prefix) + letterFor(T);
    }

    std::string number(size_t Index) const {
        return "$" + std::to_string(Index);
    }

    Type *resultType(LLVMContext &Context) const {
        return ResultTypes.empty()       ? Type::getVoidTy(Context)
               : ResultTypes.size() == 1 ? ResultTypes[0]
                                         : static_cast<Type *>(StructType::get(Context, ResultTypes));
    }

    CallInst *call(IRBuilder<> &Builder) {
        SmallVector<Type *, 8> Types;
        for (Value *V : Inputs) {
            Types.push_back(V->getType());
            constrain("", *V->getType());
        }
        auto *Called = FunctionType::get(resultType(Builder.getContext()), Types, /*isVarArg=*/false);
        return Builder.CreateCall(InlineAsm::get(Called, Text + ";", Constraints, /*hasSideEffects=*/false),
                                  Inputs);
    }
};

bool FunctionLifter::printOperand(const Operand &O, bool Computes, AssemblyText &To) {
    if (O.computed || O.form == KESCO_PTX_LIST)
        return false;
    raw_string_ostream Stream(To.Text);
    Stream << opening(O.form);
    for (size_t I = 0; I < O.term_count; ++I) {
        const kesco_ptx_term &T = O.terms[I];
        const bool IsFirst = I == 0 || O.terms[I - 1].element != T.element;
        if (IsFirst && I > 0)
            Stream << (O.form == KESCO_PTX_VALUE ? "|" : ", ");
        std::string Given = T.name;
        if (T.kind == KESCO_PTX_REGISTER && Computes) {
            Given = To.number(To.Results.size());
            To.Results.push_back(&T);
            To.ResultTypes.push_back(registerType(T.index));
            To.constrain("=", *registerType(T.index));
        } else if (T.kind == KESCO_PTX_REGISTER || (T.kind == KESCO_PTX_NAME && place(T.name))) {
            Value *V = valueOf(T);
            if (!V)
                return false;
            Given = (V->getType()->isIntegerTy(1) && T.negative ? "!" : "") +
                    To.number(To.Results.size() + To.Inputs.size());
            To.Inputs.push_back(V);
        }
        printTerm(T, Given, IsFirst, Stream);
    }
    Stream << closing(O.form);
    return true;
}

/// What an instruction makes of numbers may be an address, put together of halves.
Value *FunctionLifter::mayBeAddress(Value *V) {
    if (!V->getType()->isIntegerTy(64))
        return V;
    Value *Unknown = Builder.CreateFreeze(PoisonValue::get(V->getType()));
    return Builder.CreateOr(V, Builder.CreateShl(Unknown, 32));
}

/// The instruction by itself, with registers and memory as operands.
bool FunctionLifter::assembly(const Statement &S) {
    AssemblyText Instruction;
    Instruction.Text = S.name;
    for (size_t I = 0; I < S.operand_count; ++I) {
        Instruction.Text += I == 0 ? " " : ", ";
        if (!printOperand(S.operands[I], I == 0 && hasResult(S), Instruction))
            return false;
    }
    CallInst *Call = Instruction.call(Builder);
    for (unsigned I = 0; I < Instruction.Results.size(); ++I)
        set(*Instruction.Results[I],
            mayBeAddress(Instruction.Results.size() == 1 ? static_cast<Value *>(Call)
                                                         : Builder.CreateExtractValue(Call, I)));
    return true;
}

} // namespace kesco
