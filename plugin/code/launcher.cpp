#include "plugin/code/launcher.h"

#include "plugin/code/runtime_abi.h"
#include "plugin/cuda/stub_launch.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace kesco {

static void leaveToRuntime(const StubLaunch &Found) {
    IRBuilder<> Builder(Found.Launch);
    const auto stored = [&](unsigned Operand, Type *Stored) {
        return Builder.CreateLoad(Stored, Found.Pop->getArgOperand(Operand));
    };
    Value *Shared = stored(2, Builder.getInt64Ty()), *Stream = stored(3, Builder.getPtrTy());
    Found.Launch->replaceAllUsesWith(callAbi(Builder, AbiFunction::launch,
                                             {Found.Kernel, Found.Pop->getArgOperand(0),
                                              Found.Pop->getArgOperand(1), Found.Arguments, Shared, Stream}));
    Found.Launch->eraseFromParent();
}

static Function &launcherOf(Function &Stub) {
    const std::string Name = (Stub.getName() + ".kesco").str();
    if (Function *Made = Stub.getParent()->getFunction(Name))
        return *Made;
    ValueToValueMapTy Values;
    Function *Copy = CloneFunction(&Stub, Values);
    Copy->setName(Name);
    Copy->setLinkage(GlobalValue::InternalLinkage);
    Copy->setVisibility(GlobalValue::DefaultVisibility);
    Copy->setComdat(nullptr);
    leaveToRuntime(*findStubLaunch(*Copy));
    return *Copy;
}

void leaveLaunchToRuntime(CallBase &Call) {
    if (Function *Stub = Call.getCalledFunction(); findStubLaunch(*Stub))
        Call.setCalledFunction(&launcherOf(*Stub));
}

} // namespace kesco
