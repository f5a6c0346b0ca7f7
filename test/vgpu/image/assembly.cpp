#include "assembly.h"
#include "library.h"
#include "test/vgpu/device_abi.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <algorithm>

using namespace llvm;

namespace vgpu {

std::optional<PtxType> parseType(StringRef Name) {
    if (Name == "pred")
        return PtxType{'p', 1};
    if (Name == "f16" || Name == "bf16")
        return PtxType{'h', 16};
    if (Name == "f16x2" || Name == "bf16x2")
        return PtxType{'h', 32};
    unsigned Bits;
    const char Class = Name.empty() ? 0 : Name.front();
    if (!StringRef("busf").contains(Class) || Name.drop_front().getAsInteger(10, Bits))
        return std::nullopt;
    if (!isPowerOf2_32(Bits) || Bits < (Class == 'f' ? 32 : 8) || Bits > (Class == 'b' ? 128 : 64))
        return std::nullopt;
    return PtxType{Class, Bits};
}

bool PtxInstruction::has(StringRef Modifier) const {
    return is_contained(Modifiers, Modifier);
}

static ArrayRef<kesco_ptx_term> termsOf(const kesco_ptx_operand &Operand) {
    return {Operand.terms, Operand.term_count};
}

Assembly::Assembly(Image &Img, CallBase &Called)
    : I(Img), B(&Called), Call(Called), Asm(*cast<InlineAsm>(Called.getCalledOperand())) {
}

Assembly::~Assembly() {
    kesco_ptx_free(&Text);
}

bool Assembly::isVolatile() const {
    return Asm.hasSideEffects();
}

/* Variables */

Type *Assembly::typeOf(PtxType Type) {
    if (Type.isReal())
        return Type.Bits == 64 ? B.getDoubleTy() : B.getFloatTy();
    return B.getIntNTy(Type.Bits);
}

Assembly::Variable Assembly::makeVariable(PtxType Type) {
    BasicBlock &Entry = Call.getFunction()->getEntryBlock();
    AllocaInst *Place = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(typeOf(Type));
    Places.push_back(Place);
    B.CreateStore(Constant::getNullValue(Place->getAllocatedType()), Place);
    return {Place, Type};
}

/// Pointers travel as numbers. Nothing for structs and vectors.
static std::optional<PtxType> typeOfOperand(const Type *T) {
    if (T->isPointerTy())
        return PtxType{'b', 64};
    if (T->isFloatTy() || T->isDoubleTy())
        return PtxType{'f', T->isDoubleTy() ? 64u : 32u};
    const auto *Int = dyn_cast<IntegerType>(T);
    if (!Int)
        return std::nullopt;
    return PtxType{Int->getBitWidth() == 1 ? 'p' : 'b', Int->getBitWidth()};
}

/// Makes a variable of each operand, with its value on entry. Whether all are of a kind that is modelled.
bool Assembly::takeOperands() {
    unsigned NextArgument = 0;
    const auto *Struct = dyn_cast<StructType>(Call.getType());
    const InlineAsm::ConstraintInfoVector Constraints = Asm.ParseConstraints();
    for (const InlineAsm::ConstraintInfo &C : Constraints) {
        if (C.Type == InlineAsm::isClobber)
            continue;
        Value *Argument = C.hasArg() ? Call.getArgOperand(NextArgument++) : nullptr;
        const Type *T = Argument ? Argument->getType()
                        : Struct ? Struct->getElementType(Operands.Outputs.size())
                                 : Call.getType();
        const std::optional<PtxType> Known = typeOfOperand(T);
        if (C.Type == InlineAsm::isLabel || !Known)
            return false;
        if (!Argument)
            Operands.Outputs.push_back(Operands.Given.size());
        Operands.Given.push_back(makeVariable(*Known));
        Operands.InMemory.push_back(C.isIndirect);
        if (Argument && Argument->getType()->isPointerTy())
            Argument = B.CreatePtrToInt(Argument, B.getInt64Ty());
        if (Argument)
            B.CreateStore(Argument, Operands.Given.back().Place);
    }
    for (unsigned Number = 0; Number < Operands.Given.size(); Number++) {
        if (!Constraints[Number].hasMatchingInput())
            continue;
        const Variable &Input = Operands.Given[Constraints[Number].MatchingInput];
        Value *V = B.CreateLoad(typeOf(Input.Type), Input.Place);
        B.CreateStore(converted(V, Input.Type, Operands.Given[Number].Type), Operands.Given[Number].Place);
    }
    return true;
}

void Assembly::takeRegisters() {
    for (size_t Index = 0; Index < Text.register_count; Index++) {
        Registers.emplace_back();
        const std::optional<PtxType> Type = parseType(Text.registers[Index].type);
        for (unsigned Lane = 0; Type && Lane < Text.registers[Index].lanes; Lane++)
            Registers.back().push_back(makeVariable(*Type));
    }
}

/// \p Lane is of a vector without a part. Null for a register of an unknown type, or what it does not have.
const Assembly::Variable *Assembly::variableOf(const kesco_ptx_term &Term, unsigned Lane) const {
    const StringRef Part = Term.part;
    if (Term.kind == KESCO_PTX_ASM_OPERAND)
        return Term.index < Operands.Given.size() && Part.empty() ? &Operands.Given[Term.index] : nullptr;
    const SmallVector<Variable, 1> &Lanes = Registers[Term.index];
    const size_t Place =
        Part.size() == 1 ? std::min(StringRef("xyzw").find(Part), StringRef("rgba").find(Part)) : Lane;
    const bool Fits = Part.size() <= 1 && (Part.empty() || Lanes.size() > 1) && Place < Lanes.size();
    return Fits ? &Lanes[Place] : nullptr;
}

bool Assembly::isVector(const kesco_ptx_operand &Operand) const {
    return Operand.form == KESCO_PTX_VALUE && Operand.term_count == 1 &&
           Operand.terms[0].kind == KESCO_PTX_REGISTER && !*Operand.terms[0].part &&
           Registers[Operand.terms[0].index].size() > 1;
}

unsigned Assembly::elements(const kesco_ptx_operand &Operand) const {
    return isVector(Operand) ? Registers[Operand.terms[0].index].size() : Operand.elements;
}

std::optional<PtxType> Assembly::ownType(const kesco_ptx_operand &Operand) const {
    const kesco_ptx_term *Term = Operand.term_count ? Operand.terms : nullptr;
    if (!Term || (Term->kind != KESCO_PTX_REGISTER && Term->kind != KESCO_PTX_ASM_OPERAND))
        return std::nullopt;
    const Variable *Known = variableOf(*Term);
    return Known ? std::optional<PtxType>(Known->Type) : std::nullopt;
}

/* Values */

/// Bits stay what they are; what is wider gets a sign if \p From or \p To has one.
Value *Assembly::converted(Value *V, PtxType From, PtxType To) {
    if (From.isReal() && To.isReal() && From.Bits == To.Bits)
        return V;
    if (From.isReal())
        V = B.CreateBitCast(V, B.getIntNTy(From.Bits));
    V = B.CreateIntCast(V, B.getIntNTy(To.Bits), From.isSigned() || To.isSigned());
    return To.isReal() ? B.CreateBitCast(V, typeOf(To)) : V;
}

Value *Assembly::constantOf(const kesco_ptx_term &Term, PtxType Type) {
    const bool IsSingle = Term.kind == KESCO_PTX_SINGLE;
    if (Term.kind == KESCO_PTX_INTEGER) {
        const APInt Bits = APInt(64, Term.negative ? -Term.bits : Term.bits).sextOrTrunc(Type.Bits);
        return Type.isReal() ? nullptr : ConstantInt::get(B.getContext(), Bits);
    }
    APFloat Real(IsSingle ? APFloat::IEEEsingle() : APFloat::IEEEdouble(),
                 APInt(IsSingle ? 32 : 64, Term.bits));
    if (Term.negative)
        Real.changeSign();
    bool Inexact;
    Real.convert(Type.Bits == 32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble(),
                 APFloat::rmNearestTiesToEven, &Inexact);
    if (Type.isReal())
        return ConstantFP::get(B.getContext(), Real);
    return Type.Bits == Real.bitcastToAPInt().getBitWidth()
               ? ConstantInt::get(B.getContext(), Real.bitcastToAPInt())
               : nullptr;
}

/// A special register.
Value *Assembly::namedValue(StringRef Name, PtxType Type) {
    if (Name == "WARP_SZ")
        return ConstantInt::get(typeOf(Type), VGPU_WARP_SIZE);
    if (!Name.consume_front("%"))
        return nullptr;
    if (Value *Read = readRegister(I, B, Name))
        return B.CreateZExtOrTrunc(Read, typeOf(Type));
    std::string Symbol = "vgpu_nvvm_read_ptx_sreg_" + Name.str();
    std::replace(Symbol.begin(), Symbol.end(), '.', '_');
    return callLibrary(I, B, Symbol, {}, typeOf(Type));
}

Value *Assembly::termValue(const kesco_ptx_term &Term, PtxType Type, unsigned Lane) {
    Value *V = nullptr;
    if (Term.kind == KESCO_PTX_NAME) {
        V = namedValue(Term.name, Type);
    } else if (Term.kind == KESCO_PTX_REGISTER || Term.kind == KESCO_PTX_ASM_OPERAND) {
        const Variable *Known = variableOf(Term, Lane);
        V = Known ? converted(B.CreateLoad(typeOf(Known->Type), Known->Place), Known->Type, Type) : nullptr;
    } else {
        return Term.kind == KESCO_PTX_LABEL ? nullptr : constantOf(Term, Type);
    }
    if (!V || !Term.negative)
        return V;
    return Type.Class == 'p' ? B.CreateNot(V) : Type.isReal() ? nullptr : B.CreateNeg(V);
}

Value *Assembly::value(const kesco_ptx_operand &Operand, unsigned Element, PtxType Type) {
    if (isVector(Operand))
        return termValue(Operand.terms[0], Type, Element);
    Value *Sum = nullptr;
    for (const kesco_ptx_term &Term : termsOf(Operand)) {
        if (Term.element != Element)
            continue;
        Value *V = Operand.computed ? nullptr : termValue(Term, Type);
        if (!V || (Sum && Type.isReal()))
            return nullptr;
        Sum = Sum ? B.CreateAdd(Sum, V) : V;
    }
    return Sum;
}

Value *Assembly::value(const kesco_ptx_operand &Operand, PtxType Type) {
    if (Operand.form != KESCO_PTX_VALUE || elements(Operand) != 1 || isMemory(Operand))
        return nullptr;
    return value(Operand, 0, Type);
}

bool Assembly::set(const kesco_ptx_operand &Operand, unsigned Element, Value *New, PtxType Type) {
    const bool Vector = isVector(Operand);
    for (const kesco_ptx_term &Term : termsOf(Operand)) {
        if (Term.element != Element && !Vector)
            continue;
        if (Term.kind == KESCO_PTX_NAME)
            return StringRef(Term.name) == "_";
        if (Term.kind != KESCO_PTX_REGISTER && Term.kind != KESCO_PTX_ASM_OPERAND)
            return false;
        const Variable *Known = variableOf(Term, Vector ? Element : 0);
        if (!Known || Operand.computed || Term.negative || Operand.form == KESCO_PTX_ADDRESS ||
            isMemory(Operand))
            return false;
        B.CreateStore(
            converted(New, Type, {Known->Type.Class == 's' ? 'b' : Known->Type.Class, Known->Type.Bits}),
            Known->Place);
        return true;
    }
    return false;
}

/* Addresses */

bool Assembly::isMemory(const kesco_ptx_operand &Operand) const {
    return any_of(termsOf(Operand), [&](const kesco_ptx_term &Term) {
        return Term.kind == KESCO_PTX_ASM_OPERAND && Term.index < Operands.Given.size() &&
               Operands.InMemory[Term.index];
    });
}

/// Of an address in shared memory, programs may keep 32 bits: the library finds the rest.
Value *Assembly::pointerTo(Value *Number, StringRef Space) {
    if (Space != "shared")
        return B.CreateIntToPtr(Number, B.getPtrTy());
    const uint64_t Size = I.Shared ? I.M.getDataLayout().getTypeAllocSize(I.Shared->getValueType()) : 0;
    Value *Static = I.Shared ? static_cast<Value *>(I.Shared) : ConstantPointerNull::get(B.getPtrTy());
    return callLibrary(I, B, "vgpu_shared_pointer",
                       {Static, B.getInt64(Size), B.CreateZExtOrTrunc(Number, B.getInt32Ty())}, B.getPtrTy());
}

Value *Assembly::address(const kesco_ptx_operand &Operand, StringRef Space) {
    const bool Memory = isMemory(Operand);
    if (Memory ? Operand.form != KESCO_PTX_VALUE || Operand.term_count != 1
               : Operand.form != KESCO_PTX_ADDRESS || Operand.elements != 1)
        return nullptr;
    const std::optional<PtxType> Type = ownType(Operand);
    if (!Type || (Type->Bits != 64 && Space != "shared"))
        return nullptr;
    Value *Number = value(Operand, 0, {'b', Type->Bits});
    AccessesMemory = true;
    return Number ? pointerTo(Number, Space) : nullptr;
}

/* Statements */

/// A block for each label, and one behind the assembly, if it has guards or labels.
void Assembly::makeBlocks() {
    const ArrayRef<kesco_ptx_statement> All(Text.statements, Text.statement_count);
    if (none_of(All, [](const kesco_ptx_statement &S) {
            return S.guard || S.kind == KESCO_PTX_LABEL_HERE || S.name == StringRef("bra");
        }))
        return;
    BasicBlock *Before = Call.getParent();
    SplitBlock(Before, &Call);
    Before->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Before);
    for (unsigned Index = 0; Index < All.size(); Index++)
        if (All[Index].kind == KESCO_PTX_LABEL_HERE)
            Labels[Index] =
                BasicBlock::Create(B.getContext(), All[Index].name, Call.getFunction(), Call.getParent());
}

void Assembly::unmodelledHere(const Twine &What) {
    unmodelled(I, B, ("inline asm '" + What + "'").str(), B.getVoidTy());
}

bool Assembly::emitInstruction(const kesco_ptx_statement &Statement) {
    PtxInstruction Instruction;
    SmallVector<StringRef, 8> Parts;
    Instruction.Opcode = Statement.name;
    Instruction.Operands = {Statement.operands, Statement.operand_count};
    Instruction.Opcode.split(Parts, '.');
    Instruction.Name = Parts[0];
    for (StringRef Part : drop_begin(Parts)) {
        if (const std::optional<PtxType> Type = parseType(Part))
            Instruction.Types.push_back(*Type);
        else
            Instruction.Modifiers.push_back(Part);
    }
    return vgpu::emitInstruction(*this, Instruction);
}

/// To a label of the assembly; \p Otherwise is where the code goes on.
void Assembly::jump(const kesco_ptx_statement &Statement, BasicBlock *Otherwise) {
    const bool Known = Statement.operand_count == 1 && Statement.operands[0].term_count == 1 &&
                       Statement.operands[0].terms[0].kind == KESCO_PTX_LABEL;
    if (!Known)
        unmodelledHere(Statement.name);
    B.CreateBr(Known ? Labels[Statement.operands[0].terms[0].index] : Otherwise);
}

void Assembly::emit(const kesco_ptx_statement &Statement) {
    const StringRef Name = Statement.name;
    if (Statement.kind == KESCO_PTX_DIRECTIVE)
        return unmodelledHere(Name);
    if (Name == "bra" || Name == "bra.uni") {
        BasicBlock *Next = BasicBlock::Create(B.getContext(), "", Call.getFunction(), Call.getParent());
        jump(Statement, Next);
        B.SetInsertPoint(Next);
    } else if (!emitInstruction(Statement)) {
        unmodelledHere(Name);
    }
}

void Assembly::emitGuarded(const kesco_ptx_statement &Statement) {
    Value *Holds = termValue(*Statement.guard, {'p', 1});
    if (!Holds)
        return unmodelledHere(Statement.name);
    BasicBlock *Then = BasicBlock::Create(B.getContext(), "", Call.getFunction(), Call.getParent());
    BasicBlock *Next = BasicBlock::Create(B.getContext(), "", Call.getFunction(), Call.getParent());
    B.CreateCondBr(Holds, Then, Next);
    B.SetInsertPoint(Then);
    emit(Statement);
    B.CreateBr(Next);
    B.SetInsertPoint(Next);
}

void Assembly::emit() {
    for (unsigned Index = 0; Index < Text.statement_count; Index++) {
        const kesco_ptx_statement &Statement = Text.statements[Index];
        if (Statement.kind == KESCO_PTX_LABEL_HERE) {
            B.CreateBr(Labels[Index]);
            B.SetInsertPoint(Labels[Index]);
        } else if (Statement.guard) {
            emitGuarded(Statement);
        } else {
            emit(Statement);
        }
    }
}

/// What the outputs have now, in the type of the call.
Value *Assembly::result() {
    Value *Struct = Call.getType()->isStructTy() ? PoisonValue::get(Call.getType()) : nullptr;
    for (unsigned Index = 0; Index < Operands.Outputs.size(); Index++) {
        const Variable &Output = Operands.Given[Operands.Outputs[Index]];
        Value *V = B.CreateLoad(typeOf(Output.Type), Output.Place);
        Type *T = Struct ? Struct->getType()->getStructElementType(Index) : Call.getType();
        if (T->isPointerTy())
            V = B.CreateIntToPtr(V, T);
        if (!Struct)
            return V;
        Struct = B.CreateInsertValue(Struct, V, Index);
    }
    return Struct;
}

/// An address that is made of a pointer is that pointer.
static void joinPointers(Function &F) {
    for (Instruction &Inst : make_early_inc_range(instructions(F))) {
        auto *Made = dyn_cast<IntToPtrInst>(&Inst);
        auto *Number = Made ? dyn_cast<PtrToIntInst>(Made->getOperand(0)) : nullptr;
        if (!Number || Number->getPointerOperand()->getType() != Made->getType())
            continue;
        Made->replaceAllUsesWith(Number->getPointerOperand());
        Made->eraseFromParent();
        if (Number->use_empty())
            Number->eraseFromParent();
    }
}

void Assembly::finish() {
    if (B.GetInsertBlock() != Call.getParent())
        B.CreateBr(Call.getParent());
    B.SetInsertPoint(&Call);
    if (Value *Result = result())
        Call.replaceAllUsesWith(Result);
    Function &F = *Call.getFunction();
    Call.eraseFromParent();
    DominatorTree Dominance(F);
    PromoteMemToReg(Places, Dominance);
    joinPointers(F);
}

bool Assembly::lower() {
    const char *Problem;
    const StringRef Source = Asm.getAsmString();
    const bool SaysSo = !Call.doesNotAccessMemory() && !Call.onlyReadsMemory();
    const int Status = kesco_ptx_read(&Text, Source.data(), Source.size(), &Problem);
    if (Status == -ENOMEM)
        report_bad_alloc_error("vgpu-device: inline asm");
    if (Status != 0 || !takeOperands()) {
        unmodelledHere(Source.trim().take_front(60));
        if (!Call.getType()->isVoidTy())
            Call.replaceAllUsesWith(Constant::getNullValue(Call.getType()));
        Call.eraseFromParent();
        return false;
    }
    takeRegisters();
    makeBlocks();
    emit();
    finish();
    return AccessesMemory && !SaysSo;
}

/// What was inferred from calls that say less than they do.
static void forgetMemoryEffects(Module &M) {
    for (Function &F : M) {
        if (F.isDeclaration())
            continue;
        F.removeFnAttr(Attribute::Memory);
        for (Argument &A : F.args())
            for (Attribute::AttrKind Kind : {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly})
                A.removeAttr(Kind);
        for (Instruction &Inst : instructions(F))
            if (auto *Call = dyn_cast<CallBase>(&Inst);
                Call && Call->getCalledFunction() && !Call->getCalledFunction()->isDeclaration())
                Call->removeFnAttr(Attribute::Memory);
    }
}

/// Assembly may go to one of several places in the code.
static void endAtJump(Image &I, CallBrInst &Jump) {
    IRBuilder<> B(&Jump);
    BasicBlock *Next = Jump.getDefaultDest();
    if (Value *Result = unmodelled(I, B, "asm goto", Jump.getType()))
        Jump.replaceAllUsesWith(Result);
    for (BasicBlock *Other : Jump.getIndirectDests())
        if (Other != Next)
            Other->removePredecessor(Jump.getParent());
    B.CreateBr(Next);
    Jump.eraseFromParent();
}

void lowerAssembly(Image &I) {
    std::vector<CallBase *> Calls;
    for (Function &F : I.M)
        for (Instruction &Inst : instructions(F))
            if (auto *Call = dyn_cast<CallBase>(&Inst); Call && Call->isInlineAsm())
                Calls.push_back(Call);
    bool Silently = false;
    for (CallBase *Call : Calls)
        if (auto *Jump = dyn_cast<CallBrInst>(Call))
            endAtJump(I, *Jump);
        else
            Silently |= Assembly(I, *Call).lower();
    if (Silently)
        forgetMemoryEffects(I.M);
}

} // namespace vgpu
