#include "image.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace vgpu {
namespace {

/// What stands for an instruction of a device.
bool isWork(const Instruction &Inst) {
    return !isa<PHINode, AllocaInst, DbgInfoIntrinsic>(Inst) && !Inst.isLifetimeStartOrEnd();
}

/// PTX's exit ends the thread in the library.
bool isExit(const Instruction &Inst) {
    const auto *Call = dyn_cast<CallBase>(&Inst);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && (Callee->getName() == "vgpu_asm_exit" || Callee->getName() == "vgpu_nvvm_exit");
}

/// Where a function may end: before an exit, a return, and what never returns.
std::vector<Instruction *> findEnds(Function &F) {
    std::vector<Instruction *> Ends;
    for (Instruction &Inst : instructions(F))
        if (isExit(Inst) || isa<ReturnInst>(Inst))
            Ends.push_back(&Inst);
        else if (isa<UnreachableInst>(Inst))
            Ends.push_back(&*Inst.getParent()->getFirstInsertionPt());
    return Ends;
}

/// Each call sums up in a local variable, which the optimiser keeps in a register or, for loops, turns into a
/// product. A block counts where it begins, so that no end misses it.
void countIn(Image &I, Function &F) {
    const std::vector<Instruction *> Ends = findEnds(F);
    Type *Long = Type::getInt64Ty(I.M.getContext());
    std::vector<std::pair<Instruction *, uint64_t>> Blocks;
    for (BasicBlock &Block : F)
        Blocks.emplace_back(&*Block.getFirstInsertionPt(), count_if(Block, isWork));
    IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
    AllocaInst *Sum = B.CreateAlloca(Long);
    B.CreateStore(B.getInt64(0), Sum);
    for (auto [Where, Count] : Blocks) {
        B.SetInsertPoint(Where);
        B.CreateStore(B.CreateAdd(B.CreateLoad(Long, Sum), B.getInt64(Count)), Sum);
    }
    for (Instruction *Where : Ends) {
        B.SetInsertPoint(Where);
        B.CreateStore(B.CreateAdd(B.CreateLoad(Long, I.Work), B.CreateLoad(Long, Sum)), I.Work);
        B.CreateStore(B.getInt64(0), Sum);
    }
}

} // namespace

void countWork(Image &I) {
    I.Work = new GlobalVariable(I.M, Type::getInt64Ty(I.M.getContext()), false, GlobalValue::ExternalLinkage,
                                nullptr, "vgpu_work");
    for (Function &F : I.M)
        if (!F.isDeclaration())
            countIn(I, F);
}

} // namespace vgpu
