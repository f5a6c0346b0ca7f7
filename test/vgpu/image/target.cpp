#include "image.h"
#include "plugin/llvm_version.h"

#include "llvm/IR/CallingConv.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace vgpu {
namespace {

/// A processor that every x86-64 machine of the last decade has. It has no fused multiply-add, so that a host
/// reference compiled without special flags computes the same bits.
constexpr const char *TripleName = "x86_64-pc-linux-gnu";
constexpr const char *Processor = "x86-64-v2";

Expected<std::unique_ptr<TargetMachine>> makeMachine() {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    std::string Message;
    const kesco::TargetTriple Host(TripleName);
    const Target *T = TargetRegistry::lookupTarget(Host, Message);
    if (!T)
        return createStringError(Message);
    return std::unique_ptr<TargetMachine>(
        T->createTargetMachine(Host, Processor, "", TargetOptions(), Reloc::PIC_));
}

void retargetFunction(Function &F) {
    for (const char *Name : {"target-cpu", "target-features", "frame-pointer", "uniform-work-group-size"})
        F.removeFnAttr(Name);
    for (Attribute::AttrKind Kind : {Attribute::OptimizeNone, Attribute::NoInline, Attribute::Convergent})
        F.removeFnAttr(Kind);
    F.setComdat(nullptr);
    F.setCallingConv(CallingConv::C);
    if (!F.isDeclaration()) {
        F.setLinkage(GlobalValue::InternalLinkage);
        F.setVisibility(GlobalValue::DefaultVisibility);
        F.setDSOLocal(true);
    } else if (!F.isIntrinsic()) {
        F.setDSOLocal(false);
    }
    for (Instruction &Inst : instructions(F))
        if (auto *Call = dyn_cast<CallBase>(&Inst); Call && !Call->isInlineAsm())
            Call->setCallingConv(CallingConv::C);
}

/// Scopes such as "block" exist on a GPU only; here every atomic is atomic for all.
void widenScopes(Function &F) {
    for (Instruction &Inst : instructions(F)) {
        if (auto *Load = dyn_cast<LoadInst>(&Inst); Load && Load->isAtomic())
            Load->setSyncScopeID(SyncScope::System);
        else if (auto *Store = dyn_cast<StoreInst>(&Inst); Store && Store->isAtomic())
            Store->setSyncScopeID(SyncScope::System);
        else if (auto *Atomic = dyn_cast<AtomicRMWInst>(&Inst))
            Atomic->setSyncScopeID(SyncScope::System);
        else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&Inst))
            Exchange->setSyncScopeID(SyncScope::System);
        else if (auto *Fence = dyn_cast<FenceInst>(&Inst))
            Fence->setSyncScopeID(SyncScope::System);
    }
}

} // namespace

Error setTarget(Module &M) {
    auto Machine = makeMachine();
    if (!Machine)
        return Machine.takeError();
    M.setTargetTriple(kesco::TargetTriple(TripleName));
    M.setDataLayout((*Machine)->createDataLayout());
    return Error::success();
}

Error retarget(Image &I) {
    if (Error E = setTarget(I.M))
        return E;
    I.M.setModuleInlineAsm("");
    kesco::markKernels(I.M);
    for (Function &F : I.M) {
        if (F.getCallingConv() == CallingConv::PTX_Kernel && !F.isDeclaration())
            I.Kernels.push_back(&F);
        retargetFunction(F);
        widenScopes(F);
    }
    for (GlobalVariable &G : I.M.globals())
        G.setDSOLocal(!G.isDeclaration());
    return Error::success();
}

Error emitObject(Module &M, unsigned OptLevel, StringRef Path) {
    auto Machine = makeMachine();
    if (!Machine)
        return Machine.takeError();
    std::string Broken;
    raw_string_ostream Message(Broken);
    if (verifyModule(M, &Message))
        return createStringError("translation gives invalid code: " + Broken);

    LoopAnalysisManager LAM;
    FunctionAnalysisManager FAM;
    CGSCCAnalysisManager CGAM;
    ModuleAnalysisManager MAM;
    PassBuilder Builder(Machine->get());
    Builder.registerModuleAnalyses(MAM);
    Builder.registerCGSCCAnalyses(CGAM);
    Builder.registerFunctionAnalyses(FAM);
    Builder.registerLoopAnalyses(LAM);
    Builder.crossRegisterProxies(LAM, FAM, CGAM, MAM);
    const OptimizationLevel Level = OptLevel == 0 ? OptimizationLevel::O1 : OptimizationLevel::O2;
    Builder.buildPerModuleDefaultPipeline(Level).run(M, MAM);

    std::error_code Code;
    raw_fd_ostream Out(Path, Code);
    if (Code)
        return createStringError(Path + ": " + Code.message());
    legacy::PassManager Emit;
    if ((*Machine)->addPassesToEmitFile(Emit, Out, nullptr, CodeGenFileType::ObjectFile))
        return createStringError("this LLVM cannot write x86-64 objects");
    Emit.run(M);
    return Error::success();
}

} // namespace vgpu
