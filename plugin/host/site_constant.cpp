#include "plugin/host/site_constant.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

GlobalVariable *privateConstant(Module &M, Constant *Value) {
    auto *Global =
        new GlobalVariable(M, Value->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, Value);
    Global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return Global;
}

/// Alignment 1 lets the linker merge it.
static Constant *text(Module &M, StringRef Text) {
    if (Text.empty())
        return ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
    GlobalVariable *Global = privateConstant(M, ConstantDataArray::getString(M.getContext(), Text));
    Global->setAlignment(Align(1));
    return Global;
}

Constant *siteConstant(Module &M, const Function &Named, const Op &O) {
    return privateConstant(
        M, ConstantStruct::getAnon({text(M, O.Kind), text(M, O.Name), text(M, demangle(Named.getName())),
                                    text(M, O.File),
                                    ConstantInt::get(Type::getInt32Ty(M.getContext()), O.Line)}));
}

} // namespace kesco
