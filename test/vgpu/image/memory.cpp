#include "image.h"
#include "test/vgpu/device.h"
#include "test/vgpu/device_abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instruction.h"

using namespace llvm;

namespace vgpu {
namespace {

enum AddressSpace : unsigned { Global = 1, SharedSpace = 3, Constant = 4 };

/// The functions that use a constant, directly or through constant expressions.
void collectUsers(const Value *V, SmallPtrSetImpl<const Value *> &Seen, SetVector<Function *> &Users) {
    for (const User *U : V->users()) {
        if (auto *I = dyn_cast<Instruction>(U))
            Users.insert(const_cast<Function *>(I->getFunction()));
        else if (Seen.insert(U).second)
            collectUsers(U, Seen, Users);
    }
}

void replace(GlobalVariable *Old, llvm::Constant *New) {
    Old->replaceAllUsesWith(ConstantExpr::getAddrSpaceCast(New, Old->getType()));
    Old->eraseFromParent();
}

/// `extern __shared__` arrays all start at the one buffer.
void lowerDynamicShared(Image &I, GlobalVariable *Old) {
    if (!I.Dynamic) {
        auto *Type = ArrayType::get(Type::getInt8Ty(I.M.getContext()), VGPU_DYNAMIC_SHARED_LIMIT);
        I.Dynamic = new GlobalVariable(I.M, Type, false, GlobalValue::ExternalLinkage, nullptr,
                                       "vgpu_dynamic_shared");
        I.Dynamic->setAlignment(Align(256));
    }
    replace(Old, I.Dynamic);
}

/// Places all static shared variables in one global. It is not internal: a fiber of another thread writes it
/// while this one waits in a call, which the optimiser could not know.
void lowerStaticShared(Image &I, ArrayRef<GlobalVariable *> Olds) {
    if (Olds.empty())
        return;
    const DataLayout &DL = I.M.getDataLayout();
    uint64_t Size = 0;
    SmallVector<uint64_t> Offsets;
    for (GlobalVariable *Old : Olds) {
        const uint64_t Bytes = DL.getTypeAllocSize(Old->getValueType());
        Offsets.push_back(alignTo(Size, std::max(Old->getAlign().valueOrOne(), Align(16))));
        Size = Offsets.back() + Bytes;
        SmallPtrSet<const Value *, 8> Seen;
        SetVector<Function *> Users;
        collectUsers(Old, Seen, Users);
        for (Function *F : Users)
            I.SharedBytes[F] += Bytes;
    }
    Type *Byte = Type::getInt8Ty(I.M.getContext());
    auto *Block = ArrayType::get(Byte, Size);
    I.Shared = new GlobalVariable(I.M, Block, false, GlobalValue::ExternalLinkage,
                                  ConstantAggregateZero::get(Block), "vgpu_static_shared");
    I.Shared->setVisibility(GlobalValue::HiddenVisibility);
    I.Shared->setAlignment(Align(256));
    for (auto [Old, Offset] : zip(Olds, Offsets)) {
        auto *Index = ConstantInt::get(Type::getInt64Ty(I.M.getContext()), Offset);
        replace(Old, ConstantExpr::getInBoundsGetElementPtr(Byte, I.Shared, Index));
    }
}

/// True for the text of access summaries that KeSCo's device compile leaves in the module: bytes for those
/// who read images, not a variable of the program.
bool isSummaryText(const GlobalVariable *G) {
    return G->getName().starts_with("__kesco1_summary_");
}

/// __device__ and __constant__ variables keep name and storage; both can be written by the host.
void lowerVariable(Image &I, GlobalVariable *Old) {
    const bool Summary = isSummaryText(Old);
    const bool Known = Old->isExternallyInitialized() && !Old->hasLocalLinkage() && !Summary;
    auto *New = new GlobalVariable(I.M, Old->getValueType(),
                                   Summary || (Old->isConstant() && !Old->isExternallyInitialized()),
                                   GlobalValue::ExternalLinkage, Old->getInitializer(), "", Old);
    New->takeName(Old);
    New->setVisibility(GlobalValue::HiddenVisibility);
    New->setAlignment(Old->getAlign());
    if (Known)
        I.Variables.push_back(
            {New, Old->getAddressSpace() == Constant ? VGPU_VAR_CONSTANT : VGPU_VAR_DEVICE});
    replace(Old, New);
}

/// True for clang's threadIdx and its like, of which only member functions are used: nothing defines them.
bool isPlaceName(StringRef Name) {
    return Name == "threadIdx" || Name == "blockIdx" || Name == "blockDim" || Name == "gridDim";
}

/// Gives a place name something to be the address of.
void definePlaceName(GlobalVariable *G) {
    G->setInitializer(llvm::Constant::getNullValue(G->getValueType()));
    G->setLinkage(GlobalValue::InternalLinkage);
}

void dropMetadataLists(Module &M) {
    for (const char *Name : {"llvm.used", "llvm.compiler.used"})
        if (GlobalVariable *List = M.getNamedGlobal(Name))
            List->eraseFromParent();
}

} // namespace

Error lowerMemory(Image &I) {
    dropMetadataLists(I.M);
    std::vector<GlobalVariable *> Shared, Others;
    for (GlobalVariable &G : make_early_inc_range(I.M.globals())) {
        G.setComdat(nullptr);
        if (G.getAddressSpace() == SharedSpace && G.isDeclaration())
            lowerDynamicShared(I, &G);
        else if (G.getAddressSpace() == SharedSpace)
            Shared.push_back(&G);
        else if (G.getAddressSpace() == Global || G.getAddressSpace() == Constant)
            Others.push_back(&G);
    }
    lowerStaticShared(I, Shared);
    for (GlobalVariable *G : Others) {
        if (G->isDeclaration() && isPlaceName(G->getName()))
            definePlaceName(G);
        if (G->isDeclaration() && !G->use_empty())
            return createStringError(
                "variable '" + G->getName() +
                "' is defined in another translation unit, or in none: compile with -fgpu-rdc");
        if (!G->isDeclaration())
            lowerVariable(I, G);
    }
    I.Registers =
        new GlobalVariable(I.M, ArrayType::get(Type::getInt8Ty(I.M.getContext()), sizeof(vgpu_registers)),
                           false, GlobalValue::ExternalLinkage, nullptr, "vgpu_registers");
    return Error::success();
}

} // namespace vgpu
