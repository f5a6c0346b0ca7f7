#include "plugin/lift/lift.h"

#include "plugin/device/memory.h"
#include "plugin/ir/analyses.h"
#include "plugin/lift/address.h"
#include "plugin/lift/function.h"
#include "plugin/llvm_version.h"

#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;

namespace kesco {

static constexpr char Layout[] = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

namespace {

class ModuleLifter {
  public:
    ModuleLifter(LLVMContext &Context, const kesco_ptx_module &From, PointerQuestion IsPointer)
        : Context(Context), From(From), IsPointer(IsPointer) {
        Result.M = std::make_unique<Module>("", Context);
        Result.M->setTargetTriple(TargetTriple("nvptx64-nvidia-cuda"));
        Result.M->setDataLayout(Layout);
    }

    LiftedModule run() {
        for (const kesco_ptx_variable &Variable : ArrayRef(From.variables, From.variable_count))
            declare(Variable);
        ArrayRef Functions(From.functions, From.function_count);
        for (const kesco_ptx_function &Function : Functions)
            declare(Function);
        Analyses All;
        for (const kesco_ptx_function &Function : Functions)
            if (Function.has_body)
                define(Function, All);
        return std::move(Result);
    }

  private:
    /// What the host may change is no table, whatever it begins with. It may access managed variables
    /// itself, as memory that nobody names: their place is a pointer in a variable.
    void declare(const kesco_ptx_variable &Variable) {
        if (Result.M->getNamedValue(Variable.name))
            return;
        StringRef Space = Variable.space;
        Type *Held = ArrayType::get(Type::getInt8Ty(Context), Variable.size);
        if (Variable.is_managed)
            Held = PointerType::getUnqual(Context);
        unsigned Number = Space == "shared" ? SharedSpace : Space == "const" ? ConstantSpace : GlobalSpace;
        auto *Made = new GlobalVariable(*Result.M, Held, /*isConstant=*/false, GlobalValue::ExternalLinkage,
                                        nullptr, Variable.name, nullptr, GlobalValue::NotThreadLocal, Number);
        if (Number == SharedSpace && Variable.size > 0) {
            Made->setInitializer(PoisonValue::get(Held));
            Made->setLinkage(GlobalValue::InternalLinkage);
        }
        Made->setExternallyInitialized(Number != SharedSpace);
    }

    Type *numberType(const kesco_ptx_variable &Parameter) const {
        std::optional<PtxType> Known = ptxType(Parameter.type);
        if (Known && Known->Kind == 'f' && Known->Bits == 32)
            return Type::getFloatTy(Context);
        if (Known && Known->Kind == 'f' && Known->Bits == 64)
            return Type::getDoubleTy(Context);
        return Type::getIntNTy(Context, 8 * Parameter.size);
    }

    /// What functions hand on.
    Type *typeOf(const kesco_ptx_variable &Parameter) const {
        if (!Parameter.is_array)
            return Type::getIntNTy(Context, 8 * Parameter.size);
        if (Parameter.size % 8 == 0)
            return ArrayType::get(Type::getInt64Ty(Context), Parameter.size / 8);
        return ArrayType::get(Type::getInt8Ty(Context), Parameter.size);
    }

    /// A struct with the pointers that are known in it, and bytes.
    Type *structType(StringRef Kernel, unsigned Number, uint64_t Size) const {
        SmallVector<Type *, 16> Elements;
        uint64_t Bytes = 0;
        auto close = [&] {
            if (Bytes > 0)
                Elements.push_back(ArrayType::get(Type::getInt8Ty(Context), Bytes));
            Bytes = 0;
        };
        for (uint64_t At = 0; At < Size;) {
            if (At % 8 == 0 && At + 8 <= Size && IsPointer(Kernel, Number, At)) {
                close();
                Elements.push_back(PointerType::getUnqual(Context));
                At += 8;
            } else {
                ++Bytes;
                ++At;
            }
        }
        close();
        return StructType::get(Context, Elements);
    }

    void declareKernel(const kesco_ptx_function &Kernel) {
        SmallVector<Type *, 8> Types, Structs;
        for (unsigned I = 0; I < Kernel.parameter_count; ++I) {
            const kesco_ptx_variable &P = Kernel.parameters[I];
            Structs.push_back(P.is_array ? structType(Kernel.name, I, P.size) : nullptr);
            const bool Pointer =
                P.is_array || (P.size == 8 && (P.is_pointer || IsPointer(Kernel.name, I, 0)));
            Types.push_back(Pointer ? PointerType::getUnqual(Context) : numberType(P));
        }
        Function *F = Function::Create(FunctionType::get(Type::getVoidTy(Context), Types, false),
                                       GlobalValue::ExternalLinkage, Kernel.name, *Result.M);
        F->setCallingConv(CallingConv::PTX_Kernel);
        if (Kernel.is_weak)
            F->setLinkage(GlobalValue::WeakODRLinkage);
        for (unsigned I = 0; I < Structs.size(); ++I)
            if (Structs[I])
                F->addParamAttr(I, Attribute::getWithByValType(Context, Structs[I]));
    }

    /// What the device runtime takes as an address, that is known to be one.
    static bool takesPointers(StringRef Function) {
        return Function == "vprintf" || Function == "free";
    }

    void declare(const kesco_ptx_function &Function) {
        if (Result.M->getNamedValue(Function.name))
            return;
        if (Function.is_kernel)
            return declareKernel(Function);
        SmallVector<Type *, 8> Types;
        for (const kesco_ptx_variable &P : ArrayRef(Function.parameters, Function.parameter_count))
            Types.push_back(takesPointers(Function.name) && P.size == 8 ? PointerType::getUnqual(Context)
                                                                        : typeOf(P));
        Type *Returned = Type::getVoidTy(Context);
        if (Function.has_result) {
            Returned = typeOf(Function.parameters[0]);
            Types.erase(Types.begin());
        }
        Function::Create(FunctionType::get(Returned, Types, false),
                         Function.is_weak ? GlobalValue::WeakAnyLinkage : GlobalValue::ExternalLinkage,
                         Function.name, *Result.M);
    }

    void define(const kesco_ptx_function &Source, Analyses &All) {
        Function *F = Result.M->getFunction(Source.name);
        if (!F || !F->isDeclaration())
            return;
        std::string Problem = Source.problem ? Source.problem : FunctionLifter(*F, Source, IsPointer).run();
        if (Problem.empty()) {
            FunctionPassManager Passes;
            Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
            All.run(Passes, *F);
            makePointers(*F);
            return;
        }
        F->deleteBody();
        if (!Source.is_kernel)
            return;
        ReturnInst::Create(Context, BasicBlock::Create(Context, "", F));
        Result.NotUnderstood[Source.name] = Problem;
    }

    LLVMContext &Context;
    const kesco_ptx_module &From;
    PointerQuestion IsPointer;
    LiftedModule Result;
};

} // namespace

LiftedModule liftPtx(LLVMContext &Context, const kesco_ptx_module &From, PointerQuestion IsPointer) {
    return ModuleLifter(Context, From, IsPointer).run();
}

} // namespace kesco
