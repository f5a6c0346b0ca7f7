#include "plugin/copy/variants.h"

#include "plugin/copy/unroll.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/cuda/stream_action.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/inline_calls.h"
#include "plugin/ir/off_mark.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kesco {

/// Helpers are inlined as long as all callers together grow by no more instructions than this.
static constexpr unsigned MostInModule = 400000;

/// The functions that \p Is holds for, and of those that \p May holds for all that call them, directly or
/// not.
static SmallPtrSet<const Function *, 16> callersOf(
    const Module &M, function_ref<bool(const Function &)> Is,
    function_ref<bool(const Function &)> May = [](const Function &) { return true; }) {
    SmallPtrSet<const Function *, 16> Found;
    SmallVector<const Function *, 16> Work;
    for (const Function &F : M)
        if (Is(F) && Found.insert(&F).second)
            Work.push_back(&F);
    while (!Work.empty()) {
        for (const CallBase *Call : callsOf(*Work.pop_back_val()))
            if (const Function *Caller = Call->getFunction(); May(*Caller) && Found.insert(Caller).second)
                Work.push_back(Caller);
    }
    return Found;
}

Variants::Variants(Module &M, const KernelSummaries &Summaries)
    : M(M), Summaries(Summaries), Launching(callersOf(M, launches)),
      Wrapping(callersOf(M, wrapsAction, isWrapperSized)), Issuing(callersOf(M, issuesOps)),
      Budget(MostInModule) {
    for (const Function &F : M)
        Known.insert(&F);
}

Variants::~Variants() {
    for (const auto &Entry : Originals)
        Entry.first->eraseFromParent();
    for (Function &F : make_early_inc_range(M))
        if (F.isDeclaration() && F.use_empty() && !Known.contains(&F))
            F.eraseFromParent();
}

bool Variants::isHelper(const CallBase &Call) const {
    const Function *Callee = Call.getCalledFunction();
    return (Issuing.contains(Callee) || Wrapping.contains(Callee)) && whyOff(*Callee).empty() &&
           !Callee->hasFnAttribute(Attribute::ReturnsTwice) && !Callee->hasFnAttribute(Attribute::Naked) &&
           !Call.isMustTailCall() &&
           none_of(*Callee, [](const BasicBlock &Block) { return Block.hasAddressTaken(); });
}

void Variants::inlineWithin(Function &F, function_ref<bool(const CallBase &)> Wanted) {
    inlineCalls(F, *originalOf(F), Wanted, [&](CallBase &Call, InlineFunctionInfo &Info) {
        Function *Callee = Call.getCalledFunction();
        unsigned Added = Callee->getInstructionCount();
        if (Added > Budget || !AttributeFuncs::areInlineCompatible(F, *Callee) ||
            !InlineFunction(Call, Info).isSuccess())
            return false;
        AttributeFuncs::mergeAttributesForInlining(F, *Callee);
        Budget -= Added;
        return true;
    });
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
    bool HasHelpers = any_of(callsIn(F), [&](const CallBase &Call) {
        return canInline(Call) && isHelper(Call) && Call.getCalledFunction() != &F;
    });
    if (!HasHelpers)
        return &F;
    Function *Clone = clone(F);
    inlineWithin(*Clone, [&](const CallBase &Call) { return isHelper(Call); });
    return Clone;
}

static bool hasLoopThatMatters(Function &F) {
    DominatorTree Dominance(F);
    LoopInfo Loops(Dominance);
    return any_of(Loops, [](const Loop *L) { return mattersToLaunches(*L); });
}

/// Calls of functions that are inlined lie in one another at most this deeply where loops are counted.
static constexpr unsigned MostSteps = 4;

/// As `begin` and `end` of arrays and lists are, without which the passes of a loop over one cannot be
/// counted: a few instructions straight through.
static bool isStep(const CallBase &Call, unsigned Steps) {
    const Function *Callee = Call.getCalledFunction();
    return Steps > 0 && canInline(Call) && Callee->size() == 1 && Callee->getInstructionCount() <= 16 &&
           all_of(callsIn(*Callee), [&](const CallBase &Inner) {
               return isa<IntrinsicInst>(Inner) || isStep(Inner, Steps - 1);
           });
}

/// Leaves what loops themselves do from pass to pass: those that go on or end by a call are not counted.
void Variants::inlineSteps(Function &F) {
    DominatorTree Dominance(F);
    LoopInfo Loops(Dominance); /* stays right: no block is split */
    inlineWithin(F, [&](const CallBase &Call) {
        const BasicBlock *Block = Call.getParent();
        const Loop *L = Loops.getLoopFor(Block);
        return !(L && (L->isLoopExiting(Block) || L->isLoopLatch(Block))) &&
               !Issuing.contains(Call.getCalledFunction()) && isStep(Call, MostSteps);
    });
}

/// \p F, or a clone in which loops are unrolled.
Function *Variants::unrolled(Function &F) {
    if (!hasLoopThatMatters(F))
        return &F;
    if (!All)
        All.emplace();
    Function *Clone = clone(F);
    inlineSteps(*Clone);
    const bool IsUnrolled = unrollLaunches(*Clone, *All, Summaries);
    Function *Other = IsUnrolled ? &F : Clone;
    if (Originals.contains(Other))
        discard(*Other);
    if (IsUnrolled)
        Unrolled.insert(Clone);
    return IsUnrolled ? Clone : &F;
}

Function *Variants::of(Function &F) {
    if (!Launching.contains(&F) || any_of(F, [](const BasicBlock &Block) { return Block.hasAddressTaken(); }))
        return &F;
    return unrolled(*inlined(F));
}

Function *Variants::rolled(Function &Variant) {
    if (!Unrolled.contains(&Variant))
        return nullptr;
    Function *Original = originalOf(Variant);
    discard(Variant);
    return inlined(*Original);
}

Function *Variants::originalOf(Function &Variant) const {
    auto Found = Originals.find(&Variant);
    return Found == Originals.end() ? &Variant : Found->second;
}

void Variants::discard(Function &Variant) {
    Unrolled.erase(&Variant);
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
