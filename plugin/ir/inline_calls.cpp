#include "plugin/ir/inline_calls.h"

#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"

#include <deque>

using namespace llvm;

namespace kesco {

bool canInline(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && !Callee->isDeclaration() && !Callee->isInterposable() && !Callee->isVarArg() &&
           !isKernelStub(*Callee) && !Callee->isPresplitCoroutine();
}

/// As dim3's constructor, without which no launch is understood.
static bool isSmallLeaf(const Function &F) {
    return F.getInstructionCount() <= 40 && all_of(callsIn(F), IsaPred<IntrinsicInst>);
}

namespace {

struct Item {
    WeakVH Call; ///< null once inlining has removed it as unreachable
    int Parent;  ///< index into the chain of the call that brought this one in
};

} // namespace

bool inlineCalls(Function &F, const Function &Self, function_ref<bool(const CallBase &)> Wanted,
                 function_ref<bool(CallBase &, InlineFunctionInfo &)> Inline) {
    std::vector<std::pair<const Function *, int>> Chain = {{&Self, -1}};
    std::deque<Item> Work;
    for (CallBase &Call : callsIn(F))
        Work.push_back({&Call, 0});
    unsigned Size = F.getInstructionCount();
    bool IsWhole = true;
    while (!Work.empty()) {
        Item Next = Work.front();
        Work.pop_front();
        auto *Call = dyn_cast_or_null<CallBase>(Next.Call);
        if (!Call || !canInline(*Call) || !Wanted(*Call))
            continue;
        const Function *Callee = Call->getCalledFunction();
        bool Recursive = false;
        for (int I = Next.Parent; I >= 0; I = Chain[I].second)
            Recursive |= Chain[I].first == Callee;
        unsigned Added = Callee->getInstructionCount();
        if (Recursive)
            continue;
        if (Size + Added > MostInstructions && !isSmallLeaf(*Callee)) {
            IsWhole = false;
            continue;
        }
        InlineFunctionInfo Info;
        if (!Inline(*Call, Info))
            continue;
        Size += Added;
        Chain.push_back({Callee, Next.Parent});
        for (CallBase *Inlined : Info.InlinedCallSites)
            Work.push_back({Inlined, static_cast<int>(Chain.size()) - 1});
    }
    return IsWhole;
}

} // namespace kesco
