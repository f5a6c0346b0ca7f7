#include "plugin/region/error_checks.h"

#include "plugin/region/failure_region.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kesco {

const BasicBlock &failureOf(const ICmpInst &Test, const BranchInst &Branch) {
    return *Branch.getSuccessor(Test.getPredicate() == ICmpInst::ICMP_EQ ? 1 : 0);
}

static bool isZero(const Value *V) {
    const auto *Number = dyn_cast_or_null<ConstantInt>(V);
    return Number && Number->isZero();
}

static bool comparesWithSuccess(const ICmpInst &Test) {
    return Test.isEquality() && isZero(Test.getOperand(1));
}

const CallBase *failedCall(const Edge &At) {
    const auto *Branch = dyn_cast<BranchInst>(At.From->getTerminator());
    const auto *Test =
        Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Test || !comparesWithSuccess(*Test) || &failureOf(*Test, *Branch) != At.To ||
        Branch->getSuccessor(0) == Branch->getSuccessor(1))
        return nullptr;
    const auto *Call = dyn_cast<CallBase>(Test->getOperand(0));
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->isDeclaration() && Callee->getName().starts_with("cuda") ? Call : nullptr;
}

bool Consequences::followFrom(const Consequences &Other) const {
    return all_of(Found, [&](const Consequence &Each) {
        const Kind What = std::get<Kind>(Each);
        return What != Unclear && (Other.Found.count(Each) != 0 || (What == Stores && Other.isGrave()));
    });
}

std::optional<BasedPlace> Consequences::onlyStored() const {
    if (Found.size() != 1 || OnlyGoesOn)
        return std::nullopt;
    const auto &[What, With, Offset] = *Found.begin();
    if (What != Stores)
        return std::nullopt;
    return BasedPlace{static_cast<const Value *>(With), Offset};
}

/// True if nothing but that follows, and that the error is handed on.
bool Consequences::only(Kind What) const {
    const auto is = [](const Consequence &Each, Kind Other) { return std::get<Kind>(Each) == Other; };
    return !OnlyGoesOn && any_of(Found, [&](const Consequence &Each) { return is(Each, What); }) &&
           all_of(Found, [&](const Consequence &Each) { return is(Each, What) || is(Each, HandsOn); });
}

bool Consequences::onlyEnds() const {
    return only(Ends);
}

bool Consequences::onlyReturns() const {
    return only(Returns);
}

bool Consequences::isGrave() const {
    return any_of(Found, [](const Consequence &Each) {
        const Kind What = std::get<Kind>(Each);
        const auto *With = static_cast<const Value *>(std::get<const void *>(Each));
        return What == Throws || ((What == Ends || What == Returns) && !isZero(With));
    });
}

void Consequences::add(const Value &Result, function_ref<bool(const Instruction &)> GoesOn) {
    if (!Seen.insert(&Result).second)
        return;
    for (const Use &Each : Result.uses())
        addUse(Each, Result, GoesOn);
}

/// True for what only makes words of an error.
static bool describes(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && (Callee->getName() == "cudaGetErrorString" || Callee->getName() == "cudaGetErrorName");
}

/// True for what comes to the same, be it done for one error or for several: flags. Counting does not.
static bool isFlag(const Instruction &I) {
    return I.getOpcode() == Instruction::Or || I.getOpcode() == Instruction::And ||
           (isa<SelectInst>(I) && I.getType()->isIntegerTy(1)) || isa<BranchInst>(I) || isa<PHINode>(I);
}

void Consequences::addUse(const Use &Each, const Value &Result,
                          function_ref<bool(const Instruction &)> GoesOn) {
    const auto *By = cast<Instruction>(Each.getUser());
    if (const auto *Test = dyn_cast<ICmpInst>(By))
        return comparesWithSuccess(*Test) ? addTest(*Test, Result, GoesOn) : note(Unclear, By);
    if (isa<PHINode>(By) || isa<CastInst>(By))
        return add(*By, GoesOn);
    if (const auto *Call = dyn_cast<CallBase>(By)) {
        if (!describes(*Call))
            note(HandsOn, Call->getCalledOperand());
    } else if (const auto *Store = dyn_cast<StoreInst>(By)) {
        addStore(*Store);
    } else if (isa<ReturnInst>(By)) {
        note(Returns, nullptr);
    } else if (isa<SwitchInst>(By)) {
        note(Unclear, By);
    } else {
        note(isFlag(*By) ? Computes : Unclear, nullptr);
    }
}

void Consequences::addStore(const StoreInst &Store) {
    const BasedPlace At = placeOf(Store);
    note(Stores, At.Base, At.Offset);
}

/// What \p V, which uses \p Test, is for an error, if that is a constant; null if not.
static const Constant *valueIfFailed(const User &V, const ICmpInst &Test) {
    const bool Holds = Test.getPredicate() == ICmpInst::ICMP_NE;
    if (const auto *Choice = dyn_cast<SelectInst>(&V))
        return Choice->getCondition() == &Test
                   ? dyn_cast<Constant>(Holds ? Choice->getTrueValue() : Choice->getFalseValue())
                   : nullptr;
    return isa<ZExtInst>(V) ? ConstantInt::get(V.getType(), Holds ? 1 : 0) : nullptr;
}

void Consequences::addTest(const ICmpInst &Test, const Value &Result,
                           function_ref<bool(const Instruction &)> GoesOn) {
    for (const User *By : Test.users())
        if (const auto *Branch = dyn_cast<BranchInst>(By))
            addPath(*Branch, failureOf(Test, *Branch), Result, GoesOn);
        else
            addValue(*By, valueIfFailed(*By, Test), Result);
}

/// \p V, made of a test of \p Result, is \p IfFailed for an error; null for what is no constant.
void Consequences::addValue(const User &V, const Constant *IfFailed, const Value &Result) {
    for (const User *By : V.users()) {
        if (IfFailed && isa<ReturnInst>(By)) {
            addReturn(IfFailed, Result);
        } else if (isa<CastInst>(By) || (IfFailed && isa<PHINode>(By))) {
            if (Seen.insert(By).second)
                addValue(*By, IfFailed, Result);
        } else if (const auto *Store = dyn_cast<StoreInst>(By)) {
            addStore(*Store);
            note(Computes, IfFailed);
        } else if (const auto *Call = dyn_cast<CallBase>(By)) {
            note(HandsOn, Call->getCalledOperand());
        } else {
            note(isFlag(*cast<Instruction>(By)) ? Computes : Unclear, IfFailed);
        }
    }
}

/// What \p V is where control has come along \p At.
static const Value *valueFrom(const Value *V, const Edge &At) {
    const auto *Merged = dyn_cast<PHINode>(V);
    return Merged && Merged->getParent() == At.To ? Merged->getIncomingValueForBlock(At.From) : V;
}

/// Visits all edges that control may come along from \p From on, but for those of exceptions. \p Visit says
/// whether to go on behind one.
static void visitEdges(const Edge &From, function_ref<bool(const Edge &)> Visit) {
    if (Visit(From))
        walkAlongEdges(
            beginOf(*From.To), [](const Instruction &) { return Walk::On; },
            [&](const Edge &At) { return !At.To->isEHPad() && Visit(At); });
}

/// The call that control does not come back from at the end of \p Block; null for none.
static const CallBase *lastCall(const BasicBlock &Block) {
    const Instruction *End = Block.getTerminator();
    if (const auto *Invoke = dyn_cast<InvokeInst>(End))
        return Invoke->doesNotReturn() ? Invoke : nullptr;
    return isa<UnreachableInst>(End) ? dyn_cast_or_null<CallBase>(End->getPrevNode()) : nullptr;
}

/// The status that the program ends with in \p Call; null if that is no number.
static const Value *exitStatus(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    StringRef Name = Callee ? Callee->getName() : "";
    bool Exits = Name == "exit" || Name == "_exit" || Name == "_Exit" || Name == "quick_exit";
    return Exits ? Call.getArgOperand(0) : nullptr;
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

/// True if the function may return behind \p Block. Else, numbers are of messages, and others are looked at
/// where the program ends.
static bool mayReturn(const BasicBlock &Block) {
    bool Returns = false;
    walkForward(
        beginOf(Block),
        [&](const Instruction &I) {
            Returns |= isa<ReturnInst>(I);
            return Returns ? Walk::End : Walk::On;
        },
        [](const BasicBlock &Next) { return !Next.isEHPad(); });
    return Returns;
}

/// True for what only makes up the value that the function returns: that is looked at where it does.
static bool isOnlyReturned(const PHINode &Merged, SmallPtrSetImpl<const PHINode *> &Seen) {
    return !Seen.insert(&Merged).second || all_of(Merged.users(), [&](const User *By) {
        const auto *Next = dyn_cast<PHINode>(By);
        return isa<ReturnInst>(By) || (Next && isOnlyReturned(*Next, Seen));
    });
}

/// What \p To makes of where control has come from, \p From: a number may tell one place from another.
void Consequences::addMerged(const BasicBlock &From, const BasicBlock &To) {
    if (!mayReturn(To))
        return;
    for (const PHINode &Merged : To.phis()) {
        const Value *V = Merged.getIncomingValueForBlock(&From);
        SmallPtrSet<const PHINode *, 4> Asked;
        if (isa<ConstantInt>(V) && !isOnlyReturned(Merged, Asked))
            note(Computes, V);
    }
}

/// What is counted, or set to a constant that may tell one place from another, where control only comes
/// because of the error that leads from \p From to \p To.
void Consequences::addBookkeeping(const BasicBlock &From, const BasicBlock &To) {
    if (!To.getSinglePredecessor())
        return addMerged(From, To);
    const FailureRegion Failed(To);
    const auto countsOn = [&](const Value *V) { return counts(V) && !Failed.makesOfConstants(*V); };
    for (const BasicBlock *Block : Failed.blocks()) {
        for (const Instruction &I : *Block) {
            const auto *Store = dyn_cast<StoreInst>(&I);
            if (!Store || Failed.isOwn(baseOf(*Store->getPointerOperand())))
                continue;
            const Value *Stored = Store->getValueOperand();
            const bool IsState = isState(baseOf(*Store->getPointerOperand()));
            if (IsState ? counts(Stored) : countsOn(Stored))
                note(Unclear, Store);
            else if (IsState && isa<Constant>(Stored))
                note(Computes, Stored);
        }
        for (const BasicBlock *Next : successors(Block)) {
            if (Failed.has(*Next))
                continue;
            addMerged(*Block, *Next);
            if (any_of(Next->phis(), [&](const PHINode &Merged) {
                    return countsOn(Merged.getIncomingValueForBlock(Block));
                }))
                note(Unclear, Next);
        }
    }
}

void Consequences::addPath(const BranchInst &From, const BasicBlock &To, const Value &Result,
                           function_ref<bool(const Instruction &)> GoesOn) {
    addBookkeeping(*From.getParent(), To);
    visitEdges({From.getParent(), &To}, [&](const Edge &At) {
        if (any_of(*At.To, GoesOn)) {
            OnlyGoesOn = true;
            return false;
        }
        if (const auto *Return = dyn_cast<ReturnInst>(At.To->getTerminator()))
            addReturn(Return->getReturnValue() ? valueFrom(Return->getReturnValue(), At) : nullptr, Result);
        else if (const CallBase *Call = lastCall(*At.To))
            addEnd(*Call, Result);
        return !lastCall(*At.To);
    });
}

/// \p Returned: null where nothing is.
void Consequences::addReturn(const Value *Returned, const Value &Result) {
    if (!Returned || Returned == &Result)
        note(Returns, nullptr);
    else
        note(isa<Constant>(Returned) ? Returns : Unclear, Returned);
}

/// \p Call does not come back.
void Consequences::addEnd(const CallBase &Call, const Value &Result) {
    const Function *Callee = Call.getCalledFunction();
    if (const Value *Status = exitStatus(Call))
        note(Status == &Result || isa<Constant>(Status) ? Ends : Unclear,
             Status == &Result ? nullptr : Status);
    else if (Callee && Callee->getName() == "__cxa_throw")
        addThrow(Call);
    else
        note(Callee ? Ends : Unclear, Call.getCalledOperand());
}

/// With constants that are stored right into what is thrown: numbers that tell one place from another.
void Consequences::addThrow(const CallBase &Call) {
    const Value *Thrown = Call.getArgOperand(0);
    const DataLayout &Layout = Call.getDataLayout();
    note(Throws, Call.getArgOperand(1));
    for (const Instruction &I : *Call.getParent()) {
        const auto *Store = dyn_cast<StoreInst>(&I);
        const auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
        if (!Store && !Copy)
            continue;
        APInt Offset(Layout.getIndexTypeSizeInBits(Thrown->getType()), 0);
        const Value *To = Store ? Store->getPointerOperand() : Copy->getRawDest();
        const Value *Base = To->stripAndAccumulateConstantOffsets(Layout, Offset, /*AllowNonInbounds=*/true);
        const Value *From = Store ? Store->getValueOperand() : Copy->getRawSource();
        if (Base == Thrown && isa<Constant>(From))
            note(Throws, From, Offset.getSExtValue());
    }
}

bool endsBadly(const BasicBlock &Pad, function_ref<bool(const Instruction &)> GoesOn) {
    bool Badly = true;
    visitEdges({*pred_begin(&Pad), &Pad}, [&](const Edge &At) {
        if (any_of(*At.To, GoesOn))
            return false;
        const CallBase *Call = lastCall(*At.To);
        if (const auto *Return = dyn_cast<ReturnInst>(At.To->getTerminator())) {
            const Value *Returned =
                Return->getReturnValue() ? valueFrom(Return->getReturnValue(), At) : nullptr;
            Badly &= isa_and_nonnull<ConstantInt>(Returned) && !isZero(Returned);
        } else if (Call && exitStatus(*Call)) {
            Badly &= !isZero(exitStatus(*Call));
        }
        return Badly && !Call;
    });
    return Badly;
}

} // namespace kesco
