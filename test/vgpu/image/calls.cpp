#include "image.h"
#include "library.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace vgpu {
namespace {

class CallLowering {
  public:
    explicit CallLowering(Image &Img) : I(Img), Context(Img.M.getContext()) {
    }

    void run();

  private:
    void lowerIntrinsic(CallBase *Call, StringRef Name);
    void lowerExternal(Function *F);
    bool lowerAtomic(CallBase *Call, StringRef Name);
    Value *lowerInline(IRBuilder<> &B, CallBase *Call, StringRef Name);
    static void finish(CallBase *Call, Value *Result);

    Image &I;
    LLVMContext &Context;
};

void CallLowering::finish(CallBase *Call, Value *Result) {
    if (!Call->getType()->isVoidTy())
        Call->replaceAllUsesWith(Result);
    Call->eraseFromParent();
}

/// Scoped atomics, "add.gen.f.cta...": one device is one scope here. And clang 19's "load.inc.32".
bool CallLowering::lowerAtomic(CallBase *Call, StringRef Name) {
    SmallVector<StringRef, 4> Parts;
    Name.consume_front("load.");
    Name.split(Parts, '.');
    IRBuilder<> B(Call);
    const AtomicOrdering Order = AtomicOrdering::SequentiallyConsistent;
    if (Parts[0] == "cas") {
        Value *Pair = B.CreateAtomicCmpXchg(Call->getArgOperand(0), Call->getArgOperand(1),
                                            Call->getArgOperand(2), MaybeAlign(), Order, Order);
        finish(Call, B.CreateExtractValue(Pair, 0));
        return true;
    }
    const bool Real = Call->getType()->isFloatingPointTy();
    const auto Operation = StringSwitch<AtomicRMWInst::BinOp>(Parts[0])
                               .Case("add", Real ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                               .Case("and", AtomicRMWInst::And)
                               .Case("or", AtomicRMWInst::Or)
                               .Case("xor", AtomicRMWInst::Xor)
                               .Case("max", AtomicRMWInst::Max)
                               .Case("min", AtomicRMWInst::Min)
                               .Case("exch", AtomicRMWInst::Xchg)
                               .Case("inc", AtomicRMWInst::UIncWrap)
                               .Case("dec", AtomicRMWInst::UDecWrap)
                               .Default(AtomicRMWInst::BAD_BINOP);
    if (Operation == AtomicRMWInst::BAD_BINOP)
        return false;
    finish(Call,
           B.CreateAtomicRMW(Operation, Call->getArgOperand(0), Call->getArgOperand(1), MaybeAlign(), Order));
    return true;
}

/// What needs no call. Returns the result (the call itself if it has none), or null if it is another
/// intrinsic.
Value *CallLowering::lowerInline(IRBuilder<> &B, CallBase *Call, StringRef Name) {
    if (Name.consume_front("read.ptx.sreg."))
        return readRegister(I, B, Name);
    if (Name.starts_with("membar.") || Name.starts_with("fence."))
        return B.CreateFence(AtomicOrdering::SequentiallyConsistent);
    if (Name.starts_with("ldu.global.") || Name.starts_with("ldg.global."))
        return B.CreateLoad(Call->getType(), Call->getArgOperand(0));
    if (Name.consume_front("isspacep."))
        return isInSpace(I, B, Name, Call->getArgOperand(0));
    if (Name.starts_with("prefetch"))
        return Call;
    if (Name == "reflect" || Name.starts_with("reflect."))
        return ConstantInt::get(Call->getType(), 0);
    if (Name.starts_with("move."))
        return Call->getArgOperand(0);
    return nullptr;
}

void CallLowering::lowerIntrinsic(CallBase *Call, StringRef Name) {
    IRBuilder<> B(Call);
    StringRef Short = Name;
    Short.consume_front("llvm.nvvm.");
    if (Short.starts_with("atomic.") && lowerAtomic(Call, Short.drop_front(strlen("atomic."))))
        return;
    Value *Result = lowerInline(B, Call, Short);
    if (!Result) {
        std::string Symbol = "vgpu_nvvm_" + Short.str();
        std::replace(Symbol.begin(), Symbol.end(), '.', '_');
        const SmallVector<Value *> Arguments(Call->args());
        Result = callLibrary(I, B, Symbol, Arguments, Call->getType());
    }
    finish(Call, Result ? Result : unmodelled(I, B, Name, Call->getType()));
}

/// A function without a body: the library's, or one that ends with "not modelled".
void CallLowering::lowerExternal(Function *F) {
    const std::string Symbol = "vgpu_fn_" + F->getName().str();
    if (I.Exports.contains(Symbol)) {
        F->setName(Symbol);
        return;
    }
    for (User *U : make_early_inc_range(F->users())) {
        auto *Call = dyn_cast<CallBase>(U);
        if (!Call || Call->getCalledOperand() != F)
            continue;
        IRBuilder<> B(Call);
        finish(Call, unmodelled(I, B, demangle(F->getName()), Call->getType()));
    }
    if (F->use_empty())
        return F->eraseFromParent();
    IRBuilder<> B(BasicBlock::Create(Context, "", F));
    unmodelled(I, B, demangle(F->getName()), F->getReturnType());
    B.CreateUnreachable();
    F->setLinkage(GlobalValue::InternalLinkage);
}

void CallLowering::run() {
    SmallVector<Function *> Declarations;
    for (Function &F : I.M)
        if (F.isDeclaration() && !F.getName().starts_with("vgpu_"))
            Declarations.push_back(&F);
    for (Function *F : Declarations) {
        if (!F->isIntrinsic()) {
            lowerExternal(F);
            continue;
        }
        const std::string Name = F->getName().str();
        const bool Trap = Name == "llvm.trap" || Name.rfind("llvm.ubsantrap", 0) == 0;
        if (!Trap && Name != "llvm.debugtrap" && Name.rfind("llvm.nvvm.", 0) != 0)
            continue;
        for (User *U : make_early_inc_range(F->users())) {
            auto *Call = cast<CallBase>(U);
            IRBuilder<> B(Call);
            if (Trap)
                finish(Call, callLibrary(I, B, "vgpu_asm_trap", {}, Call->getType()));
            else if (Name == "llvm.debugtrap")
                finish(Call, nullptr);
            else
                lowerIntrinsic(Call, Name);
        }
        F->eraseFromParent();
    }
}

} // namespace

void lowerCalls(Image &I) {
    CallLowering(I).run();
}

bool meetsThreads(const Function &F) {
    static const char *const Meetings[] = {"shfl_",   "vote_",      "match_", "redux_", "bar_",
                                           "barrier", "activemask", "elect_", "exit",   "mbarrier_test"};
    for (const Instruction &Inst : instructions(F)) {
        const auto *Call = dyn_cast<CallBase>(&Inst);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        StringRef Name = Callee ? Callee->getName() : "";
        if (!Name.consume_front("vgpu_"))
            continue;
        (void)(Name.consume_front("nvvm_") || Name.consume_front("asm_"));
        for (const char *Meeting : Meetings)
            if (Name.starts_with(Meeting))
                return true;
    }
    return false;
}

} // namespace vgpu
