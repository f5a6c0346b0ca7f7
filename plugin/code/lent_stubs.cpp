#include "plugin/code/lent_stubs.h"

#include "plugin/code/runtime_abi.h"
#include "runtime/kesco_abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace kesco {

static bool borrows(const Function &Entry) {
    return any_of(Entry.getEntryBlock(),
                  [](const Instruction &I) { return calledAbi(I) == AbiFunction::borrow; });
}

static Function &copyOf(Function &Stub) {
    ValueToValueMapTy Values;
    Function *Copy = CloneFunction(&Stub, Values);
    Copy->setName(Stub.getName() + ".here");
    Copy->setLinkage(GlobalValue::InternalLinkage);
    Copy->setVisibility(GlobalValue::DefaultVisibility);
    Copy->setComdat(nullptr);
    for (Use &U : make_early_inc_range(Stub.uses()))
        if (auto *Call = dyn_cast<CallBase>(U.getUser()); Call && Call->isCallee(&U))
            U.set(Copy);
    return *Copy;
}

static void writeCall(BasicBlock &Block, Function &Callee, const Function &Stub) {
    IRBuilder<> Builder(&Block);
    callByParameters(Builder, Callee, Stub);
    Builder.CreateRetVoid();
}

static void writeStub(Function &Stub, Function &Entry) {
    Function &Copy = copyOf(Stub);
    Stub.deleteBody();
    LLVMContext &Context = Stub.getContext();
    auto *Begin = BasicBlock::Create(Context, "", &Stub), *Lent = BasicBlock::Create(Context, "", &Stub),
         *Alone = BasicBlock::Create(Context, "", &Stub);
    IRBuilder<> Builder(Begin);
    Builder.CreateCondBr(Builder.CreateIsNotNull(callAbi(Builder, AbiFunction::lent)), Lent, Alone);
    writeCall(*Lent, Entry, Stub);
    writeCall(*Alone, Copy, Stub);
    Stub.setPrefixData(ConstantInt::get(Type::getInt64Ty(Context), KESCO_MARK_BORROWS));
    Entry.setLinkage(GlobalValue::InternalLinkage);
}

void writeLentStubs(ArrayRef<EnteredStub> Stubs) {
    for (const EnteredStub &Each : Stubs)
        if (borrows(*Each.Entry))
            writeStub(*Each.Stub, *Each.Entry);
        else
            Each.Entry->eraseFromParent();
}

} // namespace kesco
