#include "access.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace vgpu {

static void collect(Instruction &Inst, std::vector<Access> &Accesses) {
    const DataLayout &DL = Inst.getDataLayout();
    auto Bytes = [&](Type *T) {
        return ConstantInt::get(Type::getInt64Ty(Inst.getContext()), DL.getTypeStoreSize(T));
    };
    if (auto *Load = dyn_cast<LoadInst>(&Inst)) {
        Accesses.push_back({&Inst, Load->getPointerOperand(), Bytes(Load->getType()), VGPU_READ});
    } else if (auto *Store = dyn_cast<StoreInst>(&Inst)) {
        Type *T = Store->getValueOperand()->getType();
        Accesses.push_back({&Inst, Store->getPointerOperand(), Bytes(T), VGPU_WRITE});
    } else if (auto *Atomic = dyn_cast<AtomicRMWInst>(&Inst)) {
        Accesses.push_back({&Inst, Atomic->getPointerOperand(), Bytes(Atomic->getType()), VGPU_ATOMIC});
    } else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&Inst)) {
        Type *T = Exchange->getNewValOperand()->getType();
        Accesses.push_back({&Inst, Exchange->getPointerOperand(), Bytes(T), VGPU_ATOMIC});
    } else if (auto *Memory = dyn_cast<MemIntrinsic>(&Inst)) {
        Accesses.push_back({&Inst, Memory->getRawDest(), Memory->getLength(), VGPU_WRITE});
        if (auto *Transfer = dyn_cast<MemTransferInst>(&Inst))
            Accesses.push_back({&Inst, Transfer->getRawSource(), Memory->getLength(), VGPU_READ});
    }
}

std::vector<Access> findAccesses(Function &F) {
    std::vector<Access> Accesses;
    for (Instruction &Inst : instructions(F))
        collect(Inst, Accesses);
    return Accesses;
}

} // namespace vgpu
