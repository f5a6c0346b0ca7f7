#include "plugin/host/variants.h"

#include "plugin/host/launch_sites.h"
#include "plugin/host/unroll.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <deque>

using namespace llvm;

namespace kesco {

/// A helper is inlined as long as its caller stays below the first, and all callers together below the
/// second.
static constexpr unsigned MostInstructions = 20000, MostInModule = 400000;

static bool launchesItself(const Function &F) {
    return any_of(instructions(F), [](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        return Call && isPushConfiguration(*Call);
    });
}

Variants::Variants(Module &M) : M(M), Budget(MostInModule) {
    SmallVector<const Function *, 16> Work;
    for (const Function &F : M) {
        Known.insert(&F);
        if (launchesItself(F) && Launching.insert(&F).second)
            Work.push_back(&F);
    }
    while (!Work.empty()) {
        const Function *Helper = Work.pop_back_val();
        for (const User *U : Helper->users()) {
            const auto *Call = dyn_cast<CallBase>(U);
            if (Call && Call->getCalledFunction() == Helper && Launching.insert(Call->getFunction()).second)
                Work.push_back(Call->getFunction());
        }
    }
}

Variants::~Variants() {
    for (const auto &Entry : Originals)
        Entry.first->eraseFromParent();
    for (Function &F : make_early_inc_range(M))
        if (F.isDeclaration() && F.use_empty() && !Known.contains(&F))
            F.eraseFromParent();
}

bool Variants::canInline(const CallBase &Call) const {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Launching.contains(Callee) && !Callee->isDeclaration() && !Callee->isInterposable() &&
           !Callee->isVarArg() && !Callee->hasFnAttribute(Attribute::ReturnsTwice) &&
           !Callee->hasFnAttribute(Attribute::Naked) && !Call.isMustTailCall() &&
           none_of(*Callee, [](const BasicBlock &Block) { return Block.hasAddressTaken(); });
}

/// Inlines each helper once along a chain of calls, so that recursion ends; what the function itself calls
/// comes first, so that the limits strike what is deepest.
void Variants::inlineHelpers(Function &F) {
    struct Item {
        WeakVH Call;
        int Parent; ///< index into Chain of the call that brought this one in; -1 for none
    };
    std::vector<std::pair<const Function *, int>> Chain = {{originalOf(F), -1}};
    std::deque<Item> Work;
    for (Instruction &I : instructions(F))
        if (auto *Call = dyn_cast<CallBase>(&I))
            Work.push_back({Call, 0});
    unsigned Size = F.getInstructionCount();
    while (!Work.empty()) {
        Item Next = Work.front();
        Work.pop_front();
        auto *Call = dyn_cast_or_null<CallBase>(Next.Call);
        if (!Call || !canInline(*Call))
            continue;
        Function *Callee = Call->getCalledFunction();
        bool Recursive = false;
        for (int I = Next.Parent; I >= 0; I = Chain[I].second)
            Recursive |= Chain[I].first == Callee;
        unsigned Added = Callee->getInstructionCount();
        if (Recursive || Size + Added > MostInstructions || Added > Budget)
            continue;
        if (!AttributeFuncs::areInlineCompatible(F, *Callee))
            continue;
        InlineFunctionInfo Info;
        if (!InlineFunction(*Call, Info).isSuccess())
            continue;
        AttributeFuncs::mergeAttributesForInlining(F, *Callee);
        Size += Added;
        Budget -= Added;
        Chain.push_back({Callee, Next.Parent});
        for (CallBase *Inlined : Info.InlinedCallSites)
            Work.push_back({Inlined, static_cast<int>(Chain.size()) - 1});
    }
}

Function *Variants::clone(Function &F) {
    ValueToValueMapTy Map;
    Function *Clone = CloneFunction(&F, Map);
    Clone->setLinkage(GlobalValue::InternalLinkage);
    Clone->setComdat(nullptr);
    Originals[Clone] = originalOf(F);
    return Clone;
}

/// \p F, or a clone in which the helpers that it calls are inlined.
Function *Variants::inlined(Function &F) {
    bool HasHelpers = any_of(instructions(F), [&](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        return Call && canInline(*Call) && Call->getCalledFunction() != &F;
    });
    if (!HasHelpers)
        return &F;
    Function *Clone = clone(F);
    inlineHelpers(*Clone);
    return Clone;
}

static bool hasLaunchLoop(Function &F) {
    DominatorTree Dominance(F);
    LoopInfo Loops(Dominance);
    return any_of(instructions(F), [&](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        return Call && isPushConfiguration(*Call) && Loops.getLoopFor(Call->getParent());
    });
}

/// \p F, or a clone in which loops are unrolled.
Function *Variants::unrolled(Function &F) {
    if (!hasLaunchLoop(F))
        return &F;
    Function *Clone = clone(F);
    bool Unrolled = unrollLaunches(*Clone, All, MostInstructions);
    Function *Other = Unrolled ? &F : Clone;
    if (Originals.contains(Other))
        discard(*Other);
    return Unrolled ? Clone : &F;
}

Function *Variants::of(Function &F) {
    if (any_of(F, [](const BasicBlock &Block) { return Block.hasAddressTaken(); }))
        return &F;
    return unrolled(*inlined(F));
}

Function *Variants::originalOf(Function &Variant) const {
    auto Found = Originals.find(&Variant);
    return Found == Originals.end() ? &Variant : Found->second;
}

void Variants::discard(Function &Variant) {
    if (Originals.erase(&Variant))
        Variant.eraseFromParent();
}

void Variants::adopt(Function &Variant) {
    Function *Original = originalOf(Variant);
    if (!Originals.erase(&Variant))
        return;
    SmallVector<std::pair<unsigned, MDNode *>, 4> Metadata;
    Variant.getAllMetadata(Metadata);
    Constant *Personality = Variant.hasPersonalityFn() ? Variant.getPersonalityFn() : nullptr;
    Original->dropAllReferences();
    Original->splice(Original->end(), &Variant);
    for (unsigned I = 0; I < Variant.arg_size(); ++I)
        Variant.getArg(I)->replaceAllUsesWith(Original->getArg(I));
    Original->setAttributes(Variant.getAttributes());
    if (Personality)
        Original->setPersonalityFn(Personality);
    for (const auto &[Kind, Node] : Metadata)
        Original->setMetadata(Kind, Node);
    Variant.eraseFromParent();
}

} // namespace kesco
