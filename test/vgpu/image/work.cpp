#include "image.h"
#include "test/vgpu/device_abi.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <array>

using namespace llvm;

namespace vgpu {
namespace {

/// By VGPU_WORK_ kind.
using Counts = std::array<uint64_t, VGPU_WORK_KINDS>;

/// What stands for an instruction of a device.
bool isWork(const Instruction &Inst) {
    return !isa<PHINode, AllocaInst, DbgInfoIntrinsic>(Inst) && !Inst.isLifetimeStartOrEnd();
}

/// A function of which devices have no instruction.
struct Routine {
    uint64_t All, Arithmetic; ///< instructions; of them, floating-point arithmetic of its precision
};

/// Estimates: on the usual way through the function in libdevice.10.bc of CUDA 13.0, or through what the
/// assembler makes of a division or square root that is rounded as IEEE 754 wants it.
constexpr Routine DivideDouble = {15, 9}, DivideSingle = {10, 6}, RootDouble = {15, 9}, RootSingle = {8, 5};

/// Of each of the functions that \p Names lists.
struct Routines {
    StringRef Names;
    Routine Each;
};

const Routines Doubles[] = {{"exp exp2 exp10", {30, 16}},
                            {"expm1 sinh cosh", {50, 25}},
                            {"log log2 log10 log1p", {60, 34}},
                            {"erf erfinv", {64, 47}},
                            {"erfc erfcx", {100, 68}},
                            {"normcdf normcdfinv", {120, 77}},
                            {"sin cos sinpi cospi", {60, 24}},
                            {"sincos", {90, 40}},
                            {"tan asin acos atan atan2 tanh", {60, 35}},
                            {"sqrt dsqrt_rn", RootDouble},
                            {"ddiv_rn", DivideDouble},
                            {"rsqrt", {12, 7}},
                            {"cbrt", {40, 12}},
                            {"pow", {150, 90}}};

const Routines Singles[] = {{"expf exp2f exp10f", {10, 6}},
                            {"expm1f sinhf coshf tanhf", {25, 14}},
                            {"logf log2f log10f log1pf", {25, 15}},
                            {"erff erfinvf", {30, 18}},
                            {"erfcf erfcxf normcdff normcdfinvf", {45, 28}},
                            {"sinf cosf sinpif cospif", {25, 12}},
                            {"sincosf", {40, 20}},
                            {"tanf asinf acosf atanf atan2f", {30, 18}},
                            {"sqrtf fsqrt_rn", RootSingle},
                            {"fdiv_rn", DivideSingle},
                            {"cbrtf", {12, 6}},
                            {"powf", {60, 35}}};

Routine routineOf(ArrayRef<Routines> Known, StringRef Name) {
    for (const Routines &Some : Known)
        if (is_contained(split(Some.Names, ' '), Name))
            return Some.Each;
    return {1, 0};
}

/// Where only one user is left, which adds, devices have one instruction for both.
bool isFused(const Instruction &Inst) {
    if (Inst.getOpcode() != Instruction::FMul || !Inst.hasAllowContract() || !Inst.hasOneUse())
        return false;
    const auto *User = cast<Instruction>(*Inst.user_begin());
    return (User->getOpcode() == Instruction::FAdd || User->getOpcode() == Instruction::FSub) &&
           User->hasAllowContract();
}

Counts ofRoutine(const Routine &R, unsigned Kind) {
    Counts C = {R.All};
    C[Kind] = R.Arithmetic;
    return C;
}

Counts countCall(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    StringRef Name = Callee ? Callee->getName() : "";
    if (Name.consume_front("vgpu_fn___nv_")) {
        const Routine R = routineOf(Doubles, Name);
        return R.Arithmetic ? ofRoutine(R, VGPU_WORK_DOUBLE)
                            : ofRoutine(routineOf(Singles, Name), VGPU_WORK_SINGLE);
    }
    const bool IsRoot = Name.starts_with("llvm.sqrt.") || Name.starts_with("vgpu_nvvm_sqrt_rn");
    const bool IsMath = IsRoot || Name.starts_with("llvm.fma.") || Name.starts_with("llvm.fmuladd.") ||
                        Name.starts_with("vgpu_nvvm_");
    if (IsMath && Call.getType()->isDoubleTy())
        return ofRoutine(IsRoot ? RootDouble : Routine{1, 1}, VGPU_WORK_DOUBLE);
    if (IsMath && Call.getType()->isFloatTy())
        return ofRoutine(IsRoot ? RootSingle : Routine{1, 1}, VGPU_WORK_SINGLE);
    return {1};
}

Counts countInstruction(const Instruction &Inst) {
    if (!isWork(Inst) || isFused(Inst))
        return {};
    if (const auto *Call = dyn_cast<CallBase>(&Inst))
        return countCall(*Call);
    const Type *T = isa<FCmpInst>(Inst) ? Inst.getOperand(0)->getType() : Inst.getType();
    if (!isa<BinaryOperator, FCmpInst>(Inst) || !(T->isDoubleTy() || T->isFloatTy()))
        return {1};
    const unsigned Kind = T->isDoubleTy() ? VGPU_WORK_DOUBLE : VGPU_WORK_SINGLE;
    if (Inst.getOpcode() == Instruction::FDiv)
        return ofRoutine(T->isDoubleTy() ? DivideDouble : DivideSingle, Kind);
    return ofRoutine({1, 1}, Kind);
}

Counts countBlock(const BasicBlock &Block) {
    Counts Sum = {};
    for (const Instruction &Inst : Block) {
        const Counts C = countInstruction(Inst);
        for (unsigned Kind = 0; Kind < VGPU_WORK_KINDS; Kind++)
            Sum[Kind] += C[Kind];
    }
    return Sum;
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

/// Counts one kind of work. Each call sums up in a local variable, which the optimiser keeps in a register
/// or, for loops, turns into a product. A block counts where it begins, so that no end misses it.
void addCounter(Image &I, Function &F, const std::vector<std::pair<Instruction *, Counts>> &Blocks,
                const std::vector<Instruction *> &Ends, unsigned Kind) {
    Type *Long = Type::getInt64Ty(I.M.getContext());
    IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
    AllocaInst *Sum = B.CreateAlloca(Long);
    B.CreateStore(B.getInt64(0), Sum);
    for (const auto &[Where, Count] : Blocks) {
        if (!Count[Kind])
            continue;
        B.SetInsertPoint(Where);
        B.CreateStore(B.CreateAdd(B.CreateLoad(Long, Sum), B.getInt64(Count[Kind])), Sum);
    }
    for (Instruction *Where : Ends) {
        B.SetInsertPoint(Where);
        Value *Total = B.CreateConstInBoundsGEP2_64(I.Work->getValueType(), I.Work, 0, Kind);
        B.CreateStore(B.CreateAdd(B.CreateLoad(Long, Total), B.CreateLoad(Long, Sum)), Total);
        B.CreateStore(B.getInt64(0), Sum);
    }
}

void countIn(Image &I, Function &F) {
    const std::vector<Instruction *> Ends = findEnds(F);
    std::vector<std::pair<Instruction *, Counts>> Blocks;
    Counts Sum = {};
    for (BasicBlock &Block : F) {
        Blocks.emplace_back(&*Block.getFirstInsertionPt(), countBlock(Block));
        for (unsigned Kind = 0; Kind < VGPU_WORK_KINDS; Kind++)
            Sum[Kind] += Blocks.back().second[Kind];
    }
    for (unsigned Kind = 0; Kind < VGPU_WORK_KINDS; Kind++)
        if (Sum[Kind])
            addCounter(I, F, Blocks, Ends, Kind);
}

} // namespace

void countWork(Image &I) {
    auto *Type = ArrayType::get(Type::getInt64Ty(I.M.getContext()), VGPU_WORK_KINDS);
    I.Work = new GlobalVariable(I.M, Type, false, GlobalValue::ExternalLinkage, nullptr, "vgpu_work");
    for (Function &F : I.M)
        if (!F.isDeclaration())
            countIn(I, F);
}

} // namespace vgpu
