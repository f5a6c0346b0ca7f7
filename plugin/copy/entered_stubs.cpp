#include "plugin/copy/entered_stubs.h"

#include "plugin/cuda/stub_launch.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/ir/off_mark.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace kesco {

/// True for the one definition of a stub that nobody but other units calls.
static bool isCalledElsewhere(Function &F, const KernelSummaries &Summaries) {
    return isKernelStub(F) && !F.isDeclaration() && F.hasExternalLinkage() && whyOff(F).empty() &&
           none_of(F.users(), [&](const User *By) { return calleeOf(*By) == &F; }) && Summaries.find(F) &&
           findStubLaunch(F).has_value();
}

/// Where what is popped is.
struct Configuration {
    Value *Grid, *Block, *Shared, *Stream;
};

static Configuration popConfiguration(IRBuilderBase &Builder, const CallBase &Pop) {
    Type *Dim3 = ArrayType::get(Builder.getInt32Ty(), 3);
    const Configuration Places = {Builder.CreateAlloca(Dim3), Builder.CreateAlloca(Dim3),
                                  Builder.CreateAlloca(Builder.getInt64Ty()),
                                  Builder.CreateAlloca(Builder.getPtrTy())};
    Builder.CreateCall(Pop.getFunctionType(), Pop.getCalledOperand(),
                       {Places.Grid, Places.Block, Places.Shared, Places.Stream});
    return Places;
}

/// The parts of a dim3 as the x86-64 ABI passes them.
static void appendDim3(IRBuilderBase &Builder, Value *Place, SmallVectorImpl<Value *> &Arguments) {
    Arguments.push_back(Builder.CreateAlignedLoad(Builder.getInt64Ty(), Place, Align(4)));
    Value *Last = Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Place, 8);
    Arguments.push_back(Builder.CreateAlignedLoad(Builder.getInt32Ty(), Last, Align(4)));
}

static Value *pushConfiguration(IRBuilderBase &Builder, Module &M, const Configuration &Places) {
    Type *Int = Builder.getInt32Ty(), *Size = Builder.getInt64Ty(), *Pointer = Builder.getPtrTy();
    SmallVector<Value *, 6> Arguments;
    appendDim3(Builder, Places.Grid, Arguments);
    appendDim3(Builder, Places.Block, Arguments);
    Arguments.push_back(Builder.CreateLoad(Size, Places.Shared));
    Arguments.push_back(Builder.CreateLoad(Pointer, Places.Stream));
    return Builder.CreateCall(
        M.getOrInsertFunction("__cudaPushCallConfiguration",
                              FunctionType::get(Int, {Size, Int, Size, Int, Size, Pointer}, false)),
        Arguments);
}

void callByParameters(IRBuilderBase &Builder, Function &Callee, const Function &Stub) {
    SmallVector<Value *, 8> Arguments(make_pointer_range(Builder.GetInsertBlock()->getParent()->args()));
    CallInst *Call = Builder.CreateCall(&Callee, Arguments);
    Call->setCallingConv(Callee.getCallingConv());
    for (unsigned I = 0; I < Arguments.size(); ++I)
        for (Attribute A : Stub.getAttributes().getParamAttrs(I))
            Call->addParamAttr(I, A);
}

static void writeLaunch(Function &Entry, Function &Stub, const CallBase &Pop) {
    LLVMContext &Context = Entry.getContext();
    auto *Begin = BasicBlock::Create(Context, "", &Entry), *Launch = BasicBlock::Create(Context, "", &Entry),
         *End = BasicBlock::Create(Context, "", &Entry);
    IRBuilder<> Builder(Begin);
    if (const DILocation *Where = Pop.getDebugLoc(); Where && Entry.getSubprogram())
        Builder.SetCurrentDebugLocation(
            DILocation::get(Context, Where->getLine(), Where->getColumn(), Entry.getSubprogram()));
    const Configuration Places = popConfiguration(Builder, Pop);
    Value *Refused = pushConfiguration(Builder, *Entry.getParent(), Places);
    Builder.CreateCondBr(Builder.CreateIsNotNull(Refused), End, Launch);
    Builder.SetInsertPoint(Launch);
    callByParameters(Builder, Stub, Stub);
    Builder.CreateBr(End);
    Builder.SetInsertPoint(End);
    Builder.CreateRetVoid();
}

/// As one that other units may call: so it is for the analysis.
static Function &makeEntry(Function &Stub, StringRef Kernel) {
    Function *Entry =
        Function::Create(Stub.getFunctionType(), GlobalValue::ExternalLinkage, Kernel, Stub.getParent());
    Entry->copyAttributesFrom(&Stub);
    Entry->addFnAttr(EnteredTag);
    if (const DISubprogram *Scope = Stub.getSubprogram())
        Entry->setSubprogram(cast<DISubprogram>(MDNode::replaceWithDistinct(Scope->clone())));
    writeLaunch(*Entry, Stub, *findStubLaunch(Stub)->Pop);
    return *Entry;
}

SmallVector<EnteredStub, 8> makeEntries(Module &M, const KernelSummaries &Summaries) {
    SmallVector<EnteredStub, 8> Made;
    if (Triple(M.getTargetTriple()).getArch() != Triple::x86_64)
        return Made;
    for (Function &F : M)
        if (isCalledElsewhere(F, Summaries) && !M.getNamedValue(Summaries.find(F)->name))
            Made.push_back({&F, nullptr});
    for (EnteredStub &Each : Made)
        Each.Entry = &makeEntry(*Each.Stub, Summaries.find(*Each.Stub)->name);
    return Made;
}

} // namespace kesco
