#include "plugin/lift/function.h"

#include "plugin/device/memory.h"
#include "plugin/llvm_version.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace kesco {

FunctionLifter::FunctionLifter(Function &To, const kesco_ptx_function &From, PointerQuestion IsPointer)
    : F(To), From(From), IsPointer(IsPointer), Builder(BasicBlock::Create(To.getContext(), "", &To)) {
}

bool FunctionLifter::refuse(const Twine &What) {
    if (Problem.empty())
        Problem = What.str();
    return false;
}

std::string FunctionLifter::run() {
    placeRegisters();
    placeParameters();
    placeLabels();
    for (size_t I = 0; I < From.body.statement_count; ++I) {
        const Statement &S = From.body.statements[I];
        if (S.kind == KESCO_PTX_LABEL_HERE)
            continueIn(Labels.lookup(I));
        else if (S.variable ? !declare(*S.variable) : S.kind == KESCO_PTX_INSTRUCTION && !lift(S))
            return Problem;
    }
    finish();
    return "";
}

/// What a register has in it before it is written, nobody knows.
void FunctionLifter::placeRegisters() {
    for (const kesco_ptx_register &R : ArrayRef(From.body.registers, From.body.register_count)) {
        std::optional<PtxType> Type = ptxType(R.type);
        auto *Size = Builder.getIntNTy(Type ? Type->Bits : 64);
        if (!Type || R.lanes != 1)
            refuse("register '" + Twine(R.name) + "'");
        Registers.push_back(Builder.CreateAlloca(Size));
    }
    for (AllocaInst *Place : Registers)
        Builder.CreateStore(Builder.CreateFreeze(PoisonValue::get(Place->getAllocatedType())), Place);
}

void FunctionLifter::placeParameters() {
    ArrayRef Parameters(From.parameters, From.parameter_count);
    if (From.has_result) {
        Result = Builder.CreateAlloca(F.getReturnType());
        Places[Parameters[0].name] = Result;
        Parameters = Parameters.drop_front();
    }
    for (auto [Parameter, A] : zip_equal(Parameters, F.args())) {
        if (A.hasByValAttr()) {
            Places[Parameter.name] = &A;
            continue;
        }
        Value *Place = Builder.CreateAlloca(A.getType());
        Builder.CreateStore(&A, Place);
        Places[Parameter.name] = Place;
    }
}

void FunctionLifter::placeLabels() {
    for (size_t I = 0; I < From.body.statement_count; ++I)
        if (From.body.statements[I].kind == KESCO_PTX_LABEL_HERE)
            Labels[I] = newBlock();
}

void FunctionLifter::finish() {
    if (!Builder.GetInsertBlock()->getTerminator())
        leave({}, PtxOpcode("ret"));
    EliminateUnreachableBlocks(F);
}

bool FunctionLifter::declare(const kesco_ptx_variable &Variable) {
    StringRef Space = Variable.space;
    if (Space == "shared") {
        auto *Type = ArrayType::get(Builder.getInt8Ty(), Variable.size);
        Places[Variable.name] = new GlobalVariable(
            *F.getParent(), Type, /*isConstant=*/false, GlobalValue::InternalLinkage, PoisonValue::get(Type),
            Variable.name, nullptr, GlobalValue::NotThreadLocal, SharedSpace);
        return true;
    }
    if (Space != "local" && Space != "param")
        return refuse("a variable in ." + Space);
    /* in the words that pointers take, where there are such */
    auto *Type = Variable.size % 8 == 0 ? ArrayType::get(Builder.getInt64Ty(), Variable.size / 8)
                                        : ArrayType::get(Builder.getInt8Ty(), Variable.size);
    IRBuilder<> AtBegin(&F.getEntryBlock(), F.getEntryBlock().begin());
    Places[Variable.name] = AtBegin.CreateAlloca(Type);
    return true;
}

BasicBlock *FunctionLifter::newBlock() {
    return BasicBlock::Create(F.getContext(), "", &F);
}

void FunctionLifter::continueIn(BasicBlock *Next) {
    if (!Builder.GetInsertBlock()->getTerminator())
        Builder.CreateBr(Next);
    Builder.SetInsertPoint(Next);
}

bool FunctionLifter::lift(const Statement &S) {
    if (Builder.GetInsertBlock()->getTerminator())
        Builder.SetInsertPoint(newBlock()); /* nothing leads here */
    bool Lifted = S.guard ? liftGuarded(S) : liftInstruction(S);
    return (Lifted && Problem.empty()) || refuse("'" + Twine(S.name) + "'");
}

bool FunctionLifter::liftGuarded(const Statement &S) {
    Value *Guard = valueOf(*S.guard);
    if (!Guard || !Guard->getType()->isIntegerTy(1))
        return false;
    BasicBlock *Runs = newBlock(), *Next = newBlock();
    Builder.CreateCondBr(Guard, S.guard->negative ? Next : Runs, S.guard->negative ? Runs : Next);
    Builder.SetInsertPoint(Runs);
    bool Lifted = liftInstruction(S);
    continueIn(Next);
    return Lifted;
}

bool FunctionLifter::liftInstruction(const Statement &S) {
    const PtxOpcode Code(S.name);
    using Lifter = bool (FunctionLifter::*)(const Statement &, const PtxOpcode &);
    static const StringMap<Lifter> Lifters = {{"ld", &FunctionLifter::load},
                                              {"ldu", &FunctionLifter::load},
                                              {"st", &FunctionLifter::store},
                                              {"mov", &FunctionLifter::move},
                                              {"cvta", &FunctionLifter::convertAddress},
                                              {"cvt", &FunctionLifter::convert},
                                              {"add", &FunctionLifter::arithmetic},
                                              {"sub", &FunctionLifter::arithmetic},
                                              {"and", &FunctionLifter::arithmetic},
                                              {"or", &FunctionLifter::arithmetic},
                                              {"xor", &FunctionLifter::arithmetic},
                                              {"shl", &FunctionLifter::arithmetic},
                                              {"shr", &FunctionLifter::arithmetic},
                                              {"div", &FunctionLifter::arithmetic},
                                              {"rem", &FunctionLifter::arithmetic},
                                              {"min", &FunctionLifter::arithmetic},
                                              {"max", &FunctionLifter::arithmetic},
                                              {"mul", &FunctionLifter::multiply},
                                              {"mad", &FunctionLifter::multiply},
                                              {"setp", &FunctionLifter::compare},
                                              {"selp", &FunctionLifter::select},
                                              {"bar", &FunctionLifter::barrier},
                                              {"barrier", &FunctionLifter::barrier},
                                              {"bra", &FunctionLifter::jump},
                                              {"brx", &FunctionLifter::jumpByTable},
                                              {"ret", &FunctionLifter::leave},
                                              {"exit", &FunctionLifter::leave}};
    if (Code.Base == "call")
        return call(S);
    if (Code.Base == "atom" || Code.Base == "red")
        return atomic(S, Code, Code.Base == "atom") || assembly(S);
    Lifter Known = Lifters.lookup(Code.Base);
    return (Known && (this->*Known)(S, Code)) || (Problem.empty() && assembly(S));
}

/* Operands */

IntegerType *FunctionLifter::registerType(unsigned Index) {
    return cast<IntegerType>(Registers[Index]->getAllocatedType());
}

/// The memory that \p Name is, or the function; null for neither. Where a managed variable is, another says.
Value *FunctionLifter::place(StringRef Name) {
    if (Value *Known = Places.lookup(Name))
        return Known;
    GlobalValue *Global = F.getParent()->getNamedValue(Name);
    if (Global && Global->getValueType()->isPointerTy())
        return Builder.CreateLoad(Global->getValueType(), Global);
    return Global;
}

Value *FunctionLifter::specialRegister(StringRef Name) {
    auto [Register, Axis] = Name.split('.');
    unsigned Number = StringRef("xyz").find(Axis.empty() ? '-' : Axis[0]);
    static const StringMap<unsigned> First = {{"%tid", Intrinsic::nvvm_read_ptx_sreg_tid_x},
                                              {"%ntid", Intrinsic::nvvm_read_ptx_sreg_ntid_x},
                                              {"%ctaid", Intrinsic::nvvm_read_ptx_sreg_ctaid_x},
                                              {"%nctaid", Intrinsic::nvvm_read_ptx_sreg_nctaid_x}};
    if (Name == "%laneid")
        return Builder.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, ArrayRef<Type *>(), {});
    auto Known = First.find(Register);
    if (Known == First.end() || Axis.size() != 1 || Number > 2)
        return nullptr;
    unsigned Step = Intrinsic::nvvm_read_ptx_sreg_tid_y - Intrinsic::nvvm_read_ptx_sreg_tid_x;
    return Builder.CreateIntrinsic(Known->second + Number * Step, ArrayRef<Type *>(), {});
}

Value *FunctionLifter::valueOf(const kesco_ptx_term &T) {
    if (T.part[0])
        return nullptr;
    switch (T.kind) {
    case KESCO_PTX_REGISTER:
        return Builder.CreateLoad(registerType(T.index), Registers[T.index]);
    case KESCO_PTX_INTEGER:
    case KESCO_PTX_DOUBLE:
        return Builder.getInt64(T.bits);
    case KESCO_PTX_SINGLE:
        return Builder.getInt32(T.bits);
    case KESCO_PTX_NAME:
        if (Value *Place = place(T.name))
            return Builder.CreatePtrToInt(Place, Builder.getInt64Ty());
        return specialRegister(T.name);
    default:
        return nullptr;
    }
}

/// The element of \p O in \p Bits bits; null where it is not of the kind that becomes IR.
Value *FunctionLifter::sum(const Operand &O, unsigned Element, unsigned Bits) {
    Value *Sum = nullptr;
    for (const kesco_ptx_term &T : ArrayRef(O.terms, O.term_count)) {
        if (T.element != Element)
            continue;
        Value *V = O.computed ? nullptr : valueOf(T);
        if (!V)
            return nullptr;
        V = Builder.CreateZExtOrTrunc(V, Builder.getIntNTy(Bits));
        Sum = !Sum && T.negative ? Builder.CreateNeg(V)
              : !Sum             ? V
              : T.negative       ? Builder.CreateSub(Sum, V)
                                 : Builder.CreateAdd(Sum, V);
    }
    return Sum;
}

Value *FunctionLifter::value(const Operand &O, unsigned Bits) {
    return O.form == KESCO_PTX_VALUE && O.elements == 1 ? sum(O, 0, Bits) : nullptr;
}

Value *FunctionLifter::element(Value *Base, uint64_t Offset) {
    return Offset == 0 ? Base : Builder.CreatePtrAdd(Base, Builder.getInt64(Offset));
}

Value *FunctionLifter::address(const Operand &O, unsigned Space) {
    if (O.form != KESCO_PTX_ADDRESS || O.elements != 1 || O.computed)
        return nullptr;
    const kesco_ptx_term &First = O.terms[0];
    if (First.kind == KESCO_PTX_NAME && O.term_count <= 2 &&
        (O.term_count == 1 || O.terms[1].kind == KESCO_PTX_INTEGER))
        if (Value *Place = place(First.name))
            return element(Place, O.term_count == 1     ? 0
                                  : O.terms[1].negative ? -O.terms[1].bits
                                                        : O.terms[1].bits);
    unsigned Bits = First.kind == KESCO_PTX_REGISTER ? registerType(First.index)->getBitWidth() : 64;
    Value *Sum = sum(O, 0, Bits);
    return Sum ? Builder.CreateIntToPtr(Sum, Builder.getPtrTy(Space)) : nullptr;
}

/// Nothing takes what goes to `_`.
void FunctionLifter::set(const kesco_ptx_term &T, Value *V, bool Signed) {
    if (T.kind != KESCO_PTX_REGISTER)
        return;
    Type *Size = registerType(T.index);
    Builder.CreateStore(Signed ? Builder.CreateSExtOrTrunc(V, Size) : Builder.CreateZExtOrTrunc(V, Size),
                        Registers[T.index]);
}

bool FunctionLifter::setResult(const Statement &S, Value *V, bool Signed) {
    const Operand &To = S.operands[0];
    if (!V || To.form != KESCO_PTX_VALUE || To.term_count != 1 || To.terms[0].part[0])
        return false;
    set(To.terms[0], V, Signed);
    return true;
}

/* Other instructions */

bool FunctionLifter::barrier(const Statement &S, const PtxOpcode &Code) {
    if (!Code.hasOnly("sync aligned cta") || S.operand_count != 1)
        return false;
    Value *Which = value(S.operands[0], 32);
    if (Which)
        Builder.CreateIntrinsic(BlockBarrier, ArrayRef<Type *>(), {Which});
    return Which != nullptr;
}

/// The label that \p O is; null for none.
BasicBlock *FunctionLifter::target(const Operand &O) const {
    return O.term_count == 1 && O.terms[0].kind == KESCO_PTX_LABEL ? Labels.lookup(O.terms[0].index)
                                                                   : nullptr;
}

bool FunctionLifter::jump(const Statement &S, const PtxOpcode &Code) {
    BasicBlock *To = Code.hasOnly("uni") && S.operand_count == 1 ? target(S.operands[0]) : nullptr;
    if (!To)
        return refuse("a jump");
    Builder.CreateBr(To);
    return true;
}

/// The label of the table stands right before that. An index of none of its labels is undefined.
bool FunctionLifter::jumpByTable(const Statement &S, const PtxOpcode &Code) {
    const bool IsByTable = Code.hasOnly("idx uni") && S.operand_count == 2 && target(S.operands[1]);
    const size_t At = IsByTable ? S.operands[1].terms[0].index + size_t(1) : From.body.statement_count;
    Value *Index = IsByTable ? value(S.operands[0], 32) : nullptr;
    if (!Index || At >= From.body.statement_count ||
        StringRef(From.body.statements[At].name) != ".branchtargets")
        return refuse("a jump");
    const Statement &Table = From.body.statements[At];
    SwitchInst *Switch = nullptr;
    for (size_t I = 0; I < Table.operand_count; ++I) {
        BasicBlock *To = target(Table.operands[I]);
        if (!To)
            return refuse("a jump");
        if (!Switch)
            Switch = Builder.CreateSwitch(Index, To, Table.operand_count);
        else
            Switch->addCase(Builder.getInt32(I), To);
    }
    return Switch || refuse("a jump");
}

bool FunctionLifter::leave(const Statement &, const PtxOpcode &Code) {
    if (Code.Base == "exit" && F.getCallingConv() != CallingConv::PTX_Kernel)
        return refuse("'exit' in a function that is called");
    if (Result)
        Builder.CreateRet(Builder.CreateLoad(F.getReturnType(), Result));
    else
        Builder.CreateRetVoid();
    return true;
}

bool FunctionLifter::passArguments(Function &Callee, const Operand *Given, SmallVectorImpl<Value *> &Passed) {
    size_t Count = Given ? Given->term_count : 0;
    if (Count != Callee.arg_size() || (Given && Given->form != KESCO_PTX_LIST))
        return false;
    for (Argument &A : Callee.args()) {
        const kesco_ptx_term &T = Given->terms[A.getArgNo()];
        Value *Place = T.kind == KESCO_PTX_NAME ? Places.lookup(T.name) : nullptr;
        if (!Place)
            return false;
        Type *Passable = A.getType()->isPointerTy() ? Builder.getInt64Ty() : A.getType();
        Value *V = Builder.CreateLoad(Passable, Place);
        Passed.push_back(A.getType()->isPointerTy() ? Builder.CreateIntToPtr(V, A.getType()) : V);
    }
    return true;
}

/// (result), function, (arguments); of the first and the last, what there is none of is left out.
bool FunctionLifter::call(const Statement &S) {
    ArrayRef Operands(S.operands, S.operand_count);
    const Operand *To = nullptr;
    if (!Operands.empty() && Operands[0].form == KESCO_PTX_LIST) {
        To = &Operands[0];
        Operands = Operands.drop_front();
    }
    if (Operands.empty() || Operands.size() > 2 || Operands[0].term_count != 1 ||
        Operands[0].terms[0].kind != KESCO_PTX_NAME)
        return refuse("a call through a pointer");
    StringRef Name = Operands[0].terms[0].name;
    Function *Callee = F.getParent()->getFunction(Name);
    SmallVector<Value *, 8> Passed;
    if (!Callee || !passArguments(*Callee, Operands.size() == 2 ? &Operands[1] : nullptr, Passed))
        return refuse("the call of '" + Name + "'");
    CallInst *Call = Builder.CreateCall(Callee, Passed);
    if (!To || Call->getType()->isVoidTy())
        return true;
    Value *Place = To->term_count == 1 ? Places.lookup(To->terms[0].name) : nullptr;
    if (!Place)
        return refuse("the result of '" + Name + "'");
    Builder.CreateStore(Call, Place);
    return true;
}

} // namespace kesco
