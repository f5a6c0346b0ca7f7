#include "plugin/copy/early_arguments.h"

#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/off_mark.h"
#include "plugin/ir/walk.h"

using namespace llvm;

namespace kesco {

/// True if control may come from the first block of the launch to such a call, and no further than its stub.
static bool callsUnseenFirst(const OpSite &Site) {
    bool Found = false;
    walkForward(before(Site.first()->front()), [&](const Instruction &I) {
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

/// The configuration and what depends on it move to the end of \p Last.
static void moveConfiguration(const OpSite &Site, BasicBlock &Last) {
    Site.Start->moveBefore(Last, Last.end());
    if (isa<InvokeInst>(Site.Start))
        return; /* it leads to where it is tested */
    Site.Test->moveBefore(Last, Last.end());
    Site.Branch->moveBefore(Last, Last.end());
}

/// Control goes from where the configuration stood to the first block of the launch.
static void evaluateFirst(const OpSite &Site) {
    BasicBlock *First = Site.first(), *Last = Site.Issue->getParent();
    BasicBlock *Tests = Site.Branch->getParent(), *Stood = Site.Start->getParent();
    BasicBlock *Calls = Last->splitBasicBlock(Site.Issue);
    Last->getTerminator()->eraseFromParent();
    moveConfiguration(Site, *Last);
    BranchInst::Create(First, Stood)->setDebugLoc(Site.Branch->getDebugLoc());
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
