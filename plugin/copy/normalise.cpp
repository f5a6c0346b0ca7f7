#include "plugin/copy/normalise.h"

#include "plugin/copy/loads_across_waits.h"
#include "plugin/copy/pointer_walks.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_summary.h"
#include "plugin/cuda/transfers.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/claim.h"
#include "plugin/ir/ending_blocks.h"
#include "plugin/ir/hindrances.h"
#include "plugin/ir/inline_calls.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/ir/pass_numbers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>

using namespace llvm;

namespace kesco {

static constexpr char SiteTag[] = "kesco.site";
static constexpr char OriginTag[] = "kesco.origin"; ///< of what stood in the function itself
static constexpr char CallTag[] = "kesco.call";     ///< of what was inlined: the call that it came from
static constexpr char EndTag[] = "kesco.end";       ///< control does not come back from there

/// The functions that launch and all that they call, directly or not.
static SmallSetVector<const Function *, 32> neededFunctions(const SiteMap &Sites) {
    SmallSetVector<const Function *, 32> Needed;
    for (const auto &Entry : Sites)
        Needed.insert(Entry.first);
    addCallees(Needed, [](const Function &F) { return !F.isDeclaration() && !isKernelStub(F); });
    return Needed;
}

Function *NormalisedModule::copyOf(const Function &Original) const {
    return Copies.lookup(&Original);
}

static std::optional<unsigned> numberOf(const Instruction &I, StringRef Tag) {
    if (const MDNode *Node = I.getMetadata(Tag))
        return mdconst::extract<ConstantInt>(Node->getOperand(0))->getZExtValue();
    return std::nullopt;
}

static MDNode *makeTag(LLVMContext &Context, unsigned Number) {
    Constant *Value = ConstantInt::get(Type::getInt32Ty(Context), Number);
    return MDNode::get(Context, ConstantAsMetadata::get(Value));
}

std::optional<unsigned> NormalisedModule::siteOf(const CallBase &Call) {
    return numberOf(Call, SiteTag);
}

std::optional<unsigned> NormalisedModule::inlinedFrom(const Instruction &I) {
    return numberOf(I, CallTag);
}

bool NormalisedModule::endsInCall(const Instruction &I) {
    return I.hasMetadata(CallTag) && I.hasMetadata(EndTag);
}

Instruction *NormalisedModule::originalOf(const Function &Original, const Instruction &I) const {
    std::optional<unsigned> Number = numberOf(I, OriginTag);
    if (!Number)
        Number = numberOf(I, CallTag);
    return Number ? Originals.find(&Original)->second[*Number] : nullptr;
}

void NormalisedModule::tagInstructions(Function &Original, const ValueToValueMapTy &Map) {
    std::vector<Instruction *> &ByTag = Originals[&Original];
    for (Instruction &I : instructions(Original)) {
        cast<Instruction>(Map.lookup(&I))->setMetadata(OriginTag, makeTag(Copy->getContext(), ByTag.size()));
        ByTag.push_back(&I);
    }
}

void NormalisedModule::tagSites(const SiteMap &Sites, const ValueToValueMapTy &Map) {
    LLVMContext &Context = Copy->getContext();
    for (const auto &Entry : Sites)
        for (unsigned I = 0; I < Entry.second.size(); ++I) {
            MDNode *Tag = makeTag(Context, I);
            for (CallBase *Call : {Entry.second[I].Start, Entry.second[I].Issue})
                cast<Instruction>(Map.lookup(Call))->setMetadata(SiteTag, Tag);
        }
}

/// Tags what stands where a function does not come back.
static void tagEnds(Module &M) {
    MDNode *Tag = MDNode::get(M.getContext(), {});
    for (Function &F : M) {
        const SmallPtrSet<const BasicBlock *, 16> Ending = findEndingBlocks(F);
        for (Instruction &I : instructions(F))
            if (Ending.contains(I.getParent()))
                I.setMetadata(EndTag, Tag);
    }
}

/// Removes what would stop simplification, and the doubt whether a launch takes place.
void NormalisedModule::prepare() {
    annotateApiDeclarations(*Copy);
    for (Function &F : *Copy) {
        /* Host memory that a kernel writes, the host may only look at after a call that waits. */
        if (isKernelStub(F)) {
            F.setDoesNotThrow();
            F.setCannotDuplicate();
            F.setMemoryEffects(MemoryEffects::inaccessibleMemOnly() |
                               MemoryEffects::argMemOnly(ModRefInfo::Ref));
        }
        if (F.isDeclaration())
            continue;
        removeHindrances(F);
        for (Instruction &I : make_early_inc_range(instructions(F))) {
            if (auto *Compare = dyn_cast<ICmpInst>(&I); Compare && isa<Constant>(Compare->getOperand(0)))
                Compare->swapOperands(); /* as all others are */
            auto *Call = dyn_cast<CallBase>(&I);
            if (Call && isTransfer(*Call))
                annotateTransfer(*withMembers(*Call));
            if (!Call || !isPushConfiguration(*Call))
                continue;
            Call->getCalledFunction()->setDoesNotThrow();
            Call->getCalledFunction()->setMemoryEffects(MemoryEffects::inaccessibleMemOnly() |
                                                        MemoryEffects::argMemOnly(ModRefInfo::Ref));
            Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), 0));
        }
    }
}

/// Makes \p Call, of a stub, pass \p Pointers as operands of their own after those that it has. The structs
/// that they are in are no longer passed, so that nothing keeps their copies in memory.
static void passPointers(CallBase &Call, ArrayRef<PointerInMemory> Pointers) {
    CallInst *Old = plainCall(Call);
    IRBuilder<> Builder(Old);
    SmallVector<Value *, 8> Operands(Old->args());
    SmallVector<Type *, 8> Types(Old->getFunctionType()->params());
    for (const PointerInMemory &P : Pointers) {
        Value *Struct = Old->getArgOperand(P.Argument);
        Value *Address = Builder.CreatePtrAdd(Struct, Builder.getInt64(P.Offset));
        Operands.push_back(Builder.CreateLoad(Builder.getPtrTy(), Address));
        Types.push_back(Builder.getPtrTy());
        Operands[P.Argument] = Constant::getNullValue(Struct->getType());
    }
    const Function *Stub = Old->getCalledFunction();
    LLVMContext &Context = Stub->getContext();
    auto OfFunction = [&](const AttributeList &Attributes) {
        return AttributeList::get(Context, AttributeList::FunctionIndex,
                                  AttrBuilder(Context, Attributes.getFnAttrs()));
    };
    CallInst *New = Builder.CreateCall(
        Old->getModule()->getOrInsertFunction((Stub->getName() + ".pointers").str(),
                                              FunctionType::get(Builder.getVoidTy(), Types, false),
                                              OfFunction(Stub->getAttributes())),
        Operands);
    New->setAttributes(OfFunction(Old->getAttributes()));
    New->copyMetadata(*Old);
    Old->eraseFromParent();
}

/// The tag that \p I had before inlining made an invoke of it, as the call around unwinds to \p Pad: that of
/// what comes after it if nothing is thrown. Null where it had none.
static MDNode *endTagOf(const Instruction &I, const BasicBlock *Pad) {
    const auto *Invoke = dyn_cast<InvokeInst>(&I);
    return Invoke && Invoke->getUnwindDest() == Pad && Invoke->getNormalDest()->getSinglePredecessor()
               ? Invoke->getNormalDest()->front().getMetadata(EndTag)
               : nullptr;
}

/// Tags what has no tag yet from \p First on, up to \p After, null for the end of the function. \p End: null
/// where control comes back from the call. \p Passes: of loops that the call stood in; null for none. \p Pad:
/// where the call unwinds to; null for nowhere.
static void tagInlined(BasicBlock &First, const BasicBlock *After, MDNode *Tag, MDNode *End,
                       const MDNode *Passes, const BasicBlock *Pad) {
    for (BasicBlock *Block = &First; Block != After; Block = Block->getNextNode())
        for (Instruction &I : *Block) {
            if (I.hasMetadata(OriginTag) || I.hasMetadata(CallTag))
                continue;
            I.setMetadata(CallTag, Tag);
            if (MDNode *Ends = End ? End : endTagOf(I, Pad))
                I.setMetadata(EndTag, Ends);
            if (auto *Inner = dyn_cast<CallBase>(&I); Inner && Passes)
                PassNumbers::add(*Inner, Passes);
        }
}

/// Has others call \p Tagged, which may be inlined in them, without the tags: those are of its own analysis.
static void separateFromCallers(Function &Tagged) {
    SmallVector<CallBase *, 8> Calls;
    for (User *By : Tagged.users())
        if (auto *Call = dyn_cast<CallBase>(By); Call && Call->getCalledFunction() == &Tagged)
            Calls.push_back(Call);
    if (Calls.empty() || launches(Tagged))
        return;
    ValueToValueMapTy Map;
    Function *Plain = CloneFunction(&Tagged, Map);
    Plain->setComdat(nullptr);
    Plain->setLinkage(GlobalValue::InternalLinkage);
    for (Instruction &I : instructions(*Plain)) {
        I.setMetadata(SiteTag, nullptr);
        I.setMetadata(OriginTag, nullptr);
    }
    for (CallBase *Call : Calls)
        Call->setCalledFunction(Plain);
}

/// Inlines every callee with a body that does not launch. False: some are left out, for there are too many.
static bool inlineCallees(Function &F) {
    auto Wanted = [](const CallBase &Call) { return !launches(*Call.getCalledFunction()); };
    return inlineCalls(F, F, Wanted, [](CallBase &Call, InlineFunctionInfo &Info) {
        MDNode *Tag = Call.getMetadata(OriginTag), *End = Call.getMetadata(EndTag);
        Tag = Tag ? Tag : Call.getMetadata(CallTag);
        const MDNode *Passes = PassNumbers::tagOf(Call);
        BasicBlock *First = Call.getParent(), *After = First->getNextNode();
        const auto *Invoke = dyn_cast<InvokeInst>(&Call);
        const BasicBlock *Pad = Invoke ? Invoke->getUnwindDest() : nullptr;
        if (!InlineFunction(Call, Info).isSuccess())
            return false;
        tagInlined(*First, After, Tag, End, Passes, Pad);
        return true;
    });
}

/// The variables whose initial values have addresses of blocks: tables that computed gotos jump by.
static SmallPtrSet<GlobalVariable *, 4> findJumpTables(const Module &M) {
    SmallPtrSet<GlobalVariable *, 4> Tables;
    SmallVector<User *, 8> Work;
    for (const Function &F : M)
        for (const BasicBlock &Block : F)
            if (BlockAddress *Address = BlockAddress::lookup(&Block))
                append_range(Work, Address->users());
    while (!Work.empty()) {
        User *U = Work.pop_back_val();
        if (auto *Table = dyn_cast<GlobalVariable>(U))
            Tables.insert(Table);
        else if (isa<Constant>(U))
            append_range(Work, U->users());
    }
    return Tables;
}

/// CloneModule copies initial values before blocks, and then cannot map the blocks' addresses (it crashes at
/// some). So jump tables have none in the copy: there they are variables of other modules.
static std::unique_ptr<Module> cloneWithoutJumpTables(Module &Original, ValueToValueMapTy &Map,
                                                      function_ref<bool(const GlobalValue *)> Wanted) {
    SmallVector<std::pair<GlobalVariable *, Constant *>, 4> Kept;
    for (GlobalVariable *Table : findJumpTables(Original)) {
        Kept.push_back({Table, Table->getInitializer()});
        Table->setInitializer(Constant::getNullValue(Table->getValueType()));
    }
    std::unique_ptr<Module> Copy = CloneModule(Original, Map, Wanted);
    for (auto [Table, Initializer] : Kept) {
        Table->setInitializer(Initializer);
        auto *Copied = cast<GlobalVariable>(Map[Table]);
        Copied->setInitializer(nullptr);
        Copied->setComdat(nullptr);
        Copied->setLinkage(GlobalValue::ExternalLinkage);
    }
    return Copy;
}

NormalisedModule::NormalisedModule(Module &Original, const SiteMap &Sites, const KernelSummaries &Summaries) {
    const SmallSetVector<const Function *, 32> Needed = neededFunctions(Sites);
    ValueToValueMapTy Map;
    Copy = cloneWithoutJumpTables(Original, Map, [&](const GlobalValue *Value) {
        const auto *F = dyn_cast<Function>(Value);
        return !F || Needed.contains(F);
    });
    for (const auto &Entry : Sites)
        Copies[Entry.first] = cast<Function>(Map[Entry.first]);
    tagSites(Sites, Map);
    tagEnds(*Copy);
    for (const auto &Entry : Sites)
        tagInstructions(*Entry.first, Map);
    storeClaimed(*Copy);
    prepare();
    summariseHostFunctions(*Copy);
    for (const auto &Entry : Sites)
        for (const OpSite &Site : Entry.second) {
            if (!Site.isLaunch())
                continue;
            auto Pointers = Summaries.pointersInMemory(*Site.Issue->getCalledFunction());
            if (!Pointers.empty())
                passPointers(*cast<CallBase>(Map.lookup(Site.Issue)), Pointers);
        }
    for (const auto &Entry : Sites)
        separateFromCallers(*Copies[Entry.first]);
    for (const auto &Entry : Sites)
        if (!inlineCallees(*Copies[Entry.first]))
            Cut.insert(Entry.first);
    for (const auto &Entry : Sites) {
        expandAllocations(*Copies[Entry.first]);
        simplify(*Copies[Entry.first]);
        takeOutClaimStores(*Copies[Entry.first]);
    }
    describeClaims(*Copy);
}

namespace {

/// Writes every constant offset in the same way, so that equal addresses come out as one value.
struct PlainOffsetsPass : PassInfoMixin<PlainOffsetsPass> {
    PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
        for (Instruction &I : make_early_inc_range(instructions(F))) {
            auto *Address = dyn_cast<GetElementPtrInst>(&I);
            if (!Address || !Address->getType()->isPointerTy())
                continue;
            APInt Offset(64, 0);
            Value *Base = Address->stripAndAccumulateConstantOffsets(F.getDataLayout(), Offset,
                                                                     /*AllowNonInbounds=*/true);
            if (Base == Address)
                continue;
            IRBuilder<> Builder(Address);
            Address->replaceAllUsesWith(
                Offset.isZero() ? Base : Builder.CreatePtrAdd(Base, Builder.getInt64(Offset.getZExtValue())));
            Address->eraseFromParent();
        }
        PreservedAnalyses Kept;
        Kept.preserveSet<CFGAnalyses>();
        return Kept;
    }
};

/// What is loaded from a local variable that nothing was stored in is no value. Newer LLVM releases see that
/// by themselves, and older ones keep it for what was there before an allocation that failed.
struct UnsetVariablesPass : PassInfoMixin<UnsetVariablesPass> {
    PreservedAnalyses run(Function &F, FunctionAnalysisManager &Known) {
        MemorySSA &Memory = Known.getResult<MemorySSAAnalysis>(F).getMSSA();
        for (Instruction &I : instructions(F)) {
            auto *Load = dyn_cast<LoadInst>(&I);
            if (Load && Load->isSimple() && isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand())) &&
                Memory.isLiveOnEntryDef(Memory.getWalker()->getClobberingMemoryAccess(Load)))
                Load->replaceAllUsesWith(UndefValue::get(Load->getType()));
        }
        PreservedAnalyses Kept;
        Kept.preserveSet<CFGAnalyses>();
        return Kept;
    }
};

/// Where control has come past the test of its error, what an allocation left in a variable is the
/// allocation, and not what was there before in case it failed.
struct CheckedAllocationsPass : PassInfoMixin<CheckedAllocationsPass> {
    PreservedAnalyses run(Function &F, FunctionAnalysisManager &Known) {
        const DominatorTree &Dominance = Known.getResult<DominatorTreeAnalysis>(F);
        for (Instruction &I : instructions(F)) {
            auto *Left = dyn_cast<SelectInst>(&I);
            auto *Made = Left ? dyn_cast<CallBase>(Left->getTrueValue()) : nullptr;
            if (Made && isAllocation(*Made) && successOf(Left->getCondition(), *Made->getArgOperand(0)) == 0)
                for (User *By : Made->getArgOperand(0)->users())
                    replaceAfter(By, *Left, *Made, Dominance);
        }
        PreservedAnalyses Kept;
        Kept.preserveSet<CFGAnalyses>();
        return Kept;
    }

  private:
    /// Which side \p Condition takes if \p Error is that of success; none where it does not say.
    static std::optional<unsigned> successOf(const Value *Condition, const Value &Error) {
        const auto *Test = dyn_cast<ICmpInst>(Condition);
        if (!Test || !Test->isEquality() || Test->getOperand(0) != &Error ||
            !match(Test->getOperand(1), PatternMatch::m_Zero()))
            return std::nullopt;
        return Test->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
    }

    static void replaceAfter(const User *Test, SelectInst &Left, CallBase &Made,
                             const DominatorTree &Dominance) {
        const std::optional<unsigned> Side = successOf(Test, *Made.getArgOperand(0));
        if (!Side)
            return;
        for (const User *By : Test->users())
            if (const auto *Branch = dyn_cast<BranchInst>(By);
                Branch && Branch->getSuccessor(0) != Branch->getSuccessor(1)) {
                const BasicBlockEdge Success(Branch->getParent(), Branch->getSuccessor(*Side));
                Left.replaceUsesWithIf(&Made, [&](const Use &U) { return Dominance.dominates(Success, U); });
            }
    }
};

/// Extends what an index is computed from instead of the index: what does not overflow is the same, and
/// scalar evolution sees how far apart two indices are.
struct WideIndicesPass : PassInfoMixin<WideIndicesPass> {
    PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
        SmallVector<SExtInst *, 16> Work;
        for (Instruction &I : instructions(F))
            if (auto *Extension = dyn_cast<SExtInst>(&I))
                Work.push_back(Extension);
        while (!Work.empty())
            widen(Work.pop_back_val(), Work);
        PreservedAnalyses Kept;
        Kept.preserveSet<CFGAnalyses>();
        return Kept;
    }

  private:
    static void widen(SExtInst *Extension, SmallVectorImpl<SExtInst *> &Work) {
        auto *Index = dyn_cast<OverflowingBinaryOperator>(Extension->getOperand(0));
        if (!Index || !Index->hasNoSignedWrap() || Index->getOpcode() == Instruction::Shl)
            return;
        IRBuilder<> Builder(Extension);
        SmallVector<Value *, 2> Wide;
        for (Value *Operand : Index->operands()) {
            Wide.push_back(Builder.CreateSExt(Operand, Extension->getType()));
            if (auto *Inner = dyn_cast<SExtInst>(Wide.back()))
                Work.push_back(Inner);
        }
        Extension->replaceAllUsesWith(
            Builder.CreateBinOp(static_cast<Instruction::BinaryOps>(Index->getOpcode()), Wide[0], Wide[1]));
        Extension->eraseFromParent();
    }
};

} // namespace

void NormalisedModule::simplify(Function &F) {
    FunctionPassManager Passes;
    Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    Passes.addPass(EarlyCSEPass());
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(WideIndicesPass());
    Passes.addPass(PlainOffsetsPass());
    Passes.addPass(PointerWalksPass());
    Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    Passes.addPass(UnsetVariablesPass());
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    /* Ways out of a scope meet where it is cleaned up, and part again: no way should come out as another. */
    Passes.addPass(JumpThreadingPass());
    Passes.addPass(SimplifyCFGPass());
    /* What is loaded twice from one place comes out as one pointer. */
    Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    Passes.addPass(CheckedAllocationsPass());
    All.run(Passes, F);
    FunctionPassManager Again;
    Again.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    while (mergeLoadsAcrossWaits(F, All.functions())) {
        All.forget(F);
        All.run(Again, F);
    }
}

} // namespace kesco
