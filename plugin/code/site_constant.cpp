#include "plugin/code/site_constant.h"

#include "plugin/code/runtime_abi.h"
#include "plugin/cuda/stub_launch.h"
#include "plugin/plan/selection.h"

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

Constant *textConstant(Module &M, StringRef Text) {
    if (Text.empty())
        return ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
    GlobalVariable *Global = privateConstant(M, ConstantDataArray::getString(M.getContext(), Text));
    Global->setAlignment(Align(1)); /* the linker merges what has no other */
    return Global;
}

static_assert(KESCO_UNIT_MULTIPROCESSORS == static_cast<int>(KESCO_ENGINE_COMPUTE));
static_assert(KESCO_UNIT_TO_DEVICE == static_cast<int>(KESCO_ENGINE_TO_DEVICE));
static_assert(KESCO_UNIT_TO_HOST == static_cast<int>(KESCO_ENGINE_TO_HOST));
static_assert(KESCO_UNIT_NONE == static_cast<int>(KESCO_ENGINE_NONE));

/// How many arguments the op has, and how large each is; none where it cannot be collected.
static std::pair<uint32_t, Constant *> argumentsOf(Module &M, const OpSite *Site) {
    if (!Site)
        return {0, ConstantPointerNull::get(PointerType::getUnqual(M.getContext()))};
    SmallVector<uint32_t, 8> Sizes = {sizeof(kesco_transfer)};
    if (Site->isLaunch())
        Sizes = findStubLaunch(*Site->Issue->getCalledFunction())->Sizes;
    const auto Count = static_cast<uint32_t>(Sizes.size());
    if (Sizes.empty())
        Sizes.push_back(0); /* there is no array of none */
    return {Count, privateConstant(M, ConstantDataArray::get(M.getContext(), ArrayRef(Sizes)))};
}

Constant *siteConstant(Module &M, const Function &Named, const Op &O, unsigned Place, const OpSite *Site,
                       uint32_t Beside) {
    auto [Count, Sizes] = argumentsOf(M, Site);
    return privateConstant(
        M, AbiConstant<kesco_site>::get(M.getContext(), textConstant(M, kesco_op_kind_name(O.op.kind)),
                                        textConstant(M, O.op.name), textConstant(M, functionTitle(Named)),
                                        textConstant(M, O.source.own_file), O.source.own_line, O.source.line,
                                        O.op.engine, O.work, Beside, Place, Count, Sizes));
}

} // namespace kesco
