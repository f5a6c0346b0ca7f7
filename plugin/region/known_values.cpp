#include "plugin/region/known_values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

/// True if bits that \p Known has, or has not, stay so in \p I whatever the other operand is.
static bool prevails(const Instruction &I, const Constant &Known) {
    return (I.getOpcode() == Instruction::Or && !Known.isNullValue()) ||
           (I.getOpcode() == Instruction::And && Known.isNullValue());
}

/// What \p Choice is where its operand \p Of is \p Known; null where it may be one value or another.
static const Constant *chosenWith(const SelectInst &Choice, const Value &Of, const Constant &Known) {
    const auto valueOf = [&](const Value *V) { return V == &Of ? &Known : dyn_cast<Constant>(V); };
    const Constant *True = valueOf(Choice.getTrueValue());
    const Constant *False = valueOf(Choice.getFalseValue());
    if (Choice.getCondition() == &Of)
        return Known.isNullValue() ? False : True;
    return True == False ? True : nullptr;
}

const Constant *foldWith(const Instruction &I, const Value &Of, const Constant &Known) {
    if (const auto *Choice = dyn_cast<SelectInst>(&I))
        return chosenWith(*Choice, Of, Known);
    if (isa<FreezeInst>(I) || prevails(I, Known))
        return &Known;
    if (!isa<CastInst>(I) && !isa<CmpInst>(I) && !I.isBitwiseLogicOp())
        return nullptr;
    SmallVector<Constant *, 2> Operands;
    for (const Use &Each : I.operands()) {
        const auto *Operand = Each == &Of ? &Known : dyn_cast<Constant>(Each);
        if (!Operand)
            return nullptr;
        Operands.push_back(const_cast<Constant *>(Operand));
    }
    if (const auto *Compare = dyn_cast<CmpInst>(&I))
        return ConstantFoldCompareInstOperands(Compare->getPredicate(), Operands[0], Operands[1],
                                               I.getDataLayout());
    return ConstantFoldInstOperands(const_cast<Instruction *>(&I), Operands, I.getDataLayout());
}

const Constant *valueThatTells(const Instruction &By, const Value &V, const Constant &Known) {
    if (!By.getType()->isIntegerTy(1))
        return nullptr;
    const auto *Choice = dyn_cast<SelectInst>(&By);
    if (!Choice)
        return &Known;
    const Value *Other = &V != Choice->getCondition() ? nullptr
                         : Known.isNullValue()        ? Choice->getTrueValue()
                                                      : Choice->getFalseValue();
    const auto *Constant = dyn_cast_or_null<ConstantInt>(Other);
    return Constant ? ConstantInt::getBool(By.getType(), Constant->isZero()) : nullptr;
}

const Constant *KnownValues::valueOf(const Value &V) const {
    if (const auto *Itself = dyn_cast<Constant>(&V))
        return Itself;
    if (const Constant *Found = Known.lookup(&V))
        return Found;
    const auto *I = dyn_cast<Instruction>(&V);
    if (!I || (!isa<CastInst>(I) && !isa<CmpInst>(I) && !isa<FreezeInst>(I)))
        return nullptr;
    for (const Use &Each : I->operands())
        if (const Constant *Operand = Known.lookup(Each))
            return foldWith(*I, *Each, *Operand);
    return nullptr;
}

bool KnownValues::mayTake(const Edge &At) const {
    const Instruction *End = At.From->getTerminator();
    if (const auto *Branch = dyn_cast<BranchInst>(End)) {
        const Constant *Chosen = Branch->isConditional() ? valueOf(*Branch->getCondition()) : nullptr;
        return !Chosen || At.To == Branch->getSuccessor(Chosen->isNullValue() ? 1 : 0);
    }
    if (const auto *Switch = dyn_cast<SwitchInst>(End)) {
        const auto *Chosen = dyn_cast_or_null<ConstantInt>(valueOf(*Switch->getCondition()));
        return !Chosen || At.To == Switch->findCaseValue(Chosen)->getCaseSuccessor();
    }
    return true;
}

void KnownValues::take(const Edge &At) {
    if (At.From != Last)
        return;
    const auto isOther = [&](const BasicBlock *Next) {
        return Next != At.To && !Next->isEHPad() && mayTake({At.From, Next});
    };
    if (HasBegun && any_of(successors(At.From), isOther)) {
        Last = nullptr;
        return;
    }
    SmallVector<std::pair<const PHINode *, const Constant *>, 4> Merged;
    for (const PHINode &Each : At.To->phis())
        Merged.push_back({&Each, valueOf(*Each.getIncomingValueForBlock(At.From))});
    for (const auto &[Each, Value] : Merged)
        Known[Each] = Value;
    Last = At.To;
    HasBegun = true;
}

} // namespace kesco
