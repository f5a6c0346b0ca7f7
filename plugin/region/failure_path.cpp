#include "plugin/region/failure_path.h"

#include "plugin/ir/calls.h"
#include "plugin/region/path_copier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace kesco {

FailurePath::FailurePath(const CallBase &Call) : Test(Call), Handler(Test.Asker ? nullptr : findHandler()) {
    constexpr unsigned MostBlocks = 8;
    if (!Test.Branch || Handler)
        return;
    const BasicBlock *From = Test.Branch->getParent();
    const BasicBlock *Block = &Test.failing();
    while (Block && Blocks.size() < MostBlocks && add(*Block, *From)) {
        if (isa<UnreachableInst>(Block->getTerminator()) || any_of(callsAmong(*Block), neverReturns))
            return;
        From = Block;
        Block = nextOf(*Block);
    }
    Blocks.clear();
}

/// The function that is given the result right after the call; null for none.
const CallBase *FailurePath::findHandler() const {
    if (!Test.Teller->hasOneUse())
        return nullptr;
    const auto *Found = dyn_cast<CallBase>(*Test.Teller->user_begin());
    const Function *Callee = Found ? Found->getCalledFunction() : nullptr;
    const bool Takes = Callee && !Callee->isDeclaration() && Found->use_empty() &&
                       all_of(Found->args(), [&](const Use &Given) {
                           return Given.get() == Test.Teller || isa<Constant>(Given.get());
                       });
    return Takes ? Found : nullptr;
}

/// True if \p Operand is there wherever the path is gone.
bool FailurePath::takes(const Value &Operand) const {
    const auto *I = dyn_cast<Instruction>(&Operand);
    return &Operand == Test.Teller || &Operand == Test.Variable || !I || Test.keptIn(*I) ||
           any_of(Blocks, [&](const Step &Each) { return Each.first == I->getParent(); });
}

/// False: the block is none of a path.
bool FailurePath::add(const BasicBlock &Block, const BasicBlock &From) {
    if (any_of(Blocks, [&](const Step &Each) { return Each.first == &Block; }))
        return false;
    Blocks.push_back({&Block, &From});
    return all_of(Block, [&](const Instruction &I) {
        if (const auto *Merged = dyn_cast<PHINode>(&I))
            return takes(*Merged->getIncomingValueForBlock(&From));
        if (const auto *Invoke = dyn_cast<InvokeInst>(&I))
            return all_of(Invoke->args(), [&](const Use &Given) { return takes(*Given); });
        return I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst() || Test.keptIn(I) ||
               (!isa<AllocaInst>(I) && !I.isEHPad() && !isa<ResumeInst>(I) &&
                all_of(I.operands(), [&](const Use &Operand) { return takes(*Operand); }));
    });
}

/// A copy of \p Asker, which is given the error first that it gets from \p Question else.
static Function &toldCopyOf(Function &Asker, const CallBase &Question) {
    const std::string Name = (Asker.getName() + ".told").str();
    Module &In = *Asker.getParent();
    if (Function *Known = In.getFunction(Name))
        return *Known;
    SmallVector<Type *, 4> Given = {Question.getType()};
    append_range(Given, Asker.getFunctionType()->params());
    Function *Told = Function::Create(FunctionType::get(Asker.getReturnType(), Given, /*isVarArg=*/false),
                                      GlobalValue::InternalLinkage, Name, In);
    ValueToValueMapTy Map;
    for (Argument &Each : Asker.args())
        Map[&Each] = Told->getArg(Each.getArgNo() + 1);
    SmallVector<ReturnInst *, 4> Returns;
    CloneFunctionInto(Told, &Asker, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
    Told->setVisibility(GlobalValue::DefaultVisibility);
    Told->setComdat(nullptr);
    stripDebugInfo(*Told);
    auto *Asked = cast<Instruction>(Map.lookup(&Question));
    Asked->replaceAllUsesWith(Told->getArg(0));
    Asked->eraseFromParent();
    return *Told;
}

void FailurePath::copyBefore(Instruction &At, Value &Error) const {
    PathCopier Path(*branchForError(At, Error, /*ComesBack=*/Handler || Test.Asker), Test, Error);
    if (Test.Asker) {
        SmallVector<Value *, 4> Given = {&Error};
        append_range(Given, Test.Asker->args());
        Path.Builder.CreateCall(&toldCopyOf(*Test.Asker->getCalledFunction(), *Test.Teller), Given)
            ->setDebugLoc(Test.Asker->getDebugLoc());
        return;
    }
    if (Handler) {
        Path.copy(*Handler);
        return;
    }
    if (Test.Variable) {
        Instruction *New = Test.Variable->clone();
        New->insertBefore(At.getFunction()->getEntryBlock().getFirstInsertionPt());
        Path.Builder.CreateStore(&Error, New);
        Path.map(*Test.Variable, New);
    }
    for (const auto &[Block, From] : Blocks)
        for (const Instruction &I : *Block) {
            if (const auto *Merged = dyn_cast<PHINode>(&I))
                Path.map(I, Path.mapped(*Merged->getIncomingValueForBlock(From)));
            else
                Path.copy(I);
        }
}

} // namespace kesco
