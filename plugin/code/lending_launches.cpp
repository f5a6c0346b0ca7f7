#include "plugin/code/lending_launches.h"

#include "plugin/code/open_regions.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/ir/calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

static void appendLaunchesOfOthers(Function &F, SmallVectorImpl<LendingLaunch> &Found) {
    if (any_of(instructions(F), [](const Instruction &I) {
            const std::optional<AbiFunction> Called = calledAbi(I);
            return Called && !isOfJoiningRegions(*Called);
        }))
        return;
    for (const OpSite &Site : findOpSites(F, /*PerThreadDefault=*/false))
        if (Site.isLaunch() && Site.Issue->getCalledFunction()->isDeclaration())
            Found.push_back({Site.Start, Site.Issue});
}

static void appendPointedLaunches(Function &F, SmallVectorImpl<LendingLaunch> &Found) {
    for (CallBase &Push : callsIn(F))
        if (CallBase *Launch = findPointedLaunch(Push))
            Found.push_back({&Push, Launch});
}

SmallVector<LendingLaunch, 8> findLendingLaunches(Function &F) {
    SmallVector<LendingLaunch, 8> Found;
    appendLaunchesOfOthers(F, Found);
    appendPointedLaunches(F, Found);
    return Found;
}

} // namespace kesco
