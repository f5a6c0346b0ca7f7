#include "plugin/copy/early_arguments.h"

#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/off_mark.h"
#include "plugin/ir/walk.h"

using namespace llvm;

namespace kesco {

static BasicBlock *firstOf(const OpSite &Site) {
    return Site.Branch->getSuccessor(Site.Branch->getSuccessor(0) == Site.End ? 1 : 0);
}

/// True if control may come from the first block of the launch to such a call, and no further than its stub.
static bool callsUnseenFirst(const OpSite &Site) {
    bool Found = false;
    walkForward(before(firstOf(Site)->front()), [&](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        Found |= Call && callsUnseen(*Call);
        return Found ? Walk::End : Call == Site.Issue ? Walk::Turn : Walk::On;
    });
    return Found;
}

/// True if nothing but the configuration stands where it is tested, so that all of that can be moved.
static bool isAlone(const OpSite &Site) {
    const auto *Push = dyn_cast<InvokeInst>(Site.Start);
    const BasicBlock *Tests = Site.Branch->getParent();
    if (Site.Test->getParent() != Tests)
        return false;
    if (!Push)
        return Site.Start->getParent() == Tests;
    return Push->getNormalDest() == Tests && Tests->getSinglePredecessor() &&
           &*Tests->getFirstNonPHIOrDbg() == Site.Test && !isa<PHINode>(Tests->front()) &&
           !isa<PHINode>(Push->getUnwindDest()->front());
}

/// The configuration and what depends on it move to the end of \p Last, and control goes from where it stood
/// to the first block of the launch.
static void moveConfiguration(const OpSite &Site, BasicBlock &Last) {
    BasicBlock *First = firstOf(Site), *Stood = Site.Start->getParent();
    if (isa<InvokeInst>(Site.Start)) {
        Site.Start->moveBefore(Last, Last.end());
    } else {
        for (Instruction *I : {static_cast<Instruction *>(Site.Start), static_cast<Instruction *>(Site.Test),
                               static_cast<Instruction *>(Site.Branch)})
            I->moveBefore(Last, Last.end());
    }
    BranchInst::Create(First, Stood)->setDebugLoc(Site.Branch->getDebugLoc());
}

static void evaluateFirst(const OpSite &Site) {
    BasicBlock *First = firstOf(Site), *Last = Site.Issue->getParent();
    BasicBlock *Tests = Site.Branch->getParent(), *Stood = Site.Start->getParent();
    BasicBlock *Calls = Last->splitBasicBlock(Site.Issue);
    Last->getTerminator()->eraseFromParent();
    moveConfiguration(Site, *Last);
    First->replacePhiUsesWith(Tests, Stood);
    Site.Branch->replaceSuccessorWith(First, Calls);
    if (Tests == Stood)
        Site.End->replacePhiUsesWith(Stood, Last);
}

bool evaluateArgumentsFirst(Module &M) {
    SmallVector<OpSite, 8> Launches;
    for (Function &F : make_filter_range(M, [](const Function &Each) { return whyOff(Each).empty(); }))
        for (const OpSite &Site : findOpSites(F, /*PerThreadDefault=*/false))
            if (Site.isLaunch() && isAlone(Site) && callsUnseenFirst(Site))
                Launches.push_back(Site);
    for (const OpSite &Site : Launches)
        evaluateFirst(Site);
    return !Launches.empty();
}

} // namespace kesco
