#include "plugin/region/failure_path.h"

#include "plugin/region/error_checks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace kesco {

/// Where control comes next at the end of \p Block, if nothing is thrown; null where that is not one place.
static const BasicBlock *nextOf(const BasicBlock &Block) {
    if (const auto *Invoke = dyn_cast<InvokeInst>(Block.getTerminator()))
        return Invoke->getNormalDest();
    return Block.getSingleSuccessor();
}

/// The variable that the result of \p Call goes to, and nowhere else; null for none.
static const AllocaInst *variableOf(const CallBase &Call) {
    if (!Call.hasOneUse())
        return nullptr;
    const auto *Store = dyn_cast<StoreInst>(*Call.user_begin());
    const auto *Found = Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
    return Found && Found->isStaticAlloca() && Store->getValueOperand() == &Call ? Found : nullptr;
}

static bool asksForError(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->isDeclaration() &&
           (Callee->getName() == "cudaGetLastError" || Callee->getName() == "cudaPeekAtLastError");
}

/// The first call from \p From on, to the end of its block and of those that it leads to, before which
/// nothing is done but to fill variables; null for none.
static const CallBase *firstCall(BasicBlock::const_iterator From) {
    constexpr unsigned MostBlocks = 4;
    const BasicBlock *Block = From->getParent();
    for (unsigned I = 0; Block && I < MostBlocks; ++I) {
        for (const Instruction &Each : make_range(From, Block->end())) {
            const auto *Store = dyn_cast<StoreInst>(&Each);
            if (Each.isLifetimeStartOrEnd() || Each.isDebugOrPseudoInst() || isa<AllocaInst>(Each) ||
                isa<LoadInst>(Each) || isa<BranchInst>(Each) ||
                (Store && isa<AllocaInst>(Store->getPointerOperand())))
                continue;
            return dyn_cast<CallBase>(&Each);
        }
        Block = nextOf(*Block);
        if (Block)
            From = Block->begin();
    }
    return nullptr;
}

/// What comes behind \p Call if nothing is thrown; null for nothing.
static const Instruction *behindCall(const CallBase &Call) {
    const auto *Invoke = dyn_cast<InvokeInst>(&Call);
    return Invoke ? &Invoke->getNormalDest()->front() : Call.getNextNode();
}

/// Sets Teller, and Asker, to who is told in place of a call whose result nobody uses.
void FailurePath::findAsker() {
    const Instruction *Behind = Teller->use_empty() ? behindCall(*Teller) : nullptr;
    const CallBase *Next = Behind ? firstCall(Behind->getIterator()) : nullptr;
    if (!Next)
        return;
    if (asksForError(*Next)) {
        Teller = Next;
        return;
    }
    const Function *Callee = Next->getCalledFunction();
    if (!Callee || Callee->isDeclaration() || Callee->isInterposable() || Callee->isVarArg() ||
        !Next->use_empty() ||
        !all_of(Next->args(), [](const Use &Given) { return isa<Constant>(Given.get()); }))
        return;
    const CallBase *Question = firstCall(Callee->getEntryBlock().begin());
    if (!Question || !isa<CallInst>(Question) || !asksForError(*Question))
        return;
    Teller = Question;
    Asker = Next;
}

FailurePath::FailurePath(const CallBase &Call) : Teller(&Call) {
    constexpr unsigned MostBlocks = 8;
    findAsker();
    if (Asker)
        return;
    Variable = variableOf(*Teller);
    Handler = findHandler();
    const BranchInst *Test = Handler ? nullptr : findTest();
    if (!Test)
        return;
    const BasicBlock *From = Test->getParent();
    const BasicBlock *Block = &failureOf(*cast<ICmpInst>(Test->getCondition()), *Test);
    while (Block && Blocks.size() < MostBlocks && add(*Block, *From)) {
        if (isa<UnreachableInst>(Block->getTerminator()))
            return;
        From = Block;
        Block = nextOf(*Block);
    }
    Blocks.clear();
}

/// True for the call's result, be it loaded from its variable.
bool FailurePath::isError(const Value &V) const {
    const auto *Load = dyn_cast<LoadInst>(&V);
    return &V == Teller || (Load && Variable && Load->getPointerOperand() == Variable);
}

/// The function that is given the result right behind the call; null for none.
const CallBase *FailurePath::findHandler() const {
    if (!Teller->hasOneUse())
        return nullptr;
    const auto *Found = dyn_cast<CallBase>(*Teller->user_begin());
    const Function *Callee = Found ? Found->getCalledFunction() : nullptr;
    const bool Takes = Callee && !Callee->isDeclaration() && Found->use_empty() &&
                       all_of(Found->args(), [&](const Use &Given) {
                           return Given.get() == Teller || isa<Constant>(Given.get());
                       });
    return Takes ? Found : nullptr;
}

/// The other side of a comparison with success; null for any other.
static const Value *comparedWithSuccess(const ICmpInst &Compare) {
    const auto isSuccess = [](const Value *V) {
        const auto *Number = dyn_cast<ConstantInt>(V);
        return Number && Number->isZero();
    };
    if (!Compare.isEquality())
        return nullptr;
    return isSuccess(Compare.getOperand(1))   ? Compare.getOperand(0)
           : isSuccess(Compare.getOperand(0)) ? Compare.getOperand(1)
                                              : nullptr;
}

/// True for what does nothing but lead to the test.
bool FailurePath::leadsToTest(const Instruction &I) const {
    const auto *Store = dyn_cast<StoreInst>(&I);
    return I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst() || isa<LoadInst>(I) || isa<ICmpInst>(I) ||
           isa<BranchInst>(I) || (Store && Store->getPointerOperand() == Variable);
}

/// The branch that control comes to first behind the call, if that looks whether it succeeded, and nothing
/// else is done before; else null.
const BranchInst *FailurePath::findTest() const {
    constexpr unsigned MostBlocks = 4;
    const Instruction *Behind = behindCall(*Teller);
    const BasicBlock *Block = Behind->getParent();
    BasicBlock::const_iterator From = Behind->getIterator();
    for (unsigned I = 0; Block && I < MostBlocks; ++I) {
        if (!all_of(make_range(From, Block->end()),
                    [&](const Instruction &Each) { return leadsToTest(Each); }))
            return nullptr;
        const auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
        if (Branch && Branch->isConditional()) {
            const auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
            const Value *Looked = Compare ? comparedWithSuccess(*Compare) : nullptr;
            return Looked && isError(*Looked) ? Branch : nullptr;
        }
        Block = Branch ? nextOf(*Block) : nullptr;
        if (Block)
            From = Block->begin();
    }
    return nullptr;
}

/// What \p I loads from a variable that is given that value alone, a constant or an argument: what a function
/// that was inlined has been given. Null for any other.
const Value *FailurePath::keptIn(const Instruction &I) const {
    const auto *Load = dyn_cast<LoadInst>(&I);
    const auto *From = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
    const Value *Kept = nullptr;
    if (!From || From == Variable)
        return nullptr;
    for (const User *By : From->users()) {
        const auto *Store = dyn_cast<StoreInst>(By);
        if (Store && Store->getPointerOperand() == From && !Kept &&
            !isa<Instruction>(Store->getValueOperand()))
            Kept = Store->getValueOperand();
        else if (!isa<LoadInst>(By) && !cast<Instruction>(By)->isLifetimeStartOrEnd())
            return nullptr;
    }
    return Kept && Kept->getType() == Load->getType() ? Kept : nullptr;
}

/// True if \p Operand is there wherever the path is gone.
bool FailurePath::takes(const Value &Operand) const {
    const auto *I = dyn_cast<Instruction>(&Operand);
    return &Operand == Teller || &Operand == Variable || !I || keptIn(*I) ||
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
        return I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst() || keptIn(I) ||
               (!isa<AllocaInst>(I) && !I.isEHPad() && !isa<ResumeInst>(I) &&
                all_of(I.operands(), [&](const Use &Operand) { return takes(*Operand); }));
    });
}

/// A copy of \p I, if there is to be one; else null.
static Instruction *copyOf(const Instruction &I) {
    if (const auto *Invoke = dyn_cast<InvokeInst>(&I)) {
        auto *Made = createCallMatchingInvoke(const_cast<InvokeInst *>(Invoke));
        Made->setDebugLoc(I.getDebugLoc());
        return Made;
    }
    return I.isTerminator() || I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst() ? nullptr : I.clone();
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
    IRBuilder<> Builder(&At);
    Value *Failed = Builder.CreateICmpNE(&Error, Constant::getNullValue(Error.getType()));
    Instruction *End = SplitBlockAndInsertIfThen(Failed, At.getIterator(), /*Unreachable=*/!Handler && !Asker,
                                                 MDBuilder(At.getContext()).createUnlikelyBranchWeights());
    ValueToValueMapTy Map;
    Map[Teller] = &Error;
    Builder.SetInsertPoint(End);
    if (Asker) {
        SmallVector<Value *, 4> Given = {&Error};
        append_range(Given, Asker->args());
        Builder.CreateCall(&toldCopyOf(*Asker->getCalledFunction(), *Teller), Given)
            ->setDebugLoc(Asker->getDebugLoc());
        return;
    }
    const auto insert = [&](const Instruction &I) {
        if (const Value *Kept = keptIn(I))
            Map[&I] = const_cast<Value *>(Kept);
        else if (Instruction *New = copyOf(I)) {
            Builder.Insert(New);
            New->setDebugLoc(I.getDebugLoc());
            RemapInstruction(New, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
            Map[&I] = New;
        }
    };
    if (Handler) {
        insert(*Handler);
        return;
    }
    if (Variable) {
        Instruction *New = Variable->clone();
        New->insertBefore(const_cast<AllocaInst *>(Variable)->getIterator());
        Builder.CreateStore(&Error, New);
        Map[Variable] = New;
    }
    for (const auto &[Block, From] : Blocks)
        for (const Instruction &I : *Block) {
            if (const auto *Merged = dyn_cast<PHINode>(&I)) {
                Value *Incoming = Merged->getIncomingValueForBlock(From);
                auto Known = Map.find(Incoming);
                Map[&I] = Known == Map.end() ? Incoming : static_cast<Value *>(Known->second);
                continue;
            }
            insert(I);
        }
}

} // namespace kesco
