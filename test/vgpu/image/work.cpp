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

/// Adds what `Sum` holds to the library's count.
void hand(Image &I, Instruction *Where, AllocaInst *Sum) {
    IRBuilder<> B(Where);
    Type *Long = B.getInt64Ty();
    B.CreateStore(B.CreateAdd(B.CreateLoad(Long, I.Work), B.CreateLoad(Long, Sum)), I.Work);
}

/// Each call sums up in a local variable, which the optimiser keeps in a register or, for loops, turns into a
/// product.
void countIn(Image &I, Function &F) {
    std::vector<std::pair<BasicBlock *, uint64_t>> Blocks;
    for (BasicBlock &Block : F)
        Blocks.emplace_back(&Block, count_if(Block, isWork));
    IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
    AllocaInst *Sum = B.CreateAlloca(B.getInt64Ty());
    B.CreateStore(B.getInt64(0), Sum);
    for (auto [Block, Count] : Blocks) {
        /* Before the call that never returns, where there is one. */
        const bool Returns = !isa<UnreachableInst>(Block->getTerminator());
        Instruction *Where = Returns ? Block->getTerminator() : &*Block->getFirstInsertionPt();
        if (Where->getParent() == &F.getEntryBlock() && !Returns)
            Where = Sum->getNextNode()->getNextNode();
        B.SetInsertPoint(Where);
        B.CreateStore(B.CreateAdd(B.CreateLoad(B.getInt64Ty(), Sum), B.getInt64(Count)), Sum);
        if (!Returns || isa<ReturnInst>(Where))
            hand(I, Where, Sum);
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
