#include "plugin/host/normalise.h"

#include "plugin/host/cuda_model.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <deque>

using namespace llvm;

namespace kesco {

static constexpr char SiteTag[] = "kesco.site";

/// Inlining stops when a function has grown to this many instructions: what is not inlined is a barrier.
static constexpr unsigned MostInstructions = 20000;

static bool launches(const Function &F) {
    return any_of(instructions(F), [](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        return Call && isPushConfiguration(*Call);
    });
}

/// The functions that launch and all that they call, directly or not.
static SmallPtrSet<const GlobalValue *, 32> neededFunctions(const SiteMap &Sites) {
    SmallPtrSet<const GlobalValue *, 32> Needed;
    SmallVector<const Function *, 32> Work;
    for (const auto &Entry : Sites)
        Work.push_back(Entry.first);
    while (!Work.empty()) {
        const Function *F = Work.pop_back_val();
        if (F->isDeclaration() || isKernelStub(*F) || !Needed.insert(F).second)
            continue;
        for (const Instruction &I : instructions(*F))
            if (const auto *Call = dyn_cast<CallBase>(&I))
                if (const Function *Callee = Call->getCalledFunction())
                    Work.push_back(Callee);
    }
    return Needed;
}

NormalisedModule::NormalisedModule(Module &Original, const SiteMap &Sites) {
    const SmallPtrSet<const GlobalValue *, 32> Needed = neededFunctions(Sites);
    ValueToValueMapTy Map;
    Copy = CloneModule(Original, Map, [&](const GlobalValue *Value) {
        return !isa<Function>(Value) || Needed.contains(Value);
    });
    Builder.registerModuleAnalyses(ModuleAnalyses);
    Builder.registerCGSCCAnalyses(SccAnalyses);
    Builder.registerFunctionAnalyses(FunctionAnalyses);
    Builder.registerLoopAnalyses(LoopAnalyses);
    Builder.crossRegisterProxies(LoopAnalyses, FunctionAnalyses, SccAnalyses, ModuleAnalyses);
    for (const auto &Entry : Sites)
        Copies[Entry.first] = cast<Function>(Map[Entry.first]);
    tagSites(Sites, Map);
    prepare();
    for (const auto &Entry : Sites)
        inlineCallees(*Copies[Entry.first]);
    for (const auto &Entry : Sites) {
        expandAllocations(*Copies[Entry.first]);
        simplify(*Copies[Entry.first]);
    }
}

Function *NormalisedModule::copyOf(const Function &Original) const {
    return Copies.lookup(&Original);
}

std::optional<unsigned> NormalisedModule::siteOf(const CallBase &Call) {
    if (const MDNode *Node = Call.getMetadata(SiteTag))
        return mdconst::extract<ConstantInt>(Node->getOperand(0))->getZExtValue();
    return std::nullopt;
}

void NormalisedModule::tagSites(const SiteMap &Sites, const ValueToValueMapTy &Map) {
    LLVMContext &Context = Copy->getContext();
    for (const auto &Entry : Sites)
        for (unsigned I = 0; I < Entry.second.size(); ++I) {
            Constant *Number = ConstantInt::get(Type::getInt32Ty(Context), I);
            MDNode *Tag = MDNode::get(Context, ConstantAsMetadata::get(Number));
            for (CallBase *Call : {Entry.second[I].Push, Entry.second[I].Stub})
                cast<Instruction>(Map.lookup(Call))->setMetadata(SiteTag, Tag);
        }
}

/// Removes what would stop simplification: no-optimise marks, and the doubt whether a launch takes place.
void NormalisedModule::prepare() {
    annotateApiDeclarations(*Copy);
    for (Function &F : *Copy) {
        if (isKernelStub(F))
            F.setDoesNotThrow();
        if (F.isDeclaration())
            continue;
        F.removeFnAttr(Attribute::OptimizeNone);
        F.removeFnAttr(Attribute::NoInline);
        for (Instruction &I : instructions(F)) {
            auto *Call = dyn_cast<CallBase>(&I);
            if (!Call || !isPushConfiguration(*Call))
                continue;
            Call->getCalledFunction()->setDoesNotThrow();
            Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), 0));
        }
    }
}

static bool canInline(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && !Callee->isDeclaration() && !Callee->isInterposable() && !Callee->isVarArg() &&
           !isKernelStub(*Callee) && !launches(*Callee) && Callee != Call.getFunction();
}

/// Inlines every callee with a body that does not launch, each once along a chain of calls, so recursion
/// ends. What the function itself calls comes first, so that the limit on its size strikes what is deepest.
void NormalisedModule::inlineCallees(Function &F) {
    struct Item {
        WeakVH Call; // null once inlining has removed it as unreachable
        int Parent;  // index into Chain of the call that brought this one in; -1 for none
    };
    std::vector<std::pair<const Function *, int>> Chain;
    std::deque<Item> Work;
    for (Instruction &I : instructions(F))
        if (auto *Call = dyn_cast<CallBase>(&I))
            Work.push_back({Call, -1});
    unsigned Size = F.getInstructionCount();
    while (!Work.empty()) {
        Item Next = Work.front();
        Work.pop_front();
        auto *Call = dyn_cast_or_null<CallBase>(Next.Call);
        if (!Call || !canInline(*Call))
            continue;
        const Function *Callee = Call->getCalledFunction();
        bool Recursive = false;
        for (int I = Next.Parent; I >= 0; I = Chain[I].second)
            Recursive |= Chain[I].first == Callee;
        unsigned Added = Callee->getInstructionCount();
        if (Recursive || Size + Added > MostInstructions)
            continue;
        InlineFunctionInfo Info;
        if (!InlineFunction(*Call, Info).isSuccess())
            continue;
        Size += Added;
        Chain.push_back({Callee, Next.Parent});
        for (CallBase *Inlined : Info.InlinedCallSites)
            Work.push_back({Inlined, static_cast<int>(Chain.size()) - 1});
    }
}

void NormalisedModule::simplify(Function &F) {
    FunctionPassManager Passes;
    Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    Passes.run(F, FunctionAnalyses);
    FunctionAnalyses.invalidate(F, PreservedAnalyses::none());
}

} // namespace kesco
