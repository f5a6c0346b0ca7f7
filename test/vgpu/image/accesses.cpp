#include "access.h"
#include "image.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace vgpu {
namespace {

/// True if the pointer certainly leads to memory that no other op can touch.
bool isPrivate(const Image &I, const Value *Pointer) {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(Pointer, Objects);
    return all_of(Objects, [&](const Value *Object) {
        const unsigned Space = Object->getType()->getPointerAddressSpace();
        if (Space == 3 || Space == 5 || isa<AllocaInst>(Object))
            return true;
        if (const auto *A = dyn_cast<Argument>(Object))
            return A->hasByValAttr();
        const auto *G = dyn_cast<GlobalVariable>(Object);
        return G && (G->isConstant() || G == I.Shared || G == I.Dynamic || G == I.Registers || G == I.Work);
    });
}

/// void record(ptr, i64, i32): leaves out the image's own shared memory, the library does the rest.
Function *makeRecorder(Image &I) {
    LLVMContext &Context = I.M.getContext();
    IRBuilder<> B(Context);
    auto *Type = FunctionType::get(B.getVoidTy(), {B.getPtrTy(), B.getInt64Ty(), B.getInt32Ty()}, false);
    FunctionCallee Library = I.M.getOrInsertFunction("vgpu_device_access", Type);
    if (!I.Shared)
        return cast<Function>(Library.getCallee());
    auto *F = Function::Create(Type, GlobalValue::InternalLinkage, "vgpu_image_access", I.M);
    F->addFnAttr(Attribute::NoInline);
    B.SetInsertPoint(BasicBlock::Create(Context, "", F));
    auto *Done = BasicBlock::Create(Context, "done", F), *Report = BasicBlock::Create(Context, "report", F);
    Value *Offset = B.CreateSub(B.CreatePtrToInt(F->getArg(0), B.getInt64Ty()),
                                B.CreatePtrToInt(I.Shared, B.getInt64Ty()));
    const uint64_t Size = I.M.getDataLayout().getTypeAllocSize(I.Shared->getValueType());
    B.CreateCondBr(B.CreateICmpULT(Offset, B.getInt64(Size)), Done, Report);
    B.SetInsertPoint(Report);
    B.CreateCall(Library, {F->getArg(0), F->getArg(1), F->getArg(2)});
    B.CreateBr(Done);
    B.SetInsertPoint(Done);
    B.CreateRetVoid();
    return F;
}

/// True for what a loop that waits for another thread must contain.
bool mayWait(const Instruction &Inst) {
    const auto *Load = dyn_cast<LoadInst>(&Inst);
    return isa<AtomicRMWInst, AtomicCmpXchgInst>(&Inst) || (Load && (Load->isVolatile() || Load->isAtomic()));
}

void addSpinCalls(Image &I) {
    std::vector<Instruction *> Waits;
    for (Function &F : I.M)
        for (Instruction &Inst : instructions(F))
            if (mayWait(Inst))
                Waits.push_back(&Inst);
    for (Instruction *Inst : Waits) {
        IRBuilder<> B(Inst);
        B.CreateCall(I.M.getOrInsertFunction("vgpu_device_spin", B.getVoidTy()));
    }
}

/// Whether the op is recorded does not change while it runs, so a function asks once.
Value *askRecording(Image &I, Function &F) {
    IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().getFirstInsertionPt());
    Value *Flag = I.M.getOrInsertGlobal("vgpu_recording", B.getInt32Ty());
    return B.CreateIsNotNull(B.CreateLoad(B.getInt32Ty(), Flag));
}

} // namespace

void recordAccesses(Image &I) {
    addSpinCalls(I);
    std::vector<std::pair<Function *, std::vector<Access>>> Work;
    for (Function &F : I.M) {
        std::vector<Access> Accesses = findAccesses(F);
        erase_if(Accesses, [&](const Access &A) { return isPrivate(I, A.Address); });
        if (!Accesses.empty())
            Work.emplace_back(&F, std::move(Accesses));
    }
    if (Work.empty())
        return;
    Function *Recorder = makeRecorder(I);
    MDNode *Unlikely = MDBuilder(I.M.getContext()).createUnlikelyBranchWeights();
    for (auto &[F, Accesses] : Work) {
        Value *Recording = askRecording(I, *F);
        for (const Access &A : Accesses) {
            IRBuilder<> B(SplitBlockAndInsertIfThen(Recording, A.Where->getIterator(), false, Unlikely));
            B.CreateCall(Recorder, {B.CreateAddrSpaceCast(A.Address, B.getPtrTy()),
                                    B.CreateZExtOrTrunc(A.Size, B.getInt64Ty()), B.getInt32(A.Kind)});
        }
    }
}

} // namespace vgpu
