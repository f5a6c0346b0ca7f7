#include "plugin/messages/unseen_launches.h"

#include "plugin/cuda/op_sites.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/ir/walk.h"

using namespace llvm;

namespace kesco {

/// The function of CUDA's by which \p Callee launches, itself or a template around it; empty for none.
static StringRef launchFunction(const Function &Callee) {
    for (StringRef Name : {"cudaLaunchKernelExC", "cudaLaunchKernelEx", "cudaLaunchCooperativeKernel",
                           "cudaLaunchKernel", "cuLaunchKernelEx", "cuLaunchKernel"})
        if (Callee.getName().contains(Name))
            return Name;
    return "";
}

static bool mayLaunch(const Function &F) {
    return F.getName() == "__cudaPushCallConfiguration" || !launchFunction(F).empty();
}

UnseenLaunches::UnseenLaunches(Module &M) {
    for (Function &F : M)
        if (mayLaunch(F))
            for (CallBase *Launch : callsOf(F))
                add(*Launch);
    addCallers();
    addTransfers(M);
}

void UnseenLaunches::add(CallBase &Launch) {
    Function &F = *Launch.getFunction();
    if (isKernelStub(F) || mayLaunch(F))
        return;
    Launching.insert(&F);
    if (findOpSite(Launch, /*PerThreadDefault=*/false))
        return;
    Launches.insert(&Launch);
    Within.try_emplace(&F, &Launch);
}

void UnseenLaunches::addCallers() {
    SmallVector<const Function *, 8> Work;
    for (const auto &Entry : Within)
        Work.push_back(Entry.first);
    while (!Work.empty()) {
        const Function *Callee = Work.pop_back_val();
        const CallBase *Launch = Within.lookup(Callee);
        for (const CallBase *Call : callsOf(*Callee))
            if (Within.try_emplace(Call->getFunction(), Launch).second)
                Work.push_back(Call->getFunction());
    }
}

bool UnseenLaunches::isTransfer(const CallBase &Call) const {
    return (issuesOp(Call) && !isPushConfiguration(Call)) || Transferring.contains(Call.getCalledFunction());
}

void UnseenLaunches::addTransfers(Module &M) {
    const auto transfers = [&](const CallBase &Call) { return isTransfer(Call); };
    for (bool IsNew = true; std::exchange(IsNew, false);)
        for (const Function &F : M)
            if (!isKernelStub(F) && !Launching.contains(&F) && !Within.contains(&F) &&
                !Transferring.contains(&F) && any_of(callsIn(F), transfers))
                IsNew |= Transferring.insert(&F).second;
}

const CallBase *UnseenLaunches::launchOf(const CallBase &Call) const {
    return Launches.contains(&Call) ? &Call : Within.lookup(Call.getCalledFunction());
}

std::string UnseenLaunches::describe(const CallBase &Launch) {
    if (const Function *Callee = Launch.getCalledFunction(); Callee && !launchFunction(*Callee).empty())
        return ("by '" + launchFunction(*Callee) + "'").str();
    bool IsIndirect = false;
    walkForward(after(Launch), [&](const Instruction &I) {
        const auto *Next = dyn_cast<CallBase>(&I);
        const Function *Callee = Next ? Next->getCalledFunction() : nullptr;
        if (!Next || Next->isInlineAsm() || (Callee && !isKernelStub(*Callee)))
            return Walk::On;
        IsIndirect = !Callee;
        return Walk::End;
    });
    return IsIndirect ? "by a pointer to its kernel" : "in an unusual form";
}

const char *UnseenLaunches::adviceFor(StringRef How) {
    if (How == "by 'cudaLaunchKernel'")
        return "; write it as kernel<<<...>>>(...)";
    if (How == "by 'cudaLaunchKernelExC'" || How == "by 'cudaLaunchKernelEx'")
        return "; where it needs no attributes, write it as kernel<<<...>>>(...)";
    if (How == "by a pointer to its kernel")
        return "; name the kernel there, or make it a template parameter as in template <void "
               "(*KERNEL)(float *)>; else it is left to the run, with what other functions launch";
    return "";
}

} // namespace kesco
