#include "plugin/region/consequence_finder.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_library.h"
#include "plugin/region/failure_effects.h"
#include "plugin/region/failure_region.h"
#include "plugin/region/function_ends.h"
#include "plugin/region/known_values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kesco {

/// True for what comes to the same, be it done for one error or for several: flags. Counting does not.
static bool isFlag(const Instruction &I) {
    return I.getOpcode() == Instruction::Or || I.getOpcode() == Instruction::And ||
           (isa<SelectInst>(I) && I.getType()->isIntegerTy(1));
}

void ConsequenceFinder::run() {
    findErrors(Result);
    for (size_t At = 0; At < Errors.size() || !Paths.empty();)
        if (At == Errors.size())
            addPath(Paths.pop_back_val());
        else
            for (const Use &Each : Errors[At++]->uses())
                followUse(Each);
}

/// True for what may hold \p Error then.
static bool merges(const User &By, const Value &Error) {
    const auto *Select = dyn_cast<SelectInst>(&By);
    return isa<PHINode>(By) || isa<CastInst>(By) || (Select && Select->getCondition() != &Error);
}

/// \p Error, and what holds it: variables that it may be merged into.
void ConsequenceFinder::findErrors(const Value &Error) {
    if (Errors.insert(&Error))
        for (const User *By : Error.users())
            if (merges(*By, Error))
                findErrors(*By);
}

void ConsequenceFinder::followUse(const Use &Each) {
    const auto *By = cast<Instruction>(Each.getUser());
    if (const auto *Test = dyn_cast<ICmpInst>(By)) {
        if (!comparesWithSuccess(*Test))
            return note(Kind::Unclear, By);
        const bool Holds = Test->getPredicate() == ICmpInst::ICMP_NE;
        return follow(*Test, *ConstantInt::getBool(Test->getType(), Holds));
    }
    if (merges(*By, *Each))
        return;
    if (const auto *Call = dyn_cast<CallBase>(By)) {
        if (const Function *Callee = Call->getCalledFunction(); !Callee || !describesError(*Callee))
            addHandedOn(*Call);
    } else if (const auto *Store = dyn_cast<StoreInst>(By)) {
        addStore(*Store);
    } else if (isa<ReturnInst>(By)) {
        note(Kind::Returns, nullptr);
    } else {
        note(isFlag(*By) ? Kind::Computes : Kind::Unclear, isFlag(*By) ? nullptr : By);
    }
}

/// True if \p F, in sight, may throw or end the program, but for what the C++ library throws.
static bool mayEnd(const Function &F) {
    return any_of(instructions(F), [](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        const Function *Callee = Call && Call->doesNotReturn() ? Call->getCalledFunction() : nullptr;
        return Call && Call->doesNotReturn() && !(Callee && throwsFromLibrary(*Callee));
    });
}

/// \p Call is given the error: what neither ends the program nor only says so does something for each.
void ConsequenceFinder::addHandedOn(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    const auto isOwn = [](const Value &Base) { return isa<AllocaInst>(Base); };
    const bool IsInSight = Callee && !Callee->isDeclaration();
    if (Call.doesNotReturn() || (IsInSight && mayEnd(*Callee)))
        note(Kind::HandsOn, Call.getCalledOperand());
    else if (onlySays(Call, isOwn))
        note(Kind::Says, Call.getCalledOperand());
    else
        note(IsInSight ? Kind::Unclear : Kind::HandsOn, IsInSight ? &Call : Call.getCalledOperand());
}

void ConsequenceFinder::addStore(const StoreInst &Store) {
    const BasedPlace At = placeOf(Store);
    note(Kind::Stores, At.Base, At.Offset);
    if (isa<AllocaInst>(At.Base))
        followVariable(*At.Base, Store);
}

/// \p Store stores something that is made of the error: it says where that came up.
void ConsequenceFinder::addMark(const StoreInst &Store) {
    const BasedPlace At = placeOf(Store);
    const auto *Element = dyn_cast<GetElementPtrInst>(At.Base);
    if (isa<AllocaInst>(At.Base))
        addStore(Store);
    else if (Element && isMadeAgain(*Element))
        note(Kind::Unclear, &Store);
    else
        note(Kind::Sets, At.Base, At.Offset);
}

/// \p Address leads into a variable where \p Store stores the error: what looks at that has it, too.
void ConsequenceFinder::followVariable(const Value &Address, const StoreInst &Store) {
    const BasedPlace At = placeOf(Store);
    for (const User *Each : Address.users()) {
        const auto *By = cast<Instruction>(Each);
        const auto *Call = dyn_cast<CallBase>(By);
        if (isa<GetElementPtrInst>(By))
            followVariable(*By, Store);
        else if (isa<LoadInst>(By) && placeOf(*By) == At &&
                 By->getType() == Store.getValueOperand()->getType())
            findErrors(*By);
        else if (isa<LoadInst>(By) && !isOfOtherBytes(*By, At, ErrorSize))
            note(Kind::Unclear, By);
        else if (const auto *Other = dyn_cast<StoreInst>(By); Other && Other->getValueOperand() == &Address)
            note(Kind::Unclear, By);
        else if (Call && !isa<IntrinsicInst>(Call))
            addHandedOn(*Call);
        else if (const auto *Copy = dyn_cast<AnyMemTransferInst>(By);
                 Copy && Copy->getRawSource() == &Address)
            note(Kind::Unclear, By);
        else if (isa<PHINode>(By) || isa<SelectInst>(By) || isa<CastInst>(By))
            note(Kind::Unclear, By);
    }
}

/// \p V is \p Known where there is an error.
void ConsequenceFinder::follow(const Value &V, const Constant &Known) {
    Followed.insert(&V);
    if (Seen.insert({&V, &Known}).second)
        for (const User *By : V.users())
            followUse(*cast<Instruction>(By), V, Known);
}

/// True if \p By is the error where \p V, by which it chooses, is \p Known.
bool ConsequenceFinder::choosesError(const Instruction &By, const Value &V, const Constant &Known) const {
    const auto *Select = dyn_cast<SelectInst>(&By);
    return Select && Select->getCondition() == &V &&
           Errors.contains(Known.isNullValue() ? Select->getFalseValue() : Select->getTrueValue());
}

/// True for the address of new memory, or what was there before where that failed.
static bool isNewMemory(const Instruction &I) {
    return isa<SelectInst>(I) && any_of(I.operand_values(), [](const Value *V) {
               const auto *Call = dyn_cast<CallBase>(V);
               return Call && isAllocation(*Call);
           });
}

void ConsequenceFinder::followUse(const Instruction &By, const Value &V, const Constant &Known) {
    const BasicBlock *Block = By.getParent();
    if (const auto *Branch = dyn_cast<BranchInst>(&By)) {
        Paths.push_back({Block, Branch->getSuccessor(Known.isNullValue() ? 1 : 0)});
    } else if (const auto *Switch = dyn_cast<SwitchInst>(&By)) {
        Paths.push_back({Block, Switch->findCaseValue(cast<ConstantInt>(&Known))->getCaseSuccessor()});
    } else if (isa<ReturnInst>(By)) {
        addReturn(&Known);
    } else if (isa<PHINode>(By)) {
        follow(By, Known);
    } else if (choosesError(By, V, Known)) {
        return; /* it holds the error, which is followed by itself */
    } else if (const auto *Store = dyn_cast<StoreInst>(&By)) {
        addMark(*Store);
        note(Kind::Computes, &Known);
    } else if (const auto *Call = dyn_cast<CallBase>(&By)) {
        addHandedOn(*Call);
    } else if (const Constant *Made = foldWith(By, V, Known)) {
        if (isFlag(By))
            note(Kind::Computes, Made);
        follow(By, *Made);
    } else if (isNewMemory(By)) {
        return;
    } else if (isFlag(By)) {
        note(Kind::Computes, &Known);
        if (const Constant *Telling = valueThatTells(By, V, Known))
            follow(By, *Telling);
    } else {
        note(Kind::Unclear, &Known);
    }
}

/// Where \p Pointer leads to, as far as that can be told.
static const Value &baseOf(const Value &Pointer) {
    return *getUnderlyingObject(&Pointer);
}

/// True for a sum or the like, of which each error makes another one: a pointer that is moved on, too.
static bool counts(const Value *V) {
    if (const auto *Cast = dyn_cast_or_null<CastInst>(V))
        V = Cast->getOperand(0);
    if (const auto *Moved = dyn_cast_or_null<GetElementPtrInst>(V))
        return isa<LoadInst>(baseOf(*Moved)) || isa<PHINode>(baseOf(*Moved));
    const auto *Operator = dyn_cast_or_null<BinaryOperator>(V);
    return Operator && !isFlag(*Operator);
}

/// True for a variable that may be looked at later, not for memory that something leads to.
static bool isState(const Value &Base) {
    return isa<Argument>(Base) || isa<GlobalVariable>(Base) || isa<AllocaInst>(Base);
}

/// True if the function may return after \p Block. Else, numbers are of messages, and others are looked at
/// where the program ends.
static bool mayReturn(const BasicBlock &Block) {
    return mayComeTo(
        beginOf(Block), [](const Instruction &I) { return isa<ReturnInst>(I); },
        [](const BasicBlock &Next) { return !Next.isEHPad(); });
}

/// True for what only makes up the value that the function returns: that is looked at where it does.
static bool isOnlyReturned(const PHINode &Merged, SmallPtrSetImpl<const PHINode *> &Seen) {
    return !Seen.insert(&Merged).second || all_of(Merged.users(), [&](const User *By) {
        const auto *Next = dyn_cast<PHINode>(By);
        return isa<ReturnInst>(By) || (Next && isOnlyReturned(*Next, Seen));
    });
}

/// True for what is caught.
static bool isException(const Value &V) {
    const auto *Part = dyn_cast<ExtractValueInst>(&V);
    return isa<LandingPadInst>(V) || (Part && isException(*Part->getAggregateOperand())) ||
           V.getType()->isStructTy();
}

/// True if control may come from the call to where \p Made is: another pass has another value there.
bool ConsequenceFinder::isMadeAgain(const Instruction &Made) const {
    const auto *Call = dyn_cast<Instruction>(&Result);
    return Call && mayComeTo(after(*Call), [&](const Instruction &I) { return &I == &Made; });
}

/// True if \p V, which comes out of \p Failed, may be another value where a later pass finds the error.
bool ConsequenceFinder::isOfPass(const Value &V, const FailureRegion *Failed, unsigned Depth) const {
    constexpr unsigned DeepestTree = 8;
    const auto *I = dyn_cast<Instruction>(&V);
    if (!I || Errors.contains(I))
        return false;
    if (!Failed || !Failed->has(*I->getParent()))
        return isMadeAgain(*I);
    if (isa<PHINode>(I) && Failed->isFirst(*I->getParent()))
        return true;
    if (const auto *Load = dyn_cast<LoadInst>(I)) {
        const Value &Base = baseOf(*Load->getPointerOperand());
        const auto *Variable = dyn_cast<GlobalVariable>(&Base);
        return isState(Base) && !Failed->isOwn(Base) && !(Variable && Variable->isConstant());
    }
    return !isa<CallBase>(I) && !I->isEHPad() &&
           (Depth == DeepestTree ||
            any_of(I->operands(), [&](const Use &Each) { return isOfPass(*Each, Failed, Depth + 1); }));
}

/// What is made where control comes along \p At of what it brings: a number may tell one place from another.
/// \p Failed: what control comes from; null where others come there, too.
void ConsequenceFinder::addMerged(const Edge &At, const FailureRegion *Failed) {
    if (!mayReturn(*At.To))
        return;
    for (const PHINode &Merged : At.To->phis()) {
        const Value *V = Merged.getIncomingValueForBlock(At.From);
        SmallPtrSet<const PHINode *, 4> Asked;
        if (const auto *Number = dyn_cast<ConstantInt>(V)) {
            if (!isOnlyReturned(Merged, Asked))
                note(Kind::Computes, V);
            follow(Merged, *Number);
        } else if (isa<GlobalValue>(V)) {
            note(Kind::Computes, V);
        } else if (Failed && isa<Instruction>(V) && Failed->makesOfConstants(*V)) {
            note(Kind::Computes, &Merged);
        } else if (isException(*V) || Followed.contains(V)) {
            continue;
        } else if ((Failed && counts(V)) || isOfPass(*V, Failed, 0)) {
            note(Kind::Unclear, &Merged);
        } else if (isa<Instruction>(V) && !Errors.contains(V) && !isOnlyReturned(Merged, Asked)) {
            note(Kind::Computes, &Merged);
        }
    }
}

/// What \p Block, which is only come to for an error, stores for what may be looked at later.
void ConsequenceFinder::addStores(const BasicBlock &Block, const FailureRegion &Failed) {
    for (const Instruction &I : Block) {
        const auto *Store = dyn_cast<StoreInst>(&I);
        if (!Store || Failed.isOwn(baseOf(*Store->getPointerOperand())))
            continue;
        const Value *Stored = Store->getValueOperand();
        const bool IsState = isState(baseOf(*Store->getPointerOperand()));
        if (counts(Stored) && (IsState || !Failed.makesOfConstants(*Stored)))
            note(Kind::Unclear, Store);
        else if (IsState && isa<Constant>(Stored))
            note(Kind::Computes, Stored);
    }
}

/// What is counted, or set to a constant that may tell one place from another, where control only comes
/// because of an error, as it does along \p From.
void ConsequenceFinder::addBookkeeping(const Edge &From) {
    if (!From.To->getSinglePredecessor())
        addMerged(From, nullptr);
    if (!isForErrors(*From.To))
        return;
    const FailureRegion Failed(F, *From.To);
    for (const BasicBlock *Block : Failed.blocks()) {
        addStores(*Block, Failed);
        for (const BasicBlock *Next : successors(Block))
            if (!Failed.has(*Next) && !Next->isEHPad()) {
                addMerged({Block, Next}, &Failed);
                if (!F.Fine.contains(Next) && Left.insert(Next).second)
                    addBookkeeping({Block, Next});
            }
    }
}

/// True if the program comes to \p Block without the error that leads along \p From as well.
static bool comesBackTo(const BasicBlock &Block, const Edge &From) {
    return any_of(successors(From.From), [&](const BasicBlock *Other) {
        return Other != From.To &&
               mayComeTo(beginOf(*Other), [&](const Instruction &I) { return I.getParent() == &Block; });
    });
}

/// True if it does before all other work, wherever it goes then.
bool ConsequenceFinder::joinsAtOnce(const BasicBlock &Block, const Edge &From) const {
    bool IsMet = false, Works = false;
    const auto enters = [&](const BasicBlock &Next) {
        IsMet |= &Next == &Block;
        return &Next != &Block;
    };
    for (const BasicBlock *Other : successors(From.From))
        if (Other != From.To && enters(*Other))
            Works |= mayComeTo(beginOf(*Other), GoesOn, enters);
    return IsMet && !Works;
}

/// True if the program comes to \p Block only where there is an error, or an exception is caught.
bool ConsequenceFinder::isForErrors(const BasicBlock &Block) {
    return Block.getSinglePredecessor() || Block.isEHPad() || !F.Fine.contains(&Block);
}

/// What is done about the error that leads along \p From before control is at \p Join, where it comes to
/// without one, too: it would be done again for the next check. So would what is only done without.
void ConsequenceFinder::addUntilJoin(const Edge &From, const BasicBlock &Join) {
    for (const BasicBlock *First : successors(From.From)) {
        if (First == &Join || !isForErrors(*First))
            continue;
        const FailureRegion Region(F, *First);
        const auto isOnlyForErrors = [&](const User *By) {
            const auto *I = cast<Instruction>(By);
            return I->isLifetimeStartOrEnd() || !F.Fine.contains(I->getParent());
        };
        const auto isOwn = [&](const Value &Base) {
            const auto *Call = dyn_cast<CallBase>(&Base);
            return Region.isOwn(Base) || (isa<AllocaInst>(Base) && all_of(Base.users(), isOnlyForErrors)) ||
                   (Call && Region.has(*Call->getParent()));
        };
        for (const BasicBlock *Block : Region.blocks())
            for (const Instruction &I : *Block)
                if (!onlySays(I, isOwn))
                    addEffect(I, /*IsForError=*/First == From.To);
    }
}

/// \p I, that more is left of than words.
void ConsequenceFinder::addEffect(const Instruction &I, bool IsForError) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store || !IsForError || !isa<Constant>(Store->getValueOperand()) || !isState(*placeOf(*Store).Base))
        return note(Kind::Unclear, &I);
    const BasedPlace At = placeOf(*Store);
    note(Kind::Sets, At.Base, At.Offset);
}

/// \p Test: the error that leads along \p From was found there.
void ConsequenceFinder::addPath(const Edge &From, const Edge &Test) {
    if (!Taken.insert({From.From, From.To}).second)
        return;
    addBookkeeping(From);
    KnownValues Known(*From.From);
    visitEdges(From, [&](const Edge &At) {
        if (!Known.mayTake(At))
            return false;
        Known.take(At);
        const bool JoinsAtOnce = joinsAtOnce(*At.To, Test);
        if (JoinsAtOnce)
            addUntilJoin(Test, *At.To);
        if (any_of(*At.To, GoesOn)) {
            Into.OnlyGoesOn = true;
            if (!comesBackTo(*At.To, Test))
                note(Kind::Unclear, At.To);
            return false;
        }
        if (JoinsAtOnce && At.To->phis().empty() && mayComeTo(beginOf(*At.To), GoesOn)) {
            Into.OnlyGoesOn = true;
            return false;
        }
        return addTerminator(At, *From.To, Test);
    });
}

static bool isThrow(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->getName() == "__cxa_throw";
}

/// What is thrown along \p From may be caught in the function itself.
void ConsequenceFinder::addHandlers(const Edge &From, const Edge &Test) {
    SmallVector<Edge, 4> Handlers;
    const auto isHandler = [](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        return Callee && Callee->getName() == "__cxa_begin_catch";
    };
    walkAlongEdges(
        beginOf(*From.To), [&](const Instruction &I) { return isHandler(I) ? Walk::Turn : Walk::On; },
        [&](const Edge &At) {
            if (any_of(*At.To, isHandler))
                Handlers.push_back(At);
            return true;
        });
    if (any_of(*From.To, isHandler))
        Handlers.push_back(From);
    for (const Edge &Each : Handlers)
        addPath(Each, Test);
}

/// What \p At leads to the end of. False: control does not go on there.
bool ConsequenceFinder::addTerminator(const Edge &At, const BasicBlock &First, const Edge &Test) {
    const CallBase *Call = lastCall(*At.To);
    if (const auto *Return = dyn_cast<ReturnInst>(At.To->getTerminator()))
        addReturn(Return->getReturnValue() ? valueFrom(Return->getReturnValue(), At) : nullptr);
    else if (Call)
        addEnd(*Call, First);
    if (const auto *Invoke = dyn_cast_or_null<InvokeInst>(Call); Invoke && isThrow(*Call))
        addHandlers({At.To, Invoke->getUnwindDest()}, Test);
    return !Call;
}

/// \p Returned: null where nothing is.
void ConsequenceFinder::addReturn(const Value *Returned) {
    if (!Returned || Errors.contains(Returned))
        note(Kind::Returns, nullptr);
    else if (!Followed.contains(Returned))
        note(isa<Constant>(Returned) ? Kind::Returns : Kind::Unclear, Returned);
}

/// The program ends with \p Status.
void ConsequenceFinder::addStatus(const Value &Status) {
    if (Errors.contains(&Status))
        note(Kind::Ends, nullptr);
    else
        note(isa<Constant>(Status) ? Kind::Ends : Kind::Unclear, &Status);
}

/// \p Call, on a way that begins with \p First, does not come back.
void ConsequenceFinder::addEnd(const CallBase &Call, const BasicBlock &First) {
    const Function *Callee = Call.getCalledFunction();
    if (const Value *Status = exitStatus(Call))
        addStatus(*Status);
    else if (isThrow(Call))
        addThrow(Call, First);
    else if (!Callee || !throwsFromLibrary(*Callee)) /* such as for want of memory for the words */
        note(Callee ? Kind::Ends : Kind::Unclear, Call.getCalledOperand());
}

/// With what is stored right into what is thrown: numbers that tell one place or pass from another.
void ConsequenceFinder::addThrow(const CallBase &Call, const BasicBlock &First) {
    const Value *Thrown = Call.getArgOperand(0);
    const DataLayout &Layout = Call.getDataLayout();
    note(Kind::Throws, Call.getArgOperand(1));
    for (const Instruction &I : *Call.getParent()) {
        const auto *Store = dyn_cast<StoreInst>(&I);
        const auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
        if (!Store && !Copy)
            continue;
        APInt Offset(Layout.getIndexTypeSizeInBits(Thrown->getType()), 0);
        const Value *To = Store ? Store->getPointerOperand() : Copy->getRawDest();
        const Value *Base = To->stripAndAccumulateConstantOffsets(Layout, Offset, /*AllowNonInbounds=*/true);
        const Value *From = Store ? Store->getValueOperand() : Copy->getRawSource();
        if (Base != Thrown)
            continue;
        if (isa<Constant>(From))
            note(Kind::Throws, From, Offset.getSExtValue());
        else if (const FailureRegion Failed(F, First); isOfPass(*From, &Failed, 0))
            note(Kind::Unclear, From);
    }
}

} // namespace kesco
