#include "plugin/host/launch_sites.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

bool isKernelStub(const Function &F) {
    return F.getName().contains("__device_stub__");
}

bool isPushConfiguration(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->getName() == "__cudaPushCallConfiguration" &&
           Call.arg_size() == PushStreamOperand + 1;
}

static BasicBlock *onlyWayOn(const Instruction *Terminator) {
    if (const auto *Branch = dyn_cast<BranchInst>(Terminator))
        return Branch->isUnconditional() ? Branch->getSuccessor(0) : nullptr;
    if (const auto *Invoke = dyn_cast<InvokeInst>(Terminator))
        return Invoke->getNormalDest();
    return nullptr;
}

/// Walks from \p Block to \p End along blocks that have one way in and one way on, and returns the one stub
/// call on the way; null if there is none, more than one, or another path.
static CallBase *findStubCall(BasicBlock *Block, const BasicBlock *End) {
    CallBase *Found = nullptr;
    SmallPtrSet<const BasicBlock *, 8> Seen;
    for (; Block && Block != End; Block = onlyWayOn(Block->getTerminator())) {
        if (!Block->hasNPredecessors(1) || !Seen.insert(Block).second)
            return nullptr;
        for (Instruction &I : *Block) {
            auto *Call = dyn_cast<CallBase>(&I);
            if (!Call || !Call->getCalledFunction() || !isKernelStub(*Call->getCalledFunction()))
                continue;
            if (Found)
                return nullptr;
            Found = Call;
        }
    }
    return Block == End ? Found : nullptr;
}

static bool canEvaluateEarly(const Instruction &I) {
    if (isa<DbgInfoIntrinsic>(I))
        return true;
    if (const auto *Load = dyn_cast<LoadInst>(&I))
        return Load->isSimple();
    return isa<CastInst>(I) || isa<GetElementPtrInst>(I) || isa<BinaryOperator>(I) || isa<CmpInst>(I) ||
           isa<SelectInst>(I) || isa<InsertValueInst>(I) || isa<ExtractValueInst>(I);
}

/// Both calls can be moved if all between them is plain evaluation and nothing refers to memory that may
/// change.
static bool isMovable(const LaunchSite &Site) {
    if (!isa<CallInst>(Site.Push) || !isa<CallInst>(Site.Stub) || isa<PHINode>(Site.End->front()))
        return false;
    const BasicBlock *Launch = Site.Stub->getParent();
    if (Launch->getSinglePredecessor() != Site.Branch->getParent() ||
        Launch->getSingleSuccessor() != Site.End)
        return false;
    for (unsigned I = 0; I < Site.Stub->arg_size(); ++I)
        if (Site.Stub->isByValArgument(I))
            return false;
    for (const Instruction &I : *Launch)
        if (&I != Site.Stub && !I.isTerminator() && !canEvaluateEarly(I))
            return false;
    return true;
}

static bool matchLaunch(CallBase *Push, LaunchSite &Site) {
    Site.Push = Push;
    Site.Test = Push->hasOneUse() ? dyn_cast<ICmpInst>(*Push->user_begin()) : nullptr;
    if (!Site.Test || !Site.Test->isEquality() || !isa<ConstantInt>(Site.Test->getOperand(1)) ||
        !cast<ConstantInt>(Site.Test->getOperand(1))->isZero())
        return false;
    Site.Branch = Site.Test->hasOneUse() ? dyn_cast<BranchInst>(*Site.Test->user_begin()) : nullptr;
    if (!Site.Branch || !Site.Branch->isConditional())
        return false;
    bool FailsFirst = Site.Test->getPredicate() == CmpInst::ICMP_NE;
    Site.End = Site.Branch->getSuccessor(FailsFirst ? 0 : 1);
    Site.Stub = findStubCall(Site.Branch->getSuccessor(FailsFirst ? 1 : 0), Site.End);
    if (!Site.Stub || !Site.End->hasNPredecessors(2))
        return false;
    Site.Movable = isMovable(Site);
    return true;
}

SmallVector<LaunchSite, 8> findLaunchSites(Function &F) {
    SmallVector<LaunchSite, 8> Sites;
    for (Instruction &I : instructions(F)) {
        auto *Push = dyn_cast<CallBase>(&I);
        LaunchSite Site;
        if (Push && isPushConfiguration(*Push) && matchLaunch(Push, Site))
            Sites.push_back(Site);
    }
    return Sites;
}

} // namespace kesco
