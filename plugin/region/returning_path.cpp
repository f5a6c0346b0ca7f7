#include "plugin/region/returning_path.h"

#include "plugin/cuda/host_library.h"
#include "plugin/ir/walk.h"
#include "plugin/region/path_copier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kesco {

static bool isMarker(const Instruction &I) {
    return I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst();
}

/// The variable that \p I loads or stores as a whole; null for none.
static const AllocaInst *variableOf(const Instruction &I) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    return Pointer && !I.isVolatile() && !I.isAtomic() ? dyn_cast<AllocaInst>(Pointer) : nullptr;
}

ReturningPath::ReturningPath(const CallBase &Call) : Call(Call), Test(Call) {
    if (!Test.Branch)
        return;
    if (Test.Variable)
        Brought[Test.Variable] = Test.Teller;
    walkAlongEdges(
        before(*Test.Branch),
        [&](const Instruction &I) {
            Others.insert(I.getParent());
            return Walk::On;
        },
        [&](const Edge &At) { return At.From != Test.Branch->getParent() || At.To != &Test.failing(); });
    follow();
    if (Blocks.empty())
        Join = nullptr;
}

void ReturningPath::follow() {
    constexpr unsigned MostBlocks = 16;
    const BasicBlock *From = Test.Branch->getParent(), *Block = &Test.failing();
    while (Block && Blocks.size() < MostBlocks && !is_contained(Blocks, Block) && enter(*Block, *From)) {
        if (Others.contains(Block) && !passes(*Block)) {
            Join = Block;
            return;
        }
        if (!add(*Block))
            return;
        From = Block;
        Block = next(*Block);
    }
}

/// What \p V is on the path.
const Value *ReturningPath::known(const Value &V) const {
    const auto Found = Brought.find(&V);
    return Found == Brought.end() ? &V : Found->second;
}

/// Notes what values are that are merged in \p Block. False: there is one that is made elsewhere.
bool ReturningPath::enter(const BasicBlock &Block, const BasicBlock &From) {
    SmallVector<std::pair<const PHINode *, const Value *>, 4> Merged;
    for (const PHINode &Each : Block.phis())
        Merged.push_back({&Each, known(*Each.getIncomingValueForBlock(&From))});
    for (const auto &[Each, Value] : Merged)
        Brought[Each] = Value;
    return all_of(Merged, [&](const auto &Each) { return takes(*Each.second); });
}

/// True if \p Block does nothing, and the path says where control comes then.
bool ReturningPath::passes(const BasicBlock &Block) const {
    return next(Block) && all_of(Block, [&](const Instruction &I) {
               return isMarker(I) || I.isTerminator() || isa<PHINode>(I) ||
                      (isa<LoadInst>(I) && Brought.contains(variableOf(I)));
           });
}

/// Where control comes after \p Block; null where the path does not say.
const BasicBlock *ReturningPath::next(const BasicBlock &Block) const {
    const auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator());
    if (!Switch)
        return nextOf(Block);
    const Value *Looked = Switch->getCondition();
    if (const auto *Load = dyn_cast<LoadInst>(Looked))
        if (const AllocaInst *Variable = variableOf(*Load))
            Looked = Variable;
    const auto *Number = dyn_cast<ConstantInt>(known(*Looked));
    return Number && Number->getType() == Switch->getCondition()->getType()
               ? Switch->findCaseValue(Number)->getCaseSuccessor()
               : nullptr;
}

/// True if \p Operand is there wherever the path is gone.
bool ReturningPath::takes(const Value &Operand) const {
    const auto *I = dyn_cast<Instruction>(&Operand);
    return !I || I == Test.Teller || is_contained(Blocks, I->getParent());
}

/// A load or a store. False: it needs more than the error.
bool ReturningPath::addAccess(const Instruction &I) {
    const AllocaInst *Variable = variableOf(I);
    if (!Variable)
        return all_of(I.operands(), [&](const Use &Operand) { return takes(*Operand); });
    if (const auto *Store = dyn_cast<StoreInst>(&I)) {
        const Value *Value = known(*Store->getValueOperand());
        Brought[Variable] = Value;
        return takes(*Value);
    }
    if (!Brought.contains(Variable))
        return Test.keptIn(I) != nullptr;
    return known(*Variable)->getType() == I.getType();
}

/// False: the block is none of a path.
bool ReturningPath::add(const BasicBlock &Block) {
    Blocks.push_back(&Block);
    return all_of(Block, [&](const Instruction &I) {
        if (isMarker(I) || isa<BranchInst>(I) || isa<SwitchInst>(I) || isa<PHINode>(I))
            return true;
        if (isa<LoadInst>(I) || isa<StoreInst>(I))
            return addAccess(I);
        if (const auto *Invoke = dyn_cast<InvokeInst>(&I))
            return all_of(Invoke->args(), [&](const Use &Given) { return takes(*Given); });
        return !I.isTerminator() && !I.isEHPad() && !isa<AllocaInst>(I) &&
               all_of(I.operands(), [&](const Use &Operand) { return takes(*Operand); });
    });
}

bool ReturningPath::mayMeet(Point From, function_ref<bool(const Instruction &)> Is) const {
    return From.Block != Join && mayComeTo(From, Is, [&](const BasicBlock &Block) { return &Block != Join; });
}

bool ReturningPath::isBefore(const Instruction &Place) const {
    return !mayMeet(after(Call), [&](const Instruction &I) { return &I == &Place; });
}

/// True if \p I may make something of a variable that something else takes back, as a destructor does.
static bool mayMake(const Instruction &I) {
    const auto *Given = dyn_cast<CallBase>(&I);
    if (!Given || isMarker(I) || isa<IntrinsicInst>(I))
        return false;
    const Function *Callee = Given->getCalledFunction();
    return (!Callee || (!isCudaFunction(*Callee) &&
                        (!isHostLibraryFunction(*Callee) || Callee->getName().starts_with("_Z")))) &&
           any_of(Given->args(), [](const Use &Each) {
               return Each->getType()->isPointerTy() && isa<AllocaInst>(getUnderlyingObject(Each));
           });
}

bool ReturningPath::mayLeaveFrom(const Instruction &Place) const {
    if (mayMeet(before(Place), mayMake))
        return false;
    const DominatorTree Dominance(const_cast<Function &>(*Place.getFunction()));
    SmallPtrSet<const BasicBlock *, 16> After;
    walkForward(beginOf(*Join), [&](const Instruction &I) {
        After.insert(I.getParent());
        return Walk::On;
    });
    return all_of(After, [&](const BasicBlock *Block) {
        return all_of(*Block, [&](const Instruction &I) { return isThere(I, Place, After, Dominance); });
    });
}

/// True if all that \p User, in \p After, uses is made there, too, or before \p Place; but what is merged at
/// the join.
bool ReturningPath::isThere(const Instruction &User, const Instruction &Place,
                            const SmallPtrSetImpl<const BasicBlock *> &After,
                            const DominatorTree &Dominance) const {
    const auto *Merged = dyn_cast<PHINode>(&User);
    return all_of(User.operands(), [&](const Use &Operand) {
        const auto *Made = dyn_cast<Instruction>(Operand);
        return !Made || After.contains(Made->getParent()) ||
               (Merged && !After.contains(Merged->getIncomingBlock(Operand))) ||
               Dominance.dominates(Made, &Place);
    });
}

/// True if what \p Variable holds at the join is looked at later: it is alive there.
bool ReturningPath::isReadAfter(const AllocaInst &Variable) const {
    bool IsRead = false;
    walkForward(beginOf(*Join), [&](const Instruction &I) {
        if (!is_contained(I.operand_values(), &Variable))
            return Walk::On;
        if (I.isLifetimeStartOrEnd() || (isa<StoreInst>(I) && variableOf(I) == &Variable))
            return Walk::Turn;
        IsRead = true;
        return Walk::End;
    });
    return IsRead;
}

namespace {

/// Whoever goes through a path where variables are not to be changed before its end.
class HoldingCopier : public PathCopier {
  public:
    HoldingCopier(Instruction &End, const ErrorTest &Test, Value &Error) : PathCopier(End, Test, Error) {
        if (Test.Variable)
            Held[Test.Variable] = &Error;
    }

    void copy(const Instruction &I) {
        const AllocaInst *Variable = variableOf(I);
        const auto *Store = Variable ? dyn_cast<StoreInst>(&I) : nullptr;
        if (Store)
            Held[Variable] = mapped(*Store->getValueOperand());
        else if (Variable && Held.contains(Variable))
            map(I, Held[Variable]);
        else
            PathCopier::copy(I);
    }

    MapVector<const AllocaInst *, Value *> Held; ///< by variable
};

} // namespace

void ReturningPath::copyBefore(Instruction &At, Value &Error) const {
    const bool FallsIn = At.getParent() == Join;
    BasicBlock *Here = At.getParent();
    Instruction *End = branchForError(At, Error, /*ComesBack=*/FallsIn);
    HoldingCopier Path(*End, Test, Error);
    for (const BasicBlock *Block : Blocks)
        for (const Instruction &I : *Block) {
            if (!isa<PHINode>(I))
                Path.copy(I);
            else
                Path.map(I, Path.mapped(*known(I)));
        }
    for (const auto &[Variable, V] : Path.Held)
        if (isReadAfter(*Variable))
            Path.Builder.CreateStore(V, const_cast<AllocaInst *>(Variable));
    BasicBlock *Copied = End->getParent();
    for (const PHINode &Each : Join->phis()) {
        auto &Merged = const_cast<PHINode &>(Each);
        Value *V = Path.mapped(*known(Merged));
        if (!FallsIn) {
            Merged.addIncoming(V, Copied);
            continue;
        }
        PHINode *Both = PHINode::Create(Merged.getType(), 2, "", At.getParent()->begin());
        Merged.replaceAllUsesWith(Both);
        Both->addIncoming(&Merged, Here);
        Both->addIncoming(V, Copied);
    }
    if (!FallsIn) {
        Path.Builder.CreateBr(const_cast<BasicBlock *>(Join));
        End->eraseFromParent();
    }
}

} // namespace kesco
