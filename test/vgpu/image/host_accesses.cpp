/*
 * vgpu-host.so: a pass plugin that vgpu-clang++ loads into the host compile. Before every access that may
 * reach memory which a device sees, host code calls vgpu_host_access (host_access.h) while
 * vgpu_host_recording is set. Runs last, so that it changes nothing of what other passes see. Not seen are
 * accesses inside of libraries, and volatile and atomic ones, by which host and device may talk on purpose.
 */
#include "access.h"
#include "older_calls.h"
#include "plugin/llvm_version.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include KESCO_PASS_PLUGIN_H
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

/// True for local variables and constants, which no device sees.
bool isPrivate(const Value *Pointer) {
    SmallVector<const Value *, 4> Objects;
    if (Pointer->getType()->getPointerAddressSpace())
        return true; // relative to a segment register: thread-local
    getUnderlyingObjects(Pointer, Objects);
    return all_of(Objects, [](const Value *Object) {
        const auto *G = dyn_cast<GlobalVariable>(Object);
        return isa<AllocaInst>(Object) || (G && (G->isConstant() || G->isThreadLocal()));
    });
}

bool isDeliberate(const Instruction &Inst) {
    return Inst.isAtomic() || Inst.isVolatile();
}

void record(Module &M, const vgpu::Access &A) {
    IRBuilder<> Before(A.Where);
    Value *Flag = M.getOrInsertGlobal("vgpu_host_recording", Before.getInt32Ty());
    Value *Recording = Before.CreateIsNotNull(Before.CreateLoad(Before.getInt32Ty(), Flag));
    MDNode *Unlikely = MDBuilder(M.getContext()).createUnlikelyBranchWeights();
    IRBuilder<> B(SplitBlockAndInsertIfThen(Recording, A.Where->getIterator(), false, Unlikely));
    FunctionCallee Callee = M.getOrInsertFunction("vgpu_host_access", B.getVoidTy(), B.getPtrTy(),
                                                  B.getInt64Ty(), B.getInt32Ty());
    B.CreateCall(Callee, {A.Address, B.CreateZExtOrTrunc(A.Size, B.getInt64Ty()), B.getInt32(A.Kind)});
}

struct HostAccesses : PassInfoMixin<HostAccesses> {
    PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
        bool Changed = false;
        vgpu::renameOlderCalls(M);
        for (Function &F : M) {
            for (const vgpu::Access &A : vgpu::findAccesses(F)) {
                if (isDeliberate(*A.Where) || isPrivate(A.Address))
                    continue;
                record(M, A);
                Changed = true;
            }
        }
        return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }

    /// -O0 and optnone do not make a race less of one.
    static bool isRequired() {
        return true;
    }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "vgpu-host", "1", [](PassBuilder &PB) {
                PB.registerOptimizerLastEPCallback(
                    [](ModulePassManager &MPM, auto...) { MPM.addPass(HostAccesses()); });
            }};
}
